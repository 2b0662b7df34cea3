// Branches without braces: else belongs to the nearest if; a call, exit or return may be a branch.

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
    apply {
        sm.egress_spec = 1;
        if (h.h.a == 0) if (h.h.b == 0) h.h.d = 1;
        else h.h.d = 2;
        else if (h.h.a == 1) {
            h.h.d = 9;
        } else h.h.d = 3;
        if (h.h.b == 4) mark_to_drop(sm);
        if (h.h.b == 5) exit;
        if (h.h.b == 6) return;
        else h.h.c = 7;
        h.h.a = 8;
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
