// hash(): base + function(data) % max.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<32> data;
    bit<16> crc16;
    bit<32> crc32;
    bit<16> sum;
    bit<16> xor;
    bit<32> id;
    bit<8> small;
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

          hash(h.h.crc16, HashAlgorithm.crc16, 16w0, { h.h.data }, 32w0x10000);
          hash(h.h.crc32, HashAlgorithm.crc32, 32w0, { h.h.data[31:16], h.h.data[15:0] }, 64w0x100000000);
          hash(h.h.sum, HashAlgorithm.csum16, 16w0, { h.h.data }, 32w0x10000);
          hash(h.h.xor, HashAlgorithm.xor16, 16w0, { h.h.data }, 32w0x10000);
          hash(h.h.id, HashAlgorithm.identity, 32w0, { h.h.data }, 64w0x100000000);
          hash(h.h.small, HashAlgorithm.identity, 8w10, { h.h.data }, 8w7);
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
