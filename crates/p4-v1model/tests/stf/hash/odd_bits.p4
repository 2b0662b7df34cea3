// Data that ends inside a byte is filled up with zero bits.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<12> a;
    bit<4> b;
    bit<32> r;
    bit<16> s;
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
    apply {
        sm.egress_spec = 1;
        hash(h.h.r, HashAlgorithm.identity, 32w0, { h.h.a }, 64w0x100000000);
        hash(h.h.s, HashAlgorithm.csum16, 16w0, { h.h.b, h.h.a }, 32w0x10000);
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
