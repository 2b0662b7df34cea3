// Signed.

#include <core.p4>
#include <v1model.p4>
header h_t {
    int<8> a;
    int<8> b;
    int<8> c;
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
        if (h.h.a < h.h.b) h.h.r = h.h.r | 1;
        if (h.h.c < 0) h.h.r = h.h.r | 2;
        if ((h.h.a |-| 1) == -128) h.h.r = h.h.r | 4;
        if ((h.h.b |+| h.h.b) == 127) h.h.r = h.h.r | 8;
        if (h.h.a >> 1 == -64) h.h.r = h.h.r | 16;
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
