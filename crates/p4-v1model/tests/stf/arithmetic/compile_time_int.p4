// int has no width: constants are as large as they get, and become bits where they are used.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<16> c;
    bit<8> d;
    bit<8> e;
    bit<8> f;
}

struct Headers {
    h_t h;
}

struct Meta { }

const int BIG = 1 << 100;
const int QUOTIENT = 17 / 5;
const int REST = 17 % 5;
const bit<16> WRAPPED = 16w0xffff + 2;

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
        h.h.a = BIG >> 96;
        h.h.b = (BIG - 1) % 256;
        h.h.c = WRAPPED;
        h.h.d = QUOTIENT * 16 + REST;
        h.h.e = 300 - 45;
        h.h.f = h.h.f + (5 * 3 - (1 << 3));
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
