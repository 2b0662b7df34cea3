// bit<1> and int<1>: 1 + 1 is 0; the one-bit int is 0 or -1.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<1> a;
    bit<1> b;
    int<1> c;
    int<1> d;
    bit<4> r;
    int<8> wide;
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
        h.h.r = 0;
        if (h.h.c < h.h.d) {
            h.h.r = h.h.r | 1;
        }
        if (h.h.c == -1) {
            h.h.r = h.h.r | 2;
        }
        h.h.a = h.h.a + h.h.b;
        h.h.wide = (int<8>)h.h.c;
        if ((bool)h.h.b) {
            h.h.r = h.h.r | 4;
        }
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
