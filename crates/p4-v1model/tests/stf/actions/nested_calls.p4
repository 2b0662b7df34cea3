// Actions call actions, with their data and with fields; a return of the inner one does not end the outer one.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action inner(inout bit<8> x, in bit<8> y) {
        if (y == 0) {
            return;
        }
        x = x + y;
    }
    action outer(bit<8> v) {
        inner(h.h.a, v);
        inner(h.h.b, 0);
        inner(h.h.c, h.h.a);
    }
    table t {
        actions = {
            outer;
        }
        default_action = outer(5);
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
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
