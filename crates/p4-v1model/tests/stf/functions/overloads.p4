// Functions of one name: the number of arguments or their names decide which is called.

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
bit<8> f(in bit<8> x) {
    return x;
}

bit<8> f(in bit<8> x, in bit<8> y) {
    return x + y;
}

bit<8> f() {
    return 3;
}

bit<8> g(in bit<8> a) {
    return a;
}

bit<8> g(in bit<8> b) {
    return b + 1;
}

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
        h.h.c = f(h.h.b, 3);
        h.h.d = f();
        h.h.a = f(h.h.a);
        h.h.a = g(b = h.h.a) - 1;
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
