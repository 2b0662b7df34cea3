// Hit forms.

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
    action a() {}
    table t {
        key = {
            h.h.a : exact;
        }
        actions = {
            a;
            NoAction;
        }
        const entries = {
            1 : a();
        }
        const default_action = NoAction;
    }
    table u {
        key = {
            h.h.a : exact;
        }
        actions = {
            a;
        }
        const entries = {
            2 : a();
        }
    }
    apply {
        sm.egress_spec = 1;
        bool x = t.apply().hit;
        bool y = u.apply().miss;
        if (x && y && !u.apply().hit || t.apply().miss) h.h.d = 9;
        h.h.c = t.apply().hit ? 8w3 : 8w7;
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
