// ++ puts its left side first; the sign comes from the left.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<4> b;
    bit<4> c;
    bit<16> r;
    int<16> s;
    bit<24> t;
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
        h.h.r = h.h.c ++ h.h.a ++ h.h.b;
        h.h.s = (int<16>)((int<4>)h.h.c ++ 4w0);
        h.h.t = (bit<24>)(h.h.b ++ h.h.c);
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
