// A state may be entered again and again while there is something to parse.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> n;
    bit<8> sum;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta {
    bit<8> sum;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> left;
    state start {
        b.extract(h.h);
        left = h.h.n;
        transition more;
    }
    state more {
        transition select(left) {
            0: accept;
            default: one;
        }
    }
    state one {
        b.extract(h.x);
        m.sum = m.sum + h.x.v;
        left = left - 1;
        transition more;
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
