// The right side is evaluated as a whole before anything is written.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct Headers {
    h_t h;
}

struct Meta {
    pair_t p;
}

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
        h.h = { h.h.b, h.h.a };
        m.p = { h.h.a, h.h.b };
        m.p = { m.p.y + 1, m.p.x + 1 };
        h.h.a = m.p.x;
        h.h.b = m.p.y;
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
