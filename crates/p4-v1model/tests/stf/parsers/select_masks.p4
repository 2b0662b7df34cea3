// select: values, masks, tuples of them, don't care; the first that fits is taken.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<8> r;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition select(h.h.a, h.h.b) {
            (0x10 &&& 0xf0, 1): one;
            (0x10 &&& 0xf0, _): two;
            (_, 0x80 &&& 0x80): three;
            (5, 5): four;
            default: accept;
        }
    }
    state one {
        m.r = 1;
        transition accept;
    }
    state two {
        m.r = 2;
        transition accept;
    }
    state three {
        m.r = 3;
        transition accept;
    }
    state four {
        m.r = 4;
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.r = m.r;
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
