// switch on a value: the first label that equals it; labels without a body share the next one.

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

const bit<8> SIXTEEN = 16;

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
          switch (h.h.a + 1) {
              1: { h.h.r = 0x11; }
              2:
              3: { h.h.r = 0x23; }
              SIXTEEN: { h.h.r = 0x16; }
              default: { h.h.r = 0xdd; }
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
