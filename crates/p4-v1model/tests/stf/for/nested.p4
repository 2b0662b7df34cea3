// Loops in loops; break leaves the inner one; several variables and updates.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> sum;
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

          h.h.sum = 0;
          for (bit<8> i = 0, bit<8> j = 10; i < j; i = i + 1, j = j - 2) {
              for (bit<8> k in 8w0 .. 9) {
                  if (k == i) {
                      break;
                  }
                  h.h.sum = h.h.sum + 1;
              }
          }
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
