// Value sets of bits, tuples and structs start empty; @name gives one its name.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct S {
    @match(ternary) bit<8> x;
    @match(exact) bit<8> y;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    value_set<bit<8>>(4) pvs;
    value_set<tuple<bit<8>, bit<8>>>(4) tvs;
    value_set<S>(4) svs;
    @name("x") value_set<bit<16>>(2) q;
    state start {
        b.extract(h.h);
        transition select(h.h.a) {
            pvs: bits;
            default: two;
        }
    }
    state bits {
        h.h.d = 0xb1;
        transition accept;
    }
    state tuples {
        h.h.d = 0xb2;
        transition accept;
    }
    state structs {
        h.h.d = 0xb3;
        transition accept;
    }
    state words {
        h.h.d = 0xb4;
        transition accept;
    }
    state two {
        transition select(h.h.a, h.h.b) {
            tvs: tuples;
            svs: structs;
            _: three;
        }
    }
    state three {
        transition select(h.h.c ++ h.h.d) {
            q: words;
            _: accept;
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
