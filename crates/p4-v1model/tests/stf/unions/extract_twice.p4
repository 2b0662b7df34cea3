// Extracting another member of a union makes the first invalid.

#include <core.p4>
#include <v1model.p4>
header a_t {
    bit<8> x;
}

header c_t {
    bit<16> y;
}

header h_t {
    bit<8> k;
}

header_union u_t {
    a_t a;
    c_t c;
}

struct Headers {
    h_t h;
    u_t u;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.u.a);
        b.extract(h.u.c);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.u.a.isValid()) h.h.k = 9;
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
