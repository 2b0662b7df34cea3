// The left side's index is evaluated before the right side.

#include <core.p4>
#include <v1model.p4>

header v_t {
    bit<8> v;
}

struct Headers {
    v_t[4] s;
}

struct Meta { }

bit<8> step(inout bit<8> i, in bit<8> by) {
    i = i + by;
    return i;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
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
    bit<8> i = 0;
    apply {
        sm.egress_spec = 1;
        h.s[step(i, 1)].v = step(i, 10);
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
