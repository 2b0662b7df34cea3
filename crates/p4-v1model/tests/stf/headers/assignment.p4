// Assigning a header copies its validity as well as its fields.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> n;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t a;
    x_t b;
    x_t c;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.a);
        transition select(h.h.n) {
            2: two;
            default: accept;
        }
    }
    state two {
        b.extract(h.b);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.c = h.b;
        h.b = h.a;
        h.a = h.c;
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
