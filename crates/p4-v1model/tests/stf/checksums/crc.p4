// Checksums by other functions than csum16.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<32> data;
    bit<16> a;
    bit<32> b;
    bit<16> c;
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
        update_checksum(true, { h.h.data }, h.h.a, HashAlgorithm.crc16);
        update_checksum(true, { h.h.data }, h.h.b, HashAlgorithm.crc32);
        update_checksum(true, { h.h.data }, h.h.c, HashAlgorithm.xor16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
