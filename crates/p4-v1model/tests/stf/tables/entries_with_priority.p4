// entries with priorities: the largest number wins, unless largest_priority_wins is false.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
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
    action set(bit<8> v) {
        h.h.r = v;
    }
    action note(bit<8> v) {
        h.h.s = v;
    }
    table t {
        key = {
            h.h.a: ternary;
        }
        actions = {
            set;
        }
        largest_priority_wins = false;
        entries = {
            priority = 10: 0x10 &&& 0xf0: set(1);
            priority = 5: 0x01 &&& 0x0f: set(2);
            priority = 20: _: set(3);
        }
        default_action = set(0);
    }
    table u {
        key = {
            h.h.a: ternary;
        }
        actions = {
            note;
        }
        entries = {
            const priority = 10: 0x10 &&& 0xf0: note(1);
            priority = 5: 0x01 &&& 0x0f: note(2);
            priority = 20: 0x22: note(3);
        }
        default_action = note(0);
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
