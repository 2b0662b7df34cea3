// Comparison, addition and saturation of values that fill a 64-bit word, unsigned and signed.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<64> a;
    bit<64> b;
    bit<8> r;
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
        if (h.h.a > h.h.b) h.h.r[1:1] = 1;
        if ((int<64>)h.h.a < (int<64>)h.h.b) h.h.r[2:2] = 1;
        if (h.h.a + 1 == 0) h.h.r[4:4] = 1;
        if (h.h.b |+| h.h.a != 0xffffffffffffffff) h.h.r[7:7] = 1;
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
