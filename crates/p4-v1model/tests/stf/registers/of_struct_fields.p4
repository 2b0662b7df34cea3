// A register indexed by an expression, written with one; the value read is used in the same statement list.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<32> r;
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

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    register<bit<32>>(256) r;
    action bump(in bit<8> i, out bit<32> v) {
        bit<32> t;
        r.read(t, (bit<32>)(i + 1));
        v = t + 1;
        r.write((bit<32>)(i + 1), v);
    }
    apply {
        sm.egress_spec = 1;
        bump(h.h.a, h.h.r);
        bump(h.h.a |-| 1, h.h.r);
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
