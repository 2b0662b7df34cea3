// Casts of parenthesised and negated expressions, unary plus, widths by constant expressions.

#include <core.p4>
#include <v1model.p4>

const int W = 8;
typedef bit<(W + W)> two_t;
header h_t {
    bit<W> a;
    bit<8> b;
    two_t c;
    bit<(W - 4)> d;
    bit<4> e;
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
        h.h.b = (bit<8>)(h.h.a) - 1;
        h.h.c = (two_t)(-h.h.a) + (two_t)-(bit<8>)1;
        h.h.d = (bit<4>)+(h.h.a)[7:4];
        h.h.e = (bit<4>)(bit<W>)(h.h.a + (8w1));
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
