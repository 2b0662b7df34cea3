// A failed verify sets the error, ends the parser, and drops nothing.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta { }

error {
    TooBig,
    Odd
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        verify(h.h.a < 0x80, error.TooBig);
        verify(h.h.a[0:0] == 0, error.Odd);
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

          if (sm.parser_error == error.TooBig) {
              h.h.r = 1;
          } else if (sm.parser_error == error.Odd) {
              h.h.r = 2;
          } else if (sm.parser_error == error.NoError) {
              h.h.r = 3;
          }
          if (h.x.isValid()) {
              h.h.r = h.h.r + 0x10;
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
