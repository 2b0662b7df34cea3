// select over sums, concatenations, casts, conditionals, validity and constants.

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
        transition select(h.h.a + 1, h.h.b[3:0] ++ 4w1, (bit<4>)h.h.c, h.h.isValid(), h.h.a == 1 ? 8w1 : 8w2) {
            (2, 0x21, 3, true, 1): ok;
            default: reject;
        }
    }
    state ok {
        transition select(8w5) {
            5: ok2;
        }
    }
    state ok2 {
        transition select(h.h.a, h.h.b) {
            (1, 2) : accept;
            (_, _) : reject;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error != error.NoError) sm.egress_spec = 2;
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
