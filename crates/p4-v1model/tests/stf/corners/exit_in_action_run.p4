// exit in a body of a switch over action_run, and in the action itself.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
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
    action one() {
        h.h.b = 1;
    }
    action two() {
        h.h.b = 2;
        exit;
    }
    action three() { }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            one;
            two;
            three;
        }
        const entries = {
            1: one();
            2: two();
        }
        const default_action = three();
    }
    apply {
        sm.egress_spec = 1;
        switch (t.apply().action_run) {
            one: {
                h.h.b = h.h.b + 0x10;
                exit;
            }
            two: { h.h.b = 0xff; }
            three: {
                return;
            }
        }
        h.h.a = 0xff;
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
