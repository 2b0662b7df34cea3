// const entries of an lpm table: the longest prefix; a range table: the first.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
    bit<8> b;
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
            h.h.a: lpm;
        }
        actions = {
            set;
        }
        const entries = {
            0x1200 &&& 0xff00: set(1);
            0x1230 &&& 0xfff0: set(2);
            0x1234: set(3);
            _: set(4);
        }
        default_action = set(0);
    }
    table u {
        key = {
            h.h.b: range;
        }
        actions = {
            note;
        }
        const entries = {
            1 .. 5: note(1);
            3 .. 9: note(2);
            20: note(3);
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
