// Exit sub table.

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

control sub(inout Headers h, inout bit<8> v) {
    action a() {
        v = 7;
        exit;
    }
    table t {
        actions = {
            a;
        }
        default_action = a();
    }
    apply {
        h.h.c = 8;
        t.apply();
        h.h.c = 9;
    }
}

control sub2(inout Headers h, inout bit<8> w) {
    sub() s;
    apply {
        s.apply(h, w);
        h.h.b = 4;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    sub2() s;
    apply {
        sm.egress_spec = 1;
        s.apply(h, h.h.a);
        h.h.b = 1;
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
