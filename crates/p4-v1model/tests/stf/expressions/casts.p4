// Casts widen bit<W> with zeros and int<W> with the sign, and cut from the top.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    int<8> b;
    bit<16> c;
    int<16> d;
    bit<16> e;
    bit<8> f;
    bit<8> g;
    bit<1> x;
    bit<7> y;
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

          h.h.c = (bit<16>)h.h.a;
          h.h.d = (int<16>)h.h.b;
          h.h.e = (bit<16>)(int<16>)(int<8>)h.h.a;
          h.h.f = (bit<8>)(bit<4>)h.h.a;
          h.h.g = (bit<8>)(bit<1>)(h.h.a == 0x9c);
          bool odd = (bool)h.h.x;
          h.h.y = odd ? 7w1 : 7w2;
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
