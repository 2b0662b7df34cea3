// Two slices of one field lent to one call: each comes back to its own bits.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
}

struct Headers {
    h_t h;
}

struct Meta { }

void swap(inout bit<4> x, inout bit<4> y) {
    bit<4> t = x;
    x = y;
    y = t;
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
        swap(h.h.a[15:12], h.h.a[3:0]);
        swap(h.h.a[11:8], h.h.a[7:4]);
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
