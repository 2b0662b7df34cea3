// exit in an action ends the condition that applied its table, too.

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
    action stop() {
        h.h.b = 1;
        exit;
    }
    action go() {
        h.h.b = 2;
    }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            stop;
            go;
        }
        const entries = {
            1: stop();
        }
        const default_action = go();
    }
    apply {
        sm.egress_spec = 1;
        if (t.apply().hit) {
            h.h.b = 0x11;
        } else {
            h.h.b = h.h.b + 0x20;
        }
        h.h.a = 0xaa;
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
