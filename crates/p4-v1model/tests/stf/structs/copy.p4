// Structs are values: an assignment copies all that is in them.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct in_t {
    bit<8> x;
    bit<8> y;
}
struct out_t {
    in_t one;
    in_t two;
    bool flag;
}

struct Headers {
    h_t h;
}

struct Meta {
    out_t s;
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
    out_t t;
    apply {
        sm.egress_spec = 1;

          m.s.one = { h.h.a, h.h.b };
          m.s.two = m.s.one;
          m.s.one.x = 0x11;
          m.s.flag = true;
          t = m.s;
          m.s.two.y = 0x22;
          h.h.a = t.one.x;
          h.h.b = t.two.x;
          h.h.c = t.flag ? t.two.y : m.s.two.y;
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
