// exit in an action ends ingress; what was written before it stays, egress and deparser run.

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
        h.h.b = 0x11;
        exit;
        h.h.b = 0x22;
    }
    action go() {
        h.h.b = 0x33;
    }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            stop;
            go;
        }
        const default_action = go();
        const entries = {
            1: stop();
        }
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        h.h.a = 0xaa;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        h.h.c = 0xee;
    }
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
