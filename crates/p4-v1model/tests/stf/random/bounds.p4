// random() stays within its bounds, both included.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> ok;
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

          random(h.h.a, 8w5, 8w5);
          h.h.ok = 1;
          for (bit<8> i in 8w1 .. 100) {
              bit<8> t;
              random(t, 8w10, 8w12);
              if (t < 10 || t > 12) {
                  h.h.ok = 0;
              }
              if (t == 10) { h.h.b = h.h.b | 1; }
              if (t == 11) { h.h.b = h.h.b | 2; }
              if (t == 12) { h.h.b = h.h.b | 4; }
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
