// A field of what lookahead gives, at once.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> k;
    bit<8> n;
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
    state start {
        transition select(b.lookahead<h_t>().k, b.lookahead<bit<16>>()[7:4]) {
            (1, 2): both;
            (1, _): one;
            default: accept;
        }
    }
    state both {
        b.extract(h.h);
        b.extract(h.x);
        transition accept;
    }
    state one {
        b.extract<h_t>(h.h);
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
            h.x.v = 0xee;
        } else if (h.h.isValid()) {
            h.h.n = 0xdd;
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
        b.emit<h_t>(h.h);
        b.emit<x_t>(h.x);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
