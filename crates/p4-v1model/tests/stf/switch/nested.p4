// A switch within a switch, conditions and exits in its bodies.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
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
    apply {
        sm.egress_spec = 1;

          switch (h.h.a) {
              1: {
                  switch (h.h.b) {
                      1: { h.h.r = 0x11; }
                      2: { exit; }
                      default: { h.h.r = 0x1d; }
                  }
                  h.h.b = 0xbb;
              }
              2: {
                  if (h.h.b == 0) {
                      return;
                  }
                  h.h.r = 0x20;
              }
              default: { h.h.r = 0xdd; }
          }
          h.h.a = 0xaa;
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
