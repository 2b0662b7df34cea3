// Functions that return a struct, an enum, a bool, an error, a header, a tuple, an int<W> or nothing.

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
struct S {
    bit<8> x;
    bit<8> y;
}

enum E { A, B }
header g_t {
    bit<8> q;
}
S mk(in bit<8> v) {
    return { v, v + 1 };
}
E e(in bool c) {
    return c ? E.A : E.B;
}
bool lt(bit<8> a, bit<8> b2) {
    return a < b2;
}

error er() {
    return error.NoMatch;
}
g_t hd(in bit<8> v) {
    g_t r;
    r.setValid();
    r.q = v;
    return r;
}
tuple<bit<8>, bool> tp() {
    return { 6, true };
}

void nothing() {
    return;
}

void early(in bit<8> x, out bit<8> y) {
    y = 1;
    if (x == 1) {
        y = 2;
        return;
    }
    y = 3;
}
int<8> neg(in int<8> x) {
    if (x < 0) return -x;
    else return x;
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
        if (e(lt(h.h.a, h.h.b)) == E.A && er() != error.NoError && er() == error.NoMatch) h.h.c = mk(5).y + hd(1).q;
        if (hd(3).isValid()) {} else h.h.a = 0xee;
        h.h.d = tp()[0];
        if (tp()[1]) { }
        nothing();
        early(h.h.a, h.h.a);
        if (h.h.a != 2) h.h.a = 0xdd;
        h.h.a = 1;
        if (neg(-3) != 3) { }
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
