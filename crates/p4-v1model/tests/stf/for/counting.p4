// for with initializer, condition and update; break and continue.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> n;
    bit<8> sum;
    bit<8> rounds;
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

          bit<8> rounds = 0;
          h.h.sum = 0;
          for (bit<8> i = 0; i < h.h.n; i = i + 1) {
              rounds = rounds + 1;
              if (i == 2) {
                  continue;
              }
              if (i == 5) {
                  break;
              }
              h.h.sum = h.h.sum + i;
          }
          h.h.rounds = rounds;
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
