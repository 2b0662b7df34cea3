// Shadow.

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
const bit<8> x = 3;
action glob(inout bit<8> h) {
    h = 0xaa;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> x = 5;
    action a(inout bit<8> y) {
        bit<8> x = y;
        {
            bit<8> x = 7;
            y = x;
        }
        y = x;
    }
    apply {
        sm.egress_spec = 1;
        bit<8> h_ = 1;
        {
            bit<8> x = 1;
            glob(h.h.c);
        }
        a(h.h.a);
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
