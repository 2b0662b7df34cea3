// == on structs, tuples and headers compares everything; two invalid headers are equal, whatever is in them.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

header e_t {
    bit<8> x;
}
struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct Headers {
    h_t h;
    e_t e;
    e_t f;
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
    pair_t s;
    pair_t t;
    apply {
        sm.egress_spec = 1;

          s = { h.h.a, 1 };
          t = { 1, h.h.b };
          h.h.r = 0;
          if (s == t) { h.h.r = h.h.r | 1; }
          if (s != t) { h.h.r = h.h.r | 2; }
          if (h.e == h.f) { h.h.r = h.h.r | 4; }
          h.e.setValid();
          h.e.x = h.h.a;
          if (h.e == h.f) { h.h.r = h.h.r | 8; }
          h.f.setValid();
          h.f.x = h.h.b;
          if (h.e == h.f) { h.h.r = h.h.r | 16; }
          h.e.setInvalid();
          h.f.setInvalid();
          if (h.e == h.f) { h.h.r = h.h.r | 32; }
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
