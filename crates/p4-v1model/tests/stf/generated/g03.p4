// A random program; what it gives was found by an interpreter of its text, written apart from the machines.

#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
header w_t { bit<16> v; }
header e_t { bit<8> x; }
struct s_t { bit<8> x; bit<8> y; }
struct Headers { h_t h; h_t g; w_t w; e_t[4] s; }
struct Meta { }
parser p(packet_in b, out Headers hd, inout Meta m, inout standard_metadata_t sm) {
    state start { b.extract(hd.h); b.extract(hd.g); b.extract(hd.w); b.extract(hd.s.next); b.extract(hd.s.next); b.extract(hd.s.next); b.extract(hd.s.next); transition accept; }
}
control vrfy(inout Headers h, inout Meta m) { apply { } }
bit<8> f3(inout s_t p1) {
    p1.y = (-(p1.x << (p1.y |-| p1.y)));
    if (((-8w128) < ((8w128 != p1.y) ? p1.y : p1.x))) {
        return p1.y;
    }
    bit<8> v2 = (((bit<16>)(p1.y)))[11:4];
    v2[7:4] = (p1.y)[3:0];
    return ((16w17184)[11:4] * (8w3 | p1.y));
}
void f7(in bit<8> p4, in bit<16> p5, in bit<8> p6) {
    if (((p4 ^ p4) == (8w1 + p4))) {
    }
}
control C11(inout bit<8> p8, out h_t p9, out s_t p10, inout Headers hd) {
    bit<8> l12 = 131;
    bit<8> l13 = 142;
    action a15(in h_t p14) {
        p10 = p10;
        l13 = ((f3(p10) + hd.h.b) ^ ((hd.s[((hd.h.a - l12) & 8w3)].x >> p8) | f3(p10)));
        p10.x[3:3] = ((hd.h.b | ((l12 != 8w2) ? p8 : p8)))[0:0];
    }
    action a18(out h_t p16, inout bit<8> p17) {
        return;
    }
    action a20(in bit<8> p19) {
        hd.h.b = (p10.y >> (f3(p10) << f3(p10)));
        a15(p9);
    }
    action a22(bit<8> d21) {
        l12 = f3(p10);
        bit<16> v23 = hd.w.v;
        hd.h.a = ((f3(p10) < f3(p10)) ? hd.h.b : (((l13 < 8w87) ? p10.x : l12) |-| 8w2));
    }
    table t24 { key = { ((f3(p10) << 8w1) & 8w3) : exact @name("k"); } actions = { a22; } default_action = a22(2); const entries = { 0 : a22(176); 3 : a22(250); } }
    apply {
        hd.h.a = f3(p10);
        p10 = (s_t){ ((hd.h.b << hd.h.a) - (hd.w.v)[11:4]), (f3(p10) |-| 8w255) };
        hd.g.setInvalid();
        t24.apply();
        p8 = (((8w0 | p10.y) != (hd.s[(((p10.x != hd.h.b) ? p10.x : p10.y) & 8w3)].x ^ hd.s[2].x)) ? (16w53262)[11:4] : (hd.h.a | f3(p10)));
        hd.g.setInvalid();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l25 = 95;
    bit<8> l26 = 82;
    C11() inst27;
    action a29(out h_t p28) {
        bit<8> v30 = (l25 & 8w7);
        hd.g.setValid();
    }
    action a32(out bit<16> p31) {
        hd.h.b = ((hd.h.a < 8w2) ? hd.h.a : ((hd.s[(8w2 & 8w3)].x * hd.h.a) |-| (hd.h.a + hd.h.a)));
        if ((((8w2 >= hd.h.a) ? hd.s[((8w3 << 8w8) & 8w3)].x : hd.h.b) == (hd.h.a + hd.s[(8w7 & 8w3)].x))) {
            l26[4:4] = (((hd.s[((hd.s[(8w7 & 8w3)].x + l26) & 8w3)].x << 8w11) & (l25 |+| 8w255)))[0:0];
            hd.w.v = p31;
            f7(hd.h.b, ((bit<16>)(hd.h.a)), l26);
            a29(hd.g);
        } else {
            a29(hd.g);
        }
    }
    action a34(bit<8> d33) {
        a32(hd.w.v);
        hd.g.setInvalid();
        if ((hd.h.b >= l26)) {
        } else {
            for (bit<8> i35 in 8w0..8w2) {
                a32(hd.w.v);
                hd.s[0].x = ((8w255 ^ (8w1 * 8w2)) + 8w7);
            }
            hd.h.a = ((8w7 ++ (l25 << 8w0)))[11:4];
        }
    }
    table t36 { key = { ((8w7 >> 8w1) & 8w3) : exact @name("k"); } actions = { a34; } default_action = a34(227); const entries = { 2 : a34(223); 0 : a34(158); } }
    apply {
    sm.egress_spec = 1;
        t36.apply();
        t36.apply();
        bit<16> v37 = hd.w.v;
        hd.h.b = 8w7;
        hd.w.v = (hd.w.v |+| 16w61490);
        return;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
