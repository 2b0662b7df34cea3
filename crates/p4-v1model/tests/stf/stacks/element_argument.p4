// An element given as an inout argument is the one that the index named before the call.

#include <core.p4>
#include <v1model.p4>

header x_t {
    bit<8> v;
}

struct Headers {
    x_t[3] s;
}

struct Meta { }

void move(inout bit<8> index, inout bit<8> v) {
    index = index + 1;
    v = v + 0x10;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
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
        bit<8> i = 0;
        move(i, h.s[i].v);
        move(i, h.s[i].v);
        move(h.s[0].v, h.s[i].v);
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
