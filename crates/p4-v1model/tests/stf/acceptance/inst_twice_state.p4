// Inst twice state: 3+2-2+2+1 = 6: a control starts its locals anew each time.

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

control c(inout bit<8> x) {
    bit<8> k = 2;
    apply {
        x = x + k;
        k = k + 1;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    c() i;
    c() j;
    apply {
        sm.egress_spec = 1;
        i.apply(h.h.c);
        h.h.c = h.h.c - 2;
        i.apply(h.h.c);
        j.apply(h.h.d);
        h.h.c = h.h.c + 1;
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
