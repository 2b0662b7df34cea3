// Keysets of one key in parentheses, default among others, constants, casts and enums.

#include <core.p4>
#include <v1model.p4>

enum bit<8> Kind {
    A = 1,
    B = 2
}
header h_t {
    Kind k;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<8> r;
}

const bit<8> FOUR = 4;

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition select((bit<8>)h.h.k) {
            (1): one;
            (bit<8>)Kind.B: two;
            FOUR: four;
            FOUR + 1: five;
            8w6 &&& 8w0xfe: six;
            _: accept;
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
    state four {
        m.r = 4;
        transition accept;
    }
    state five {
        m.r = 5;
        transition accept;
    }
    state six {
        m.r = 6;
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
