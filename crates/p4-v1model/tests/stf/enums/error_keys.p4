// Errors as constants, struct fields and table keys.

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

error { Foo }
struct S {
    error e;
    bit<8> x;
}

struct Meta {
    error e;
    S s;
}

const error K = error.Foo;

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
            m.e : exact;
            sm.parser_error : exact;
        }
        actions = {
            NoAction;
        }
        const entries = {
            (error.Foo, error.NoError) : NoAction();
        }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        m.e = K;
        m.s = { error.NoMatch, 1 };
        if (t.apply().hit && m.s.e != K) h.h.d = 5;
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
