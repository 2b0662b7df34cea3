// Sub-controls with in, out and inout parameters.

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

struct Meta { }

control mix(in bit<8> x, out bit<8> y, inout bit<8> z) {
    bit<8> t = x + 1;
    apply {
        y = t;
        z = z + t;
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
    mix() first;
    mix() second;
    apply {
        sm.egress_spec = 1;
        first.apply(h.h.a, h.h.b, h.h.c);
        second.apply(h.h.b, h.h.a, h.h.c);
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
