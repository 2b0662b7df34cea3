// A list that is assigned to a struct may read elements at a computed index, the struct itself and calls; it is evaluated first.

#include <core.p4>
#include <v1model.p4>

header c_t {
    bit<8> i;
    bit<8> r;
}

header x_t {
    bit<8> v;
}

struct Headers {
    c_t c;
    x_t[4] s;
}

struct Meta { }

struct pair_t {
    bit<8> x;
    bit<8> y;
}

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.c);
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        pair_t p = { h.s[h.c.i & 3].v, 1 };
        p = { p.y + 1, h.s[p.y & 3].v };
        p = { h.s[(p.x + h.c.i) & 3].v, p.x };
        h.c.r = p.x + p.y;
        h.c.r = h.s[h.c.i & 3].v + next(h.c.i) + h.s[h.c.i & 3].v + h.c.r;
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
