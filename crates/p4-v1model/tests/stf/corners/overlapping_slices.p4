// Overlapping slices lent to one call: the last copy-out wins where they overlap.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
}

struct Headers {
    h_t h;
}

struct Meta { }

void set(out bit<8> x, out bit<8> y) {
    x = 0xab;
    y = 0xcd;
}

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
        set(h.h.a[11:4], h.h.a[7:0]);
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
