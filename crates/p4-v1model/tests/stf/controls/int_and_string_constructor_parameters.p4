// Constructor parameters of type int, bool and string.

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

control c(inout bit<8> x)(int n, bool b, string s) {
    apply {
        if (b) x = x + n - 2;
    }
}

const int N = -3;
const int Q = 5 / 2;
const int R = 7 % 4;
const int S_ = 1 << 10;
const int P = N * N - (Q | R) & 0xff;
const bool bb = N < 0 && Q == 2 || false;
const int mx = N > Q ? N : Q;

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    c(2, true, "x") c1;
    apply {
        sm.egress_spec = 1;
        c1.apply(h.h.a);
        bit<8> z = mx;
        if (z != 2 || !bb) h.h.a = 9;
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
