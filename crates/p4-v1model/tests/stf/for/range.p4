// for over a range, both ends included; none where the first is greater.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> low;
    bit<8> high;
    bit<8> sum;
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
        h.h.sum = 0;
        for (bit<8> i in h.h.low .. h.h.high) {
            h.h.sum = h.h.sum + i;
        }
        for (bit<8> j in 8w1 .. 3) {
            h.h.sum = h.h.sum + 0x10;
        }
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
