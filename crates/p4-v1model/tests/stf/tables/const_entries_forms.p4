// const entries: default, a constant or parentheses as key, a cast, none at all.

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

const bit<8> NINE = 9;

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action s(bit<8> v) {
        h.h.d = v;
    }
    table t {
        key = {
            h.h.a : ternary;
        }
        actions = {
            s;
            NoAction;
        }
        const entries = {
            8w1 &&& 8w0x7f : s(9);
            (1) : s(2);
            NINE: s(4);
            default : s(3);
        }
    }
    table u {
        key = {
            h.h.a : exact;
        }
        actions = {
            s;
            NoAction;
        }
        const entries = { }
        default_action = NoAction;
    }
    table w {
        key = {
            h.h.a : exact;
            h.h.b : exact;
        }
        actions = {
            s;
        }
        const entries = {
            (5, 6) : s(1) ;
            (7, (bit<8>)8) : s(2);
        }
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        u.apply();
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
