// Constants of all types: concatenations, slices, casts, comparisons, tuples and structs, computed at compile time.

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
const bit<8> y = 0x5a;
const bit<8> x = y[3:0] ++ 4w3;
const int N = 3;
const int M2 = N * 2 + (1 << 4) - 16;
const bit<(N+5)> z = (bit<(8)>)M2;
typedef bit<(N * 2 + 2)> T_;
const bool tt = N > 2 && !(M2 == 5);
const T_ w = tt ? x : 8w0;
const bit<16> big = (bit<16>)y << 3;
const int<8> neg = -8s5;
const bit<8> c8 = 8w255 & ~8w1;
const tuple<bit<8>, bit<8>> tp = {1, 2};
const bit<8> tq = tp[1];
const bit<4> sl = y[7:4];
struct CS {
    bit<8> a;
    bool b;
}

const CS cs = { 3, true };
const bit<8> csa = cs.a;
const CS cs2 = { b = false, a = 7 };

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
        h.h.a = w[3:0] ++ (bit<4>)x[7:4];
        h.h.b = z;
        if (cs.b && !cs2.b && cs2.a == 7 && tq == 2 && sl == 5 && neg == -5) {} else {
            h.h.c = 0xee;
        }
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
