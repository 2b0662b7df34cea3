// Keys are evaluated before the action runs; a second apply sees what the first changed.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
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
    action next(bit<8> v) {
        h.h.a = v;
        h.h.r = h.h.r + 1;
    }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            next;
            NoAction;
        }
        const entries = {
            1: next(2);
            2: next(3);
            3: next(1);
        }
        default_action = NoAction();
    }
    table u {
        key = {
            h.h.a: exact;
        }
        actions = {
            next;
            NoAction;
        }
        const entries = {
            2: next(0x22);
            3: next(0x33);
        }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        u.apply();
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
