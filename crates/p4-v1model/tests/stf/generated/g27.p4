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
s_t f5(out s_t p1, out bit<8> p2, inout bit<8> p3) {
    for (bit<8> i4 in 8w0..8w3) {
    }
    return p1;
}
void f7(out bit<16> p6) {
    if ((((8w2)[2:0] ++ (8w2)[7:3]) == (8w222 * 8w0))) {
    }
}
bit<8> f9(out bit<8> p8) {
    if (((8w3 < 8w128) || ((p8 < 8w3) || (p8 != p8)))) {
        if (((8w1 |+| p8) == p8)) {
        }
    }
    if (((!(p8 != p8)) && ((8w3 == p8) && (8w77 != p8)))) {
        if (((8w2 |-| p8) == (p8 + p8))) {
        } else {
            p8 = (((p8 & p8) == (-p8)) ? ((8w2 == p8) ? (p8 | p8) : (-p8)) : (8w2 + (-p8)));
            p8 = (((p8)[4:0] ++ (p8)[7:5]) * p8);
        }
        p8 = ((p8)[4:0] ++ (p8)[7:5]);
    } else {
        if ((!((8w128 < p8) && (8w128 == p8)))) {
            p8 = (-((16w51401)[11:4] | (p8 << p8)));
        }
        p8[7:3] = ((((bit<16>)(p8)))[11:4])[4:0];
        switch ((p8 & 8w7)) {
            1: {
                p8 = ((-(p8 * p8)) * ((16w58289)[11:4] << (8w128 ^ p8)));
            }
            0: {
            }
            default: {
            }
        }
    }
    return ((-p8) + (p8 + p8));
}
control C13(out bit<16> p10, out s_t p11, inout bit<16> p12) {
    bit<8> l14 = 227;
    bit<8> l15 = 105;
    action a17(in bit<8> p16) {
        if (((l14 == p16) && (!(p11.y == p16)))) {
            l14[1:0] = ((l15 & (l15 - l15)))[1:0];
            f7(p12);
            bit<8> v18 = (f9(p11.x) >> 8w9);
        } else {
            f7(p12);
            f7(p12);
            p10 = p12;
        }
        p11 = p11;
        l15 = ((8w1)[6:0] ++ (8w1)[7:7]);
    }
    action a20(bit<8> d19) {
        p11.y = f9(l15);
        l14 = f9(p11.y);
        f5(p11, l14, p11.y);
    }
    table t21 { key = { (f9(p11.y) & 8w3) : exact @name("k"); } actions = { a20; } default_action = a20(48); const entries = { 3 : a20(184); 2 : a20(109); } }
    apply {
        t21.apply();
        f9(l15);
        p11 = f5(p11, p11.y, p11.x);
        t21.apply();
        p10 = p10;
        t21.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l22 = 233;
    bit<8> l23 = 108;
    C13() inst24;
    action a28(out s_t p25, out s_t p26, inout s_t p27) {
        f9(p26.y);
        f5(p27, p25.x, hd.s[(f9(hd.h.a) & 8w3)].x);
        bit<8> v29 = f9(p26.x);
    }
    action a32(inout bit<8> p30, out bit<8> p31) {
        hd.s[3].x = (hd.h.b << 8w0);
    }
    action a34(inout s_t p33) {
        p33.x = 8w255;
        hd.w.v = (hd.w.v |+| ((bit<16>)(((8w3 != p33.x) ? l22 : 8w3))));
        a28(p33, p33, p33);
    }
    action a36(bit<8> d35) {
        hd.g.setInvalid();
        if ((f9(hd.h.b) < f9(hd.g.b))) {
            f9(l22);
        }
    }
    table t37 { actions = { a36; } default_action = a36(244); }
    apply {
    sm.egress_spec = 1;
        t37.apply();
        t37.apply();
        hd.g.setValid();
        t37.apply();
        s_t v38 = (s_t){ f9(hd.s[((8w128 | hd.s[3].x) & 8w3)].x), hd.h.a };
        f9(hd.g.b);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
