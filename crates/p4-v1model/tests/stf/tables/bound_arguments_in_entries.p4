// Arguments bound in the table's list hold for const entries and for several tables of one action.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action set(inout bit<8> x, in bit<8> k, bit<8> v) {
        x = k + v;
    }
    action two(out bit<8> o) {
        o = 9;
    }
    table t {
        actions = {
            set(h.h.a, 5);
        }
        default_action = set(h.h.a, 5, 1);
    }
    table t2 {
        key = {
            h.h.b : exact;
        }
        actions = {
            set(h.h.c, h.h.b);
            two(h.h.d);
        }
        const entries = {
            2 : set(5);
        }
        default_action = two(h.h.d);
    }
    table t3 {
        actions = {
            two(h.h.d);
        }
        default_action = two(h.h.d);
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        t2.apply();
        t3.apply();
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
