// Constants and initialized variables of a parser; blocks and empty statements in a state.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }
bit<8> f(in bit<8> x) {
    return x + 4;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    const bit<8> K = 7;
    bit<8> loc = 3;
    state start {
        b.extract(h.h);
        bit<8> t = f(h.h.a);
        h.h.a = t;
        if (t == 5) {
            h.h.c = loc + 3;
        } else {
            h.h.c = 0;
        }
        {
            bit<8> u = K;
            h.h.d = u;
        } ;
        transition next;
    }
    state next {
        loc = 4;
        transition select(loc == 4) {
            true: accept;
            false: reject;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
