// select: ranges include both ends.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
    int<8> b;
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
        transition select(h.h.a, h.h.b) {
            (0x100 .. 0x1ff, 8s0): one;
            (0 .. 5, -8s3 .. 8s3): two;
            default: accept;
        }
    }
    state one {
        b.extract(h.x);
        transition accept;
    }
    state two {
        b.extract(h.x);
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
        h.h.a = 0;
        if (h.y.isValid()) {
            h.h.a = 2;
        } else if (h.x.isValid()) {
            h.h.a = 1;
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
