// A register keeps its values from packet to packet; it starts at zero.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> i;
    bit<32> v;
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
    register<bit<32>>(8) r;
    apply {
        sm.egress_spec = 1;
        bit<32> t;
        r.read(t, (bit<32>)h.h.i);
        t = t + h.h.v;
        r.write((bit<32>)h.h.i, t);
        h.h.v = t;
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
