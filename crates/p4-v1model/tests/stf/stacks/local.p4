// Local header and stack variables: copies, validity and pop_front.

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
    h_t loc;
    h_t[2] ls;
    apply {
        sm.egress_spec = 1;
        h_t t = h.h;
        t.c = 9;
        if (loc.isValid()) h.h.a = 0xee;
        loc = t;
        ls[0] = loc;
        ls[1].setValid();
        ls[1].d = 9;
        h.h.c = ls[0].c;
        h.h.d = ls[1].d;
        ls.pop_front(1);
        if (ls[1].isValid()) h.h.a = 0xdd;
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
