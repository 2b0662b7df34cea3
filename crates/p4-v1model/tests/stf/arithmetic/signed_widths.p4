// int<W> of 16, 32, 33 and 65 bits: casts, negation, complement, shifts, products, saturation.

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
        int<32> x = -5;
        int<32> y = x * 2;
        bit<32> z = (bit<32>)y;
        int<16> w = (int<16>)(x[15:0]);
        int<8> n = (int<8>)x;
        if (n != -5 || w != -5 || z != 0xFFFFFFF6 || -x != 5 || (x - 3) >> 1 != -4 || x > 0 || ~x != 4) h.h.a = 0xee;
        int<33> big = (int<33>)x;
        if (big != -5 || (bit<33>)big != 33w0x1FFFFFFFB) h.h.a = 0xdd;
        int<65> b65 = (int<65>)big * -1;
        if (b65 != 5 || b65 |-| 10 != -5) h.h.a = 0xcc;
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
