// Tables in both branches of a condition, and one whose hit guards another.

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
            h.h.a: exact;
        }
        actions = {
            set;
            NoAction;
        }
        default_action = NoAction();
    }
    table u {
        key = {
            h.h.r: exact;
        }
        actions = {
            note;
            NoAction;
        }
        default_action = note(0xff);
    }
    apply {
        sm.egress_spec = 1;
        if (h.h.a > 0x10) {
            if (t.apply().hit) {
                u.apply();
            }
        } else {
            u.apply();
            t.apply();
        }
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
