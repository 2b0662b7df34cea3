// A field lent of a header that the callee makes invalid is still copied back, and the header stays invalid.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
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
    action f(inout bit<8> v) {
        h.x.setInvalid();
        v = v + 1;
    }
    apply {
        sm.egress_spec = 1;
        f(h.x.v);
        h.h.b = h.x.isValid() ? 8w1 : 2;
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
