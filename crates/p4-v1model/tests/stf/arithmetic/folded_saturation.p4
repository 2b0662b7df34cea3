// |+| and |-| of constants stay in the range of their type when they are folded.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    int<8> d;
    int<8> e;
    bit<8> f;
}

struct Headers {
    h_t h;
}

struct Meta { }

const bit<8> FULL = 8w200 |+| 8w200;

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
    apply {
        sm.egress_spec = 1;
        h.h.a = 8w250 |+| 8w18;
        h.h.b = 8w3 |-| 8w5;
        h.h.c = 8w18 |+| 8w1;
        h.h.d = 8s100 |+| 8s100;
        h.h.e = -8s100 |-| 8s100;
        h.h.f = FULL |-| 8w1;
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
