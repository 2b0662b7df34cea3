// Several updates run in their order: the later sees the earlier.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
    bit<16> s1;
    bit<16> s2;
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
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply {
        update_checksum(true, { h.h.a }, h.h.s1, HashAlgorithm.csum16);
        update_checksum(h.h.a != 0, { h.h.a, h.h.s1 }, h.h.s2, HashAlgorithm.csum16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
