// A cast binds closer than + and <<; precedence holds when constants are folded.

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
    apply {
        sm.egress_spec = 1;
        bit<16> x = (bit<16>) h.h.a + 16w1 << 1;
        if (x != 4) h.h.a = 0xee;
        bit<8> k = 1 | 2 & 3 ^ 4;
        if (h.h.a + 1 == 2 == true) { } else {
            h.h.a = 9;
        }
        bool z = !true || true && false;
        if (z) h.h.a = 9;
        bit<8> m_ = h.h.a | h.h.b & h.h.c ^ h.h.d;
        if (m_ != (h.h.a | ((h.h.b & h.h.c) ^ h.h.d))) h.h.a = 9;
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
