// Words that mean something elsewhere name states, tables, actions and variables.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> key;
    bit<8> actions;
    bit<8> state;
    bit<8> apply;
}

struct S {
    bit<8> entries;
    bit<8> size;
    bit<8> type;
    bit<8> priority;
    bit<8> list;
    bit<8> in_;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition select(h.h.key) {
            1: apply;
            default: accept;
        }
    }
    state apply {
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> entries;
    bit<8> size = 1;
    bit<8> priority = 2;
    bit<8> switch_ = 3;
    bit<8> list = 1;
    action key(bit<8> actions) { }
    table state {
        key = {
            h.h.key : exact @name("key");
            h.h.apply: exact;
        }
        actions = {
            key;
            NoAction;
        }
        size = 5;
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        state.apply();
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
