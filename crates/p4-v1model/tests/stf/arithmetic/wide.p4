// Values of more than 64 bits carry over all their words.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<128> a;
    bit<128> b;
    bit<128> sum;
    bit<128> difference;
    bit<128> product;
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
        h.h.sum = h.h.a + h.h.b;
        h.h.difference = h.h.b - h.h.a;
        h.h.product = h.h.a * h.h.a;
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
