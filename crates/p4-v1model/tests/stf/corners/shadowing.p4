// Names of inner scopes hide those of outer ones: parameters, locals, actions' data.

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

const bit<8> x = 1;
bit<8> f(in bit<8> y) {
    bit<8> x = y;
    {
        bit<8> x = 5;
        x = x + 1;
    }
    return x;
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
    bit<8> y = x;
    action set(bit<8> y) {
        h.h.c = y;
    }
    apply {
        sm.egress_spec = 1;
        h.h.a = f(7) + x;
        set(9);
        h.h.b = y;
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
