// Copies of copies of headers through structs, with validity at each step.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

struct box_t {
    h_t one;
    h_t two;
}

struct Headers {
    h_t h;
    box_t box;
}

struct Meta { }

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
    box_t t;
    box_t u;
    apply {
        sm.egress_spec = 1;
        t.one = h.h;
        t.two.setInvalid();
        u = t;
        u.two = u.one;
        u.two.a = u.two.a + 1;
        t.one.setInvalid();
        h.box = u;
        if (h.h.a == 2) {
            h.box = t;
        }
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
