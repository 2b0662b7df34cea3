// &, ^, | bind tighter than comparisons, shifts less than sums (the grammar's order).

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
    bit<8> s;
    bit<8> t;
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

          h.h.r = 0;
          if (h.h.a & h.h.b == 0) { h.h.r = h.h.r | 1; }
          if (h.h.a | h.h.b == 0xff) { h.h.r = h.h.r | 2; }
          if (h.h.a ^ h.h.b != 0xff && h.h.a != 0) { h.h.r = h.h.r | 4; }
          if (!(h.h.a == 1) || h.h.b == 2 && h.h.a == 3) { h.h.r = h.h.r | 8; }
          h.h.s = h.h.a + 1 << 1;
          h.h.t = h.h.a | h.h.b & 0x3 ^ 0x1;
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
