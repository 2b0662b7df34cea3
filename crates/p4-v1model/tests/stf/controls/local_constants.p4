// Constants local to controls, actions, parsers and blocks.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<8> p;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    const bit<8> P = 7;
    state start {
        const bit<8> Q = P + 1;
        b.extract(h.h);
        m.p = Q;
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    const bit<8> K = 3;
    action f() {
        const bit<8> K = 4;
        h.h.a = K;
    }
    apply {
        sm.egress_spec = 1;
        const bit<8> L = K * 2;
        const bit<8> M = K;
        f();
        h.h.b = L + M;
        h.h.c = m.p;
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
