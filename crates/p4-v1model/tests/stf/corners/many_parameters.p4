// in, inout and out of several widths through two levels of calls.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<4> a;
    bit<12> b;
    bit<48> c;
    bit<80> d;
}

struct Headers {
    h_t h;
}

struct Meta { }

void inner(in bit<4> a, inout bit<12> b, out bit<48> c, inout bit<80> d) {
    b = b + (bit<12>)a;
    c = (bit<48>)b << 36;
    d = d + (bit<80>)c;
}
void outer(inout bit<80> d, out bit<48> c, inout bit<12> b, in bit<4> a) {
    inner(a + 1, b, c, d);
    b = b + 1;
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
        outer(h.h.d, h.h.c, h.h.b, h.h.a);
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
