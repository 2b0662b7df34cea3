// Locals, conditions, functions and blocks in states.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<8> r;
}

bit<8> half(in bit<8> x) {
    return x >> 1;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        bit<8> t = half(h.h.a);
        if (t > 0x40) {
            t = 0x40;
        } else if (t == 0) {
            t = 1;
        }
        {
            bit<8> u = t + 1;
            m.r = u;
        }
        h.h.a = m.r + t;
        transition select(t == 1, h.h.a) {
            (true, _): small;
            (false, 0x81): large;
            default: accept;
        }
    }
    state small {
        m.r = 0xaa;
        transition accept;
    }
    state large {
        m.r = 0xbb;
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
