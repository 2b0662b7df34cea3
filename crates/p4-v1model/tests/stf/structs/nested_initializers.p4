// Nested lists, named fields and tuples initialize nested structs; a list is assigned to an inner struct.

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
struct A_ {
    bit<8> x;
}

struct B_ {
    A_ a;
    A_ b;
}

struct C_ {
    B_ b;
    bit<8> q;
    tuple<bit<8>, A_> t;
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
        C_ c = { { { 1 }, { 2 } }, 3, { 4, { 5 } } };
        C_ d = { b = { a = { x = 1 }, b = { 2 } }, q = 3, t = { 4, { x = 5 } } };
        if (c != d || c.t[1].x != 5 || c.b.b.x != 2) h.h.a = 0xee;
        c.b.b = { 7 };
        c.b = d.b;
        if (c != d) h.h.b = 0xee;
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
