// int<W>: two's complement, wrapping; comparisons look at the sign; >> copies it.

#include <core.p4>
#include <v1model.p4>

header h_t {
    int<8> a;
    int<8> b;
    int<8> sum;
    int<8> product;
    int<8> right;
    int<8> left;
    bit<8> compared;
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

          h.h.sum = h.h.a + h.h.b;
          h.h.product = h.h.a * h.h.b;
          h.h.right = h.h.a >> 1;
          h.h.left = h.h.a << 1;
          h.h.compared = 0;
          if (h.h.a < h.h.b) { h.h.compared = h.h.compared | 1; }
          if (h.h.a <= h.h.b) { h.h.compared = h.h.compared | 2; }
          if (h.h.a > h.h.b) { h.h.compared = h.h.compared | 4; }
          if ((bit<8>)h.h.a < (bit<8>)h.h.b) { h.h.compared = h.h.compared | 8; }
          if (h.h.a < 0) { h.h.compared = h.h.compared | 16; }
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
