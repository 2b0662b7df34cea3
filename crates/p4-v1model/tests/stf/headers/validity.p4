// Only valid headers are emitted; setValid and setInvalid change that at run time.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> what;
}

header x_t {
    bit<8> v;
}
header y_t {
    bit<16> v;
}

struct Headers {
    h_t h;
    x_t x;
    y_t y;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          if (h.h.what == 1) {
              h.y.setValid();
              h.y.v = 0xbeef;
          } else if (h.h.what == 2) {
              h.x.setInvalid();
          } else if (h.h.what == 3) {
              h.x.setInvalid();
              h.y.setValid();
              h.y.v = h.y.isValid() && !h.x.isValid() ? 16w1 : 0;
              h.x.setValid();
              h.x.v = 7;
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
