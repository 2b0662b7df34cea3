// Arguments of a default action and the size may be constant expressions.

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
const bit<8> ten = 10;

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action s(bit<8> v, bit<16> w, bool q) {
        if (q) h.h.c = v + (bit<8>)w;
    }
    table t {
        key = {
            h.h.a : exact;
        }
        actions = {
            s;
        }
        const default_action = s(ten, 1, !false);
        size = 2 * 8;
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
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
