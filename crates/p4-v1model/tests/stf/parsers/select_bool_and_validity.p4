// select over conditions, validities, several of them, and slices.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
    x_t y;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition select(h.h.a > 0x10, h.h.a[0:0], h.x.isValid()) {
            (true, 1, false): one;
            (true, _, _): two;
            (_, _, false): accept;
        }
    }
    state one {
        b.extract(h.x);
        transition select(h.x.isValid(), h.y.isValid()) {
            (true, false): two;
            default: accept;
        }
    }
    state two {
        b.extract(h.y);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.y.isValid()) {
            h.y.v = 0xee;
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
