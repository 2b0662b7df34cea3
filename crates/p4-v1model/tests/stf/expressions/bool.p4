// Booleans in variables, comparisons and conditions.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
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
    bool big;
    bool odd;
    apply {
        sm.egress_spec = 1;

          big = h.h.a > 100;
          odd = h.h.a[0:0] == 1;
          h.h.r = 0;
          if (big == odd) { h.h.r = h.h.r | 1; }
          if (big != odd) { h.h.r = h.h.r | 2; }
          if (big == true && !odd) { h.h.r = h.h.r | 4; }
          odd = !odd || big;
          h.h.r = h.h.r | (odd ? 8w16 : 0);
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
