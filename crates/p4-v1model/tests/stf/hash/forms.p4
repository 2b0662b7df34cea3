// hash with several widths of base, maximum and result, and with headers, structs and lists as data.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct S {
    bit<3> p;
    bit<13> q;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<16> x;
    bit<32> y;
    bit<16> z;
    S s;
}

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
        hash(m.x, HashAlgorithm.crc16, (bit<16>)0, { h.h.a, h.h.b, 8w3, 4w1, 4w2 }, (bit<32>)10);
        hash(m.y, HashAlgorithm.crc32, (bit<32>)0, { h.h.a, h.h.b }, (bit<64>)1024);
        hash(m.z, HashAlgorithm.csum16, 16w0, h.h, 32w65536);
        hash(h.h.c, HashAlgorithm.identity, 8w0, {h.h.c}, 8w255);
        hash<bit<16>, bit<16>, tuple<bit<8>, bit<8>>, bit<32>>(m.x, HashAlgorithm.xor16, 0, {h.h.a,h.h.b}, 100);
        hash(m.x, HashAlgorithm.crc16_custom, 16w0, {m.s.p, m.s}, 16w100);
        random(m.x, 0, 10);
        random<bit<16>>(m.x, 16w5, 16w9);
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
