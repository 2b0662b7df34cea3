// A varbit is as much of the data of a checksum as it has bits; slices and an odd number of bytes may be data, too.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> length;
    bit<8> wrong;
    bit<16> sum;
    bit<16> a;
}

header v_t {
    varbit<64> bits;
}

struct Headers {
    h_t h;
    v_t v;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.v, (bit<32>)h.h.length * 8);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply {
        verify_checksum(true, { h.h.length, h.h.a[15:8], h.h.a[7:0], h.v.bits }, h.h.sum, HashAlgorithm.csum16);
    }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.wrong = (bit<8>)sm.checksum_error;
        h.h.a = h.h.a + 1;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply {
        update_checksum(true, { h.h.length, h.h.a, h.v.bits }, h.h.sum, HashAlgorithm.csum16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
