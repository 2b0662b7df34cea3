// Words that mean something elsewhere are names here: type, state, key, actions, apply, entries, priority, list.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> type;
    bit<8> state;
    bit<8> key;
    bit<8> actions;
    bit<8> apply;
    bit<8> entries;
    bit<8> priority;
    bit<8> list;
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
    action set(bit<8> key) {
        h.h.state = key;
    }
    table t {
        key = {
            h.h.key: exact;
            h.h.type: exact;
        }
        actions = {
            set;
            NoAction;
        }
        const entries = {
            (3, 1): set(9);
        }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        bit<8> key = h.h.type + h.h.apply;
        h.h.list = key;
        h.h.entries = h.h.priority + h.h.actions;
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
