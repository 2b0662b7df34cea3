// Struct expressions by position, by name, nested, with a type name, and with ... for what is left at its default.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> e;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}
struct four_t {
    pair_t p;
    pair_t q;
}

struct Headers {
    h_t h;
}

struct Meta { }

const pair_t DEFAULT = { x = 7, y = 8 };

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
    four_t f;
    pair_t g;
    apply {
        sm.egress_spec = 1;

          f = { p = { y = h.h.a, x = 1 }, q = (pair_t){ 3, 4 } };
          g = DEFAULT;
          h.h.b = f.p.x ++ 4w0 == 12w0x010 ? f.p.y : 0;
          h.h.c = f.q.x + f.q.y;
          h.h.d = g.x * 16 + g.y;
          g = { x = 5, ... };
          h.h.e = g.x + g.y;
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
