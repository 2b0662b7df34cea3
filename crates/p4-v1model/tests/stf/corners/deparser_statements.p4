// A deparser may have conditions and locals; emitting an invalid header emits nothing.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.x);
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
    apply { }
}

control deparser(packet_out b, in Headers h) {
    apply {
        if (h.h.a == 1) {
            b.emit(h.x);
            b.emit(h.h);
        } else {
            b.emit(h.h);
            if (h.x.v != 0) {
                b.emit(h.x);
            }
        }
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
