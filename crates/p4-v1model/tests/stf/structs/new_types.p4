// A new type as constant, struct field and table key; a typedef of it; casts to and from it.

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

type bit<8> N;

struct Meta {
    N n;
}

typedef N N2;
const N c = (N)3;
struct S {
    N n;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    table t {
        key = {
            (N)h.h.a : exact @name("a");
            m.n : ternary;
        }
        actions = {
            NoAction;
        }
        const entries = {
            ((N)1, _) : NoAction();
        }
        const default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        N n = (N)h.h.c;
        S s = { n };
        N2 q = (N2)8w3;
        if (n == c && s.n == q && t.apply().hit) h.h.d = (bit<8>)(N)(bit<8>)9;
        m.n = n;
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
