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
void f2(out h_t p1) {
    if (((8w255 >> 8w3) == 8w123)) {
    }
}
bit<8> f5(in bit<8> p3, inout bit<8> p4) {
    if ((p3 == (p4 | p4))) {
    }
    p4 = (((p3 |+| p3) - (-p4)) ^ (((bit<16>)(p3)))[11:4]);
    if (((p4 < p4) || (8w171 >= p3))) {
        if (((-p3) == ((p3)[6:0] ++ (p3)[7:7]))) {
        }
    }
    return (p4 >> (p4 + p3));
}
void f10(out bit<8> p6, inout bit<8> p7, out h_t p8) {
    s_t v9 = (s_t){ (16w42035)[11:4], f5(8w1, p6) };
    f5(p7, v9.y);
    if (((p7 ^ p7) < f5(p7, p6))) {
        v9.x = f5(f5((8w2 << 8w8), p6), p7);
        f2(p8);
    }
    f2(p8);
}
s_t f16(inout bit<8> p11, out h_t p12, inout s_t p13) {
    f5((p13.y - p13.x), p13.y);
    if ((f5(8w2, p13.x) == ((p11)[2:0] ++ (p11)[7:3]))) {
        bit<8> v14 = f5((p13.y - p13.y), p13.x);
        return p13;
    }
    bit<8> v15 = f5((p13.y & p11), p11);
    return p13;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l17 = 12;
    bit<8> l18 = 52;
    action a22(out h_t p19, in bit<8> p20, out bit<8> p21) {
        f2(hd.h);
        f10(hd.g.a, hd.s[0].x, p19);
    }
    action a24(inout bit<8> p23) {
        hd.h.a = 8w1;
        f5((l18 * hd.s[3].x), hd.s[((8w0 - hd.s[((16w43196)[11:4] & 8w3)].x) & 8w3)].x);
    }
    action a25() {
        if (((l18 >> 8w11) >= hd.s[((l18 ^ hd.h.a) & 8w3)].x)) {
            for (bit<8> i26 in 8w0..8w3) {
                f5((hd.s[((hd.w.v)[11:4] & 8w3)].x >> 8w3), l17);
            }
        } else {
            hd.s[((hd.h.b + hd.h.a) & 8w3)].x = f5(f5((hd.h.a ^ l18), l18), hd.h.a);
            l17[5:2] = ((((hd.h.a != 8w1) && (hd.s[0].x < hd.h.b)) ? (8w3 + hd.h.b) : ((8w1)[4:0] ++ (8w1)[7:5])))[3:0];
        }
        bit<8> v27 = ((8w3 | 8w0) << (hd.h.a << 8w7));
        hd.h.b = 8w3;
    }
    table t28 { actions = { a25; } default_action = a25(); }
    action a30(bit<8> d29) {
        hd.w.v = (((bit<16>)((l18 * 8w3))) |+| (f5(8w128, l18) ++ hd.h.a));
        f10(hd.h.b, hd.h.a, hd.h);
        hd.w.v = ((bit<16>)((((bit<16>)(hd.s[1].x)))[11:4]));
    }
    table t31 { key = { ((8w99 << ((8w0)[4:0] ++ (8w0)[7:5])) & 8w3) : exact @name("k"); } actions = { a30; } default_action = a30(248); const entries = { 1 : a30(208); 2 : a30(109); } }
    apply {
    sm.egress_spec = 1;
        return;
        hd.h.b = f5(((hd.h.b)[5:0] ++ (hd.h.b)[7:6]), hd.h.b);
        t31.apply();
        if ((f5(hd.s[((hd.h.a & 8w1) & 8w3)].x, hd.h.a) == (hd.w.v)[11:4])) {
            hd.h.b = f5(f5((8w1 | hd.h.a), hd.s[(f5(8w3, hd.h.b) & 8w3)].x), hd.s[(f5(l17, l17) & 8w3)].x);
            if (((hd.h.b | l18) < l17)) {
                hd.g.setValid();
            }
            if (((8w2 & hd.s[((hd.h.b >> hd.h.b) & 8w3)].x) == (hd.s[(f5(hd.s[((hd.s[(f5(hd.s[2].x, hd.h.b) & 8w3)].x | hd.h.a) & 8w3)].x, hd.s[0].x) & 8w3)].x - hd.h.a))) {
                switch (((hd.h.b |-| f5(8w3, hd.h.b)) & 8w7)) {
                    1: {
                        hd.w.v = (((hd.h.b - hd.s[((l17 + hd.s[0].x) & 8w3)].x) ^ ((hd.h.a)[6:0] ++ (hd.h.a)[7:7])) ++ (t28.apply().hit ? f5(hd.h.b, hd.h.a) : f5(l17, hd.s[1].x)));
                        exit;
                        hd.w.v = ((((hd.h.b < hd.s[1].x) ? hd.h.b : hd.h.a) >> 8w0) ++ ((hd.h.a == hd.s[1].x) ? f5(8w255, hd.h.b) : hd.s[(((hd.h.b)[5:0] ++ (hd.h.b)[7:6]) & 8w3)].x));
                        t31.apply();
                    }
                    4: {
                        t31.apply();
                    }
                    default: {
                        f10(hd.s[0].x, hd.s[0].x, hd.g);
                    }
                }
            }
        } else {
            hd.h.b = f5((((hd.h.b)[1:0] ++ (hd.h.b)[7:2]) >> f5(hd.h.a, hd.s[((hd.h.b + 8w0) & 8w3)].x)), hd.s[((hd.h.b ^ hd.h.b) & 8w3)].x);
        }
        if (hd.g.isValid()) {
            hd.h.a = (hd.w.v)[11:4];
            f5((8w2 + 8w255), l17);
            if ((t28.apply().hit || ((hd.s[0].x == hd.h.b) || (hd.h.b >= l18)))) {
                t31.apply();
                t31.apply();
            } else {
                for (bit<8> i32 in 8w0..8w1) {
                    hd.w.v = hd.w.v;
                }
                l18 = ((hd.g.isValid() && (l17 == hd.h.a)) ? hd.h.b : ((!(hd.h.a >= 8w0)) ? 8w0 : f5(l18, hd.h.b)));
                if ((f5(l17, hd.h.a) == (8w128 |-| 8w22))) {
                    t31.apply();
                    a24(l17);
                    hd.s[(hd.h.a & 8w3)].x = ((((l18 == 8w2) ? hd.h.a : hd.h.b) * (hd.h.a * hd.s[(((8w22 != hd.h.a) ? hd.s[(l17 & 8w3)].x : hd.h.b) & 8w3)].x)) + f5(hd.h.a, hd.h.b));
                    t28.apply();
                }
                hd.g.setValid();
            }
        } else {
            t31.apply();
        }
        hd.h.a[0:0] = ((f5(l17, hd.h.b) >> 8w5))[0:0];
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
