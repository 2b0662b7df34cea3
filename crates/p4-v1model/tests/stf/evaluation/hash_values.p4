// Hash values: crc16/arc("1234")=14ba crc32("1234")=9be3e0a3.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<32> a;
    bit<16> c;
    bit<32> d;
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

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        hash(h.h.c, HashAlgorithm.crc16, 16w0, { h.h.a }, 32w65536);
        hash(h.h.d, HashAlgorithm.crc32, 32w0, { h.h.a }, 64w0x100000000);
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
