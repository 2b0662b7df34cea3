// Apply in switch table in case.

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

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action a1() {
        h.h.c = 10;
    }
    action a2() {
        h.h.d = 11;
    }
    table t {
        actions = {
            a1;
            a2;
        }
        default_action = a1;
    }
    table u {
        actions = {
            a2;
        }
        default_action = a2();
    }
    apply {
        sm.egress_spec = 1;
        switch (t.apply().action_run) {
            a1: {
                switch (u.apply().action_run) {
                    a2: { }
                    default: {
                        h.h.a = 0;
                    }
                }
            }
            a2: {
                h.h.a = 0xee;
            }
        }
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
