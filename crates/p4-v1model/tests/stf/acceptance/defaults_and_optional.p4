// Defaults and optional.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }

control c(inout bit<8> x, in bit<8> k = 3)(bit<8> z = 4) {
    apply {
        if (k + z != 7) x = 9;
    }
}

parser pp(packet_in b, @optional in bit<8> x) {
    state start {
        transition accept;
    }
}

bit<8> f(in bit<8> a, in bit<8> b = 1, in bit<8> c = 2) {
    return a + b + c;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    c() c1;
    c(5) c2;
    apply {
        sm.egress_spec = 1;
        c1.apply(h.h.a);
        c2.apply(h.h.a, 2);
        h.h.d = f(1);
        h.h.d = f(0, 2);
        h.h.d = f(0, c = 3);
        c1.apply(x = h.h.b);
        c1.apply(k = 3, x = h.h.b);
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
