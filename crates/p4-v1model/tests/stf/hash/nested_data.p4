// Data of a hash: headers, structs, tuples, constants and expressions, one after another.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<32> r;
    bit<32> s;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}
header two_t {
    bit<8> p;
    bit<8> q;
}

struct Headers {
    h_t h;
    two_t t;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.t);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        pair_t p = { h.h.a, h.h.b };
        tuple<pair_t, bit<16>> u = { p, h.t.p ++ h.t.q };
        hash(h.h.r, HashAlgorithm.crc32, 32w0, { p, h.t }, 64w0x100000000);
        hash(h.h.s, HashAlgorithm.crc32, 32w0, u, 64w0x100000000);
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
