// Constant structs and tuples; their fields are constants.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct Headers {
    h_t h;
}

struct Meta { }

const pair_t P = { 3, 4 };
const tuple<bit<8>, pair_t> Q = { 5, { 6, 7 } };
const bit<8> SUM = P.x + P.y;

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
        h.h.a = SUM + Q[0];
        if (P.x == 3) {
            h.h.b = Q[1].y;
        }
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
