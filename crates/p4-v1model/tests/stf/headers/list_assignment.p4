// A list or struct expression assigned to a header makes it valid; {#} makes it invalid.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
}

struct Headers {
    h_t h;
    h_t i;
    h_t j;
    h_t k;
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
        h.i = { h.h.a + 1, 2 };
        h.j = { b = h.h.b, a = 9 };
        h.k = { 1, 1 };
        h.k = {#};
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
