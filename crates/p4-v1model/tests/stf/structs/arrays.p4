// Arrays of numbers and structs: elements by constant and computed indices, copies, comparisons, a tuple with a stack.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct Headers {
    h_t h;
    h_t[2] s;
}

struct Pair {
    bit<8> x;
    bit<16> y;
}

struct Meta {
    bit<8>[4] q;
    Pair[3] r;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8>[4] x = { 1, 2, 3, 4 };
    apply {
        sm.egress_spec = 2;
        m.q = x;
        m.q[h.h.a[1:0]] = 9;
        h.h.b = m.q[h.h.b[1:0]] + x[3];
        m.r[h.h.a].x = 7;
        m.r[1].y = 5;
        if (m.r[1] == { 7, 5 }) h.h.a = 0xee;
        if (m.q == x) h.h.a = 0xdd;
        h.s[1] = { 0xaa, 0xbb };
        tuple<bit<8>, h_t[2]> t = { 3, h.s };
        h.s[0] = t[1][1];
        h.s[1].setInvalid();
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
