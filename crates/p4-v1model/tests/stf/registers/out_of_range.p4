// An index out of range reads 0 and writes nothing.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> i;
    bit<16> v;
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
    register<bit<16>>(4) r;
    apply {
        sm.egress_spec = 1;
        r.write((bit<32>)h.h.i, h.h.v);
        h.h.v = 0xffff;
        r.read(h.h.v, (bit<32>)h.h.i);
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
