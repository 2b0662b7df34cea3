// exit in the action of a table of a sub-control: the variables lent to it are copied back.

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

control sub(inout bit<8> x, in bit<8> k) {
    action stop(bit<8> v) {
        x = x + v;
        exit;
    }
    table t {
        key = {
            k: exact;
        }
        actions = {
            stop;
            NoAction;
        }
        const entries = {
            1: stop(0x10);
        }
        default_action = NoAction();
    }
    apply {
        x = x + 1;
        t.apply();
        x = x + 1;
    }
}

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
    sub() s;
    apply {
        sm.egress_spec = 1;
        s.apply(h.h.b, h.h.a);
        h.h.c = 1;
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
