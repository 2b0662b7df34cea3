// Numbers.

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
        bit<32> x = 32w0xFFFF_FFFF;
        bit<8> a = 0b1010_1010;
        bit<8> c = 0o17;
        bit<8> d = 8w0B11;
        bit<8> e = 0XfF;
        int<8> f = 8s0b1111;
        bit<8> g = 0d10;
        bit<32> k = 1_000_000;
        if (a != 170 || c != 15 || d != 3 || e != 255 || f != 15 || g != 10 || k != 1000000) h.h.a = 0xee;
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
