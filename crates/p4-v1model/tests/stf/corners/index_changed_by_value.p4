// The element is the one named before the right side changed the index.

#include <core.p4>
#include <v1model.p4>

header c_t {
    bit<8> i;
}
header x_t {
    bit<8> v;
}

struct Headers {
    c_t c;
    x_t[3] s;
}

struct Meta { }

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
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.s[h.c.i].v = next(h.c.i);
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
