// A variable declared in a state is new each time the state is entered.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> n;
    bit<8> sum;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<8> left;
    bit<8> sum;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        m.left = h.h.n;
        transition more;
    }
    state more {
        bit<8> step = 1;
        step = step + m.left;
        m.sum = m.sum + step;
        m.left = m.left - 1;
        transition select(m.left) {
            0: accept;
            default: more;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.sum = m.sum;
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
