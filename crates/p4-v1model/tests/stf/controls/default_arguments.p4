// Defaults of control and constructor parameters; arguments by name.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct Headers {
    h_t h;
}

struct Meta { }

control c(inout bit<8> x, in bit<8> y = 3)(bit<8> n = 0x10, bool twice = false) {
    apply {
        x = x + y + n;
        if (twice) {
            x = x + n;
        }
    }
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
    c() plain;
    c(twice = true, n = 0x20) other;
    apply {
        sm.egress_spec = 1;
        plain.apply(h.h.a);
        other.apply(y = 1, x = h.h.b);
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
