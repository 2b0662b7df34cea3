// A value set matches what the control plane has put in; it starts empty.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    value_set<bit<16>>(4) kinds;
    state start {
        b.extract(h.h);
        transition select(h.h.a) {
            kinds: more;
            0x0001: more;
            default: accept;
        }
    }
    state more {
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.x.isValid()) {
            h.x.v = h.x.v + 1;
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
