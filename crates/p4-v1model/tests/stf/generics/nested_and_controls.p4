// Type arguments in type arguments; generic controls, header unions and stacks; a typedef of a generic header.

#include <core.p4>
#include <v1model.p4>
header G<T> {
    T v;
}

struct P_<A, B> {
    A a;
    B b;
}

typedef G<bit<8>> g8;
header_union U_<T> {
    G<T> x;
}

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct W_ {
    P_<bit<8>, P_<bool, bit<16>>> p;
}

struct Headers {
    h_t h;
    g8 g;
    G<bit<16>> g2;
    U_<bit<8>> u;
    G<bit<8>>[2] st;
}

struct Meta { }
T id<T>(in T x) {
    return x;
}
T pick<T>(in bool c, in T x, in T y) {
    if (c) return x;
    return y;
}

void sw<T>(inout T x, inout T y) {
    T t = x;
    x = y;
    y = t;
}

control gc<H>(inout H x)(bit<8> k) { apply { } }
P_<A, B> mk<A, B>(in A a, in B b) {
    return { a, b };
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    gc<bit<8>>(3) g1;
    apply {
        sm.egress_spec = 1;
        g1.apply(h.h.a);
        h.h.b = id(h.h.c);
        h.h.d = id<bit<8>>(5);
        h.h.a = pick(h.h.a == 1, h.h.a, h.h.b);
        sw(h.h.c, h.h.c);
        P_<bit<8>, bit<16>> z = { 1, 2 };
        P_<bit<8>, bit<16>> y = mk(8w1, 16w2);
        if (y != z) h.h.a = 0xee;
        W_ w = { p = { a = 1, b = { a = true, b = 3 } } };
        if (!w.p.b.a) h.h.a = 0xdd;
        h.g.setInvalid();
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
