// Explicit type arguments of externs, their brackets closed together.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<32> data;
    bit<16> r;
    bit<8> v;
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
    register<bit<8>>(4) reg;
    meter(2, MeterType.bytes) m1;
    apply {
        sm.egress_spec = 1;
        hash<bit<16>, bit<16>, tuple<bit<32>>, bit<32>>(h.h.r, HashAlgorithm.crc16, 0, { h.h.data }, 0x10000);
        bit<2> c;
        m1.execute_meter<bit<2>>(0, c);
        h.h.v = (bit<8>)c + 1;
        reg.write(0, h.h.v);
        random<bit<8>>(h.h.v, 7, 7);
        digest<tuple<bit<8>>>(1, { h.h.v });
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
