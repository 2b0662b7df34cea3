// Constants computed from a width: types, masks, shifts and a condition.

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
const bool DBG = false;
const int W = 8;
typedef bit<W> w_t;
typedef bit<(W * 2)> w2_t;
const w2_t MASK = ((w2_t)1 << W) - 1;
const bit<32> POS = 32w1 << (W - 1);

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (DBG) {
            h.h.a = 9;
        }
        w2_t v = h.h.a ++ h.h.b;
        h.h.b = (w_t)(v & MASK);
        h.h.a = (w_t)((v & ~MASK) >> W);
        if (POS != 128) h.h.a = 9;
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
