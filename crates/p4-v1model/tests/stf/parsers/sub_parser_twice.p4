// One sub-parser instance called twice, with elements of a stack.

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
    x_t[3] s;
}

struct Meta { }

parser one(packet_in b, out x_t x) {
    state start {
        b.extract(x);
        transition select(x.v) {
            0: zero;
            default: accept;
        }
    }
    state zero {
        x.v = 0xee;
        transition accept;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    one() sub;
    state start {
        b.extract(h.h);
        sub.apply(b, h.s[0]);
        sub.apply(b, h.s[2]);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
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
