// entries without a priority follow the one before by priority_delta; the smallest wins where largest_priority_wins is false.

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
    action set(bit<8> v) {
        h.h.d = v;
    }
    table t {
        key = {
            h.h.a : ternary;
        }
        actions = {
            set;
        }
        largest_priority_wins = false;
        priority_delta = 10;
        entries = {
            priority = 20: 1 &&& 1: set(6);
            const priority = 5: 0x01 &&& 0x0f: set(7);
            0x05: set(8);
            const 3: set(9);
        }
        default_action = set(1);
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
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
