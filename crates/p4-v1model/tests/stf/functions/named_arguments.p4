// Arguments by name in any order; parameters with defaults may be left out.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> f(in bit<8> x, in bit<8> y = 3, in bit<8> z = 5) {
    return x * 16 + y * 4 + z;
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
        h.h.r = f(z = 1, x = h.h.a, y = 2);
        h.h.s = f(h.h.a);
        h.h.t = f(x = h.h.a, z = 0);
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
