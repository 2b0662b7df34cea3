// A constant that is shifted by its width or more is 0, or the sign for int<W> to the right.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    int<8> e;
    int<8> f;
    bit<8> g;
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
        h.h.a = 8w1 << 8w7;
        h.h.b = 8w3 << 8w128;
        h.h.c = 8w0xff >> 8w3;
        h.h.d = 8w0xff >> 8;
        h.h.e = -8s100 >> 8w2;
        h.h.f = -8s1 >> 8w200;
        h.h.g = (bit<8>)(8s100 >> 8w200) + (1 << 3);
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
