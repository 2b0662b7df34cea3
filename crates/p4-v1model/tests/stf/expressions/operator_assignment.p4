// a op= b is a = a op b, on fields and slices.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> e;
    bit<8> f;
    bit<8> g;
    bit<8> i;
    bit<8> j;
    bit<8> k;
    bit<8> l;
    bit<8> m;
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

          h.h.a += 5;
          h.h.b -= 5;
          h.h.c *= 3;
          h.h.d &= 0x3c;
          h.h.e |= 0x3c;
          h.h.f ^= 0x3c;
          h.h.g <<= 2;
          h.h.i >>= 2;
          h.h.j |+|= 0x80;
          h.h.k |-|= 0x80;
          h.h.l /= 7;
          h.h.m %= 7;
          h.h.m[7:4] += 9;
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
