// Tuples hold values by position.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
    bit<8> r;
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
    tuple<bit<8>, bit<16>> t;
    tuple<bit<8>, tuple<bit<8>, bit<8>>> n;
    apply {
        sm.egress_spec = 1;

          t = { h.h.a + 1, h.h.b };
          n = { 1, { t[0], 3 } };
          h.h.b = t[1] + 1;
          h.h.r = n[1][0] + n[1][1];
          if (t == { h.h.a + 1, h.h.b - 1 }) { h.h.a = n[0]; }
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
