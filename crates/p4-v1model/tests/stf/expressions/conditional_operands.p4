// A conditional may be an operand, an argument, an item of a list and what is sliced; its parts may be any expressions.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> e;
    bit<8> f;
    bit<8> g;
    bit<8> i;
}

struct Headers {
    h_t h;
}

struct Meta { }

struct pair_t {
    bit<8> x;
    bit<8> y;
}

bit<8> add(in bit<8> x, in bit<8> y) {
    return x + y;
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
        bool small = h.h.a < 8;
        h.h.b = !small ? h.h.a[7:4] ++ h.h.a[3:0] : h.h.a + 1;
        h.h.c = small ? -h.h.a : ~h.h.a;
        h.h.d = -(small ? h.h.a : 8w5) + (bit<8>)-h.h.a[7:4];
        h.h.e = 4w0 ++ (small ? 8w0x3c : h.h.a)[5:2];
        h.h.f = add(small ? h.h.a : 8w1, -h.h.a);
        pair_t p = { small ? 8w1 : 8w2, -h.h.a };
        pair_t q = { (small ? h.h.a : 8w7) + 1, (h.h.a ++ h.h.a)[11:4] };
        bit<4> nibble = small ? h.h.a[3:0] : (-h.h.a)[7:4];
        h.h.g = p.x + p.y + q.x + q.y;
        h.h.i = nibble ++ ((bit<16>)h.h.a)[7:4];
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
