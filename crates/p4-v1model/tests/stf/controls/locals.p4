// Locals of a control are initialised each time it is applied; inner ones hide outer ones.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta { }

control count(out bit<8> n) {
    bit<8> x = 1;
    apply {
        x = x + 1;
        n = x;
    }
}

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
    count() c;
    bit<8> x = 5;
    apply {
        sm.egress_spec = 1;

          c.apply(h.h.a);
          c.apply(h.h.b);
          {
              bit<8> x = 9;
              x = x + 1;
              h.h.c = x;
          }
          if (x == 5) {
              bit<8> y = h.h.c;
              h.h.c = y + x;
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
