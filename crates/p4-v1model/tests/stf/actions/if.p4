// Conditions in actions that a table runs.

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
    action f(bit<8> limit) {
        if (h.h.a > limit) {
            h.h.r = 1;
            if (h.h.a == 0xff) {
                h.h.r = 2;
            }
        } else if (h.h.a == limit) {
            h.h.r = 3;
        } else {
            h.h.r = h.h.a < 5 ? 8w4 : 5;
        }
    }
    table t {
        actions = {
            f;
        }
        default_action = f(0x20);
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
