// An enum without a width: its members are compared, assigned and switched over.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
}

enum Colour {
    Red,
    Green,
    Blue
}

struct Headers {
    h_t h;
}

struct Meta {
    Colour c;
}

Colour choose(in bit<8> n) {
    if (n == 1) {
        return Colour.Green;
    }
    return n == 2 ? Colour.Blue : Colour.Red;
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
    apply {
        sm.egress_spec = 1;

          m.c = choose(h.h.a);
          if (m.c == Colour.Red) { h.h.r = 0x10; }
          switch (m.c) {
              Colour.Green: { h.h.r = 0x20; }
              Colour.Blue: { h.h.r = 0x30; }
          }
          if (m.c != Colour.Blue) { h.h.r = h.h.r + 1; }
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
