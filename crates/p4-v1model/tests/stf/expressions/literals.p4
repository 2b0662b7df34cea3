// Numbers in all bases, with widths, signs and underscores.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    int<8> d;
    int<8> e;
    bit<32> f;
    bit<4> g;
    bit<4> i;
    bit<8> j;
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

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          h.h.a = 8w0b1010_1010;
          h.h.b = 0o17;
          h.h.c = 8w0d99;
          h.h.d = -8s1;
          h.h.e = 8s0x7f;
          h.h.f = 32w0xDEAD_BEEF;
          h.h.g = 0Xf;
          h.h.i = 0B0110;
          h.h.j = 1_0_0;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply { }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
