// Saturation, shifts, products and signs of 128 bits and more; the product of a 256-bit concatenation.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<128> a;
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
        bit<128> x = h.h.a;
        bit<128> y = x * x;
        if (y == 1) h.h.r = h.h.r | 1;
        if (x |+| 1 == x) h.h.r = h.h.r | 2;
        if ((x >> 127) == 1 && (x << 128) == 0 && (x >> 64) == 128w0xffffffffffffffff) h.h.r = h.h.r | 4;
        h.h.a = x - 1;
        bit<256> q = x ++ x;
        if (q[191:64] != x) h.h.r = 0xee;
        if ((q * q)[127:0] != 1) h.h.r = 0xdd;
        if ((int<128>)x >> 100 != -1) h.h.r = 0xcc;
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
