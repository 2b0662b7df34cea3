// Slices and members of parentheses, calls and struct expressions; doubled unary operators.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }
struct S {
    bit<8> x;
    bit<8> y;
}

bit<8> f(in bit<8> x) {
    return x;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.c = 4w0 ++ (h.h.a + h.h.a + 4)[3:0];
        h.h.d = ((S){ 9, 8 }).x;
        h.h.a = 6w0 ++ f(h.h.a + 2)[1:0];
        h.h.b = (8w1 << 2)[7:0];
        bit<8> q = h.h.a == 0 ? 8w1 : h.h.b == 0 ? 8w2 : 3;
        h.h.a = -(-q);
        h.h.b = ~~h.h.b;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
