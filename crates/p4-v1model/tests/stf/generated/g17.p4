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
s_t f4(in bit<8> p1, out s_t p2, out h_t p3) {
    p2 = p2;
    return p2;
}
void f8(out bit<8> p5, inout s_t p6, inout s_t p7) {
    p6.x[0:0] = ((((8w255)[6:0] ++ (8w255)[7:7]) & (p5 ^ p7.x)))[0:0];
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 15;
    bit<8> l10 = 137;
    action a13(inout bit<8> p11, inout bit<8> p12) {
        switch (((-hd.s[(((hd.h.a == 8w2) ? hd.h.b : 8w2) & 8w3)].x) & 8w7)) {
            0: {
                hd.w.v = ((bit<16>)(8w153));
            }
            1: {
                hd.h.a = (-(-(p11 | 8w11)));
                if (((8w2 |-| hd.h.b) != ((hd.h.b != hd.s[((hd.h.a + hd.s[3].x) & 8w3)].x) ? hd.h.b : hd.s[2].x))) {
                    hd.s[1].x = (hd.h.a |+| ((hd.w.v)[11:4] >> hd.s[((hd.s[0].x - 8w2) & 8w3)].x));
                } else {
                    p12 = (-8w1);
                }
            }
            default: {
                hd.w.v = ((bit<16>)((-l10)));
                if (((8w128 == p11) || (8w140 != hd.h.a))) {
                }
            }
        }
        for (bit<8> i14 in 8w0..8w2) {
            s_t v15 = (s_t){ 8w1, 8w2 };
            break;
            hd.g.setValid();
            return;
        }
    }
    action a18(out bit<16> p16, inout s_t p17) {
        hd.g.setValid();
        p17 = f4((((bit<16>)(l9)))[11:4], p17, hd.h);
    }
    action a20(bit<8> d19) {
        for (bit<8> i21 in 8w0..8w2) {
            for (bit<8> i22 in 8w0..8w3) {
                hd.s[(d19 & 8w3)].x = ((i21)[0:0] ++ (i21)[7:1]);
                l10 = (8w2 << 8w7);
            }
            if (((-8w1) < 8w14)) {
            } else {
                hd.w.v = (((hd.s[(hd.h.b & 8w3)].x |-| 8w3) |+| (-hd.s[2].x)) ++ (hd.s[1].x + ((hd.h.a)[3:0] ++ (hd.h.a)[7:4])));
                return;
                hd.s[((8w2 | hd.h.b) & 8w3)].x = (hd.g.isValid() ? (8w2 |+| (8w128 | hd.h.b)) : hd.h.b);
            }
            for (bit<8> i23 in 8w0..8w3) {
            }
            if ((i21 == (8w36 |-| hd.h.b))) {
                hd.w.v = ((bit<16>)(((l9)[3:0] ++ (l9)[7:4])));
            }
        }
        a13(hd.h.a, hd.h.a);
        for (bit<8> i24 in 8w0..8w3) {
            l10 = (-((i24 == i24) ? (hd.w.v)[11:4] : 8w3));
            hd.w.v = hd.w.v;
            if (((-hd.h.a) != l10)) {
                return;
            } else {
                s_t v25 = (s_t){ ((hd.h.b >= 8w3) ? hd.h.b : hd.h.b), 8w1 };
            }
        }
    }
    table t26 { key = { (((-hd.h.b) ^ (8w3 |+| hd.s[3].x)) & 8w3) : exact @name("k"); } actions = { a20; } default_action = a20(217); const entries = { 1 : a20(228); 3 : a20(66); } }
    action a27() {
        if (hd.g.isValid()) {
            hd.g.a = (-((hd.h.b & hd.s[((hd.w.v)[11:4] & 8w3)].x) | (-hd.h.a)));
            hd.h.b = hd.s[(((8w128 != 8w3) ? l10 : l10) & 8w3)].x;
            if ((8w85 == (8w255 | hd.s[2].x))) {
                hd.g.a = (-(((bit<16>)(hd.h.a)))[11:4]);
            } else {
                l10[6:0] = (hd.s[((8w2 & hd.h.a) & 8w3)].x)[6:0];
                hd.h.a = hd.h.b;
            }
        } else {
            exit;
        }
        hd.h.a[6:0] = (((hd.h.b < hd.h.b) ? hd.s[((hd.h.a |+| l9) & 8w3)].x : (-8w255)))[6:0];
        if (((-8w1) < (l9 |-| hd.s[((-hd.s[2].x) & 8w3)].x))) {
            if ((hd.h.b < 8w255)) {
                hd.s[1].x = hd.s[((-hd.s[3].x) & 8w3)].x;
            }
            hd.h.b = hd.h.a;
            if (((hd.h.a != l9) && (!(8w255 == hd.h.a)))) {
                hd.g.a = ((hd.w.v)[11:4] |+| l9);
                hd.s[((-8w0) & 8w3)].x = (((l9 | hd.h.b) != (hd.w.v)[11:4]) ? ((-hd.s[3].x) * (hd.h.b ^ 8w2)) : ((-hd.h.a) & (-l9)));
                hd.h.b = hd.h.a;
            } else {
                a13(l10, hd.s[0].x);
                l10 = l10;
            }
        } else {
            l9[0:0] = ((hd.w.v)[11:4])[0:0];
            l9 = (((l9 * hd.h.a) & (l10 + l9)) * ((hd.s[1].x ++ hd.s[(8w255 & 8w3)].x))[11:4]);
        }
    }
    table t28 { key = { ((hd.w.v)[11:4] & 8w3) : exact @name("k"); } actions = { a27; } default_action = a27(); const entries = { 2 : a27(); 3 : a27(); } }
    apply {
    sm.egress_spec = 1;
        hd.s[(((hd.h.b)[3:0] ++ (hd.h.b)[7:4]) & 8w3)].x = (((bit<16>)((hd.h.a & hd.s[((l9 << 8w7) & 8w3)].x))))[11:4];
        t26.apply();
        t26.apply();
        l9 = ((hd.h.a - (16w1675)[11:4]) ^ ((!(l10 < l9)) ? (-hd.h.a) : hd.s[((hd.h.a * hd.h.b) & 8w3)].x));
        t28.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
