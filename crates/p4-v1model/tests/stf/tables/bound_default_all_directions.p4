// A default action with in, out and inout arguments bound and data of its own.

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
    action a(in bit<8> x, out bit<8> y, inout bit<8> z, bit<8> k) {
        y = x + z;
        z = k;
    }
    bit<8> t1;
    table t {
        actions = {
            a(h.h.d, h.h.a, t1);
            NoAction;
        }
        const default_action = a(h.h.d, h.h.a, t1, 7);
    }
    apply {
        sm.egress_spec = 1;
        t1 = 1;
        t.apply();
        if (t1 != 7) h.h.b = 0xee;
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
