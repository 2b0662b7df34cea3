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
bit<8> f3(out bit<8> p1, out bit<8> p2) {
    p2[5:2] = (((p2 < p1) ? (p2 >> 8w7) : ((p2 == p1) ? p1 : p1)))[3:0];
    return ((p1)[2:0] ++ (p1)[7:3]);
}
s_t f7(in h_t p4, inout s_t p5) {
    p5.x = f3(p5.y, p5.x);
    p5 = (s_t){ f3(p5.x, p5.y), ((p5.y)[1:0] ++ (p5.y)[7:2]) };
    bit<8> v6 = (f3(p5.y, p5.y) << f3(p5.y, p5.y));
    return (s_t){ ((v6)[3:0] ++ (v6)[7:4]), f3(v6, p5.y) };
    return p5;
}
s_t f14(out s_t p8, in s_t p9, out bit<8> p10) {
    p8 = (s_t){ 8w1, 8w2 };
    if (((8w128 == p8.y) || ((p9.x < p8.y) && (p8.x == 8w3)))) {
        if ((p9.x == f3(p8.y, p10))) {
        } else {
            p8.y = p8.y;
        }
        for (bit<8> i11 in 8w0..8w1) {
            f3(p8.x, p8.x);
        }
        p8 = (s_t){ 8w1, 8w2 };
    } else {
        s_t v12 = p8;
        switch ((((16w20421)[11:4] - p9.x) & 8w7)) {
            0: {
                bit<8> v13 = (v12.y * (v12.y ^ p9.x));
            }
            2: {
                p8.x = ((f3(p8.y, p10) >= f3(v12.y, p8.y)) ? f3(v12.y, p8.x) : ((p10 ++ p8.x))[11:4]);
            }
            default: {
                f3(v12.y, p8.y);
                f3(p8.y, p8.x);
                f3(v12.y, p8.x);
                v12.x = p8.y;
            }
        }
    }
    p10 = (f3(p10, p8.x) | (8w3 |-| (p9.y * p8.y)));
    return (s_t){ 8w1, 8w2 };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l15 = 166;
    bit<8> l16 = 226;
    action a20(out bit<8> p17, inout s_t p18, out h_t p19) {
        p18.y = (((!(p18.x != hd.s[(f3(hd.h.a, p18.x) & 8w3)].x)) ? (hd.w.v)[11:4] : (hd.w.v)[11:4]) ^ ((hd.h.a)[4:0] ++ (hd.h.a)[7:5]));
        hd.h.a = ((((hd.s[((p18.y >> 8w2) & 8w3)].x != 8w2) ? hd.h.b : hd.s[(f3(hd.s[(((8w1 < p18.x) ? 8w255 : p18.x) & 8w3)].x, hd.s[(p18.x & 8w3)].x) & 8w3)].x) - (hd.w.v)[11:4]) | (8w2 << 8w0));
        hd.w.v = (((bit<16>)((16w55168)[11:4])) * ((bit<16>)(((8w29)[4:0] ++ (8w29)[7:5]))));
    }
    action a22(bit<8> d21) {
        f3(hd.g.b, hd.h.b);
        for (bit<8> i23 in 8w0..8w1) {
            if ((!(!(hd.s[(f3(hd.s[0].x, hd.h.a) & 8w3)].x != 8w1)))) {
                f3(hd.s[2].x, hd.h.b);
            }
            if ((f3(hd.g.b, hd.g.a) < (16w28437)[11:4])) {
                hd.g.setValid();
                hd.g.a = ((!((hd.h.a < l16) || (l16 == hd.s[((l15 |-| i23) & 8w3)].x))) ? ((hd.h.b)[6:0] ++ (hd.h.b)[7:7]) : f3(hd.s[(8w1 & 8w3)].x, hd.h.a));
            } else {
                hd.g.a = (16w28028)[11:4];
            }
        }
    }
    table t24 { actions = { a22; } default_action = a22(224); }
    apply {
    sm.egress_spec = 1;
        hd.h.b = hd.h.b;
        l15 = (((8w96 + hd.s[1].x) >> 8w6) >> 8w9);
        bit<16> v25 = hd.w.v;
        switch ((f3(hd.g.a, hd.h.a) & 8w7)) {
            5: {
                return;
                for (bit<8> i26 in 8w0..8w1) {
                    if (hd.g.isValid()) {
                        exit;
                        break;
                        t24.apply();
                    } else {
                        break;
                        v25 = ((bit<16>)(f3(hd.s[(f3(hd.s[(f3(l15, hd.h.b) & 8w3)].x, hd.h.b) & 8w3)].x, hd.s[(i26 & 8w3)].x)));
                    }
                    bit<16> v27 = (hd.h.b ++ ((hd.s[2].x < i26) ? hd.s[((8w128 << 8w1) & 8w3)].x : 8w2));
                }
                if ((f3(hd.h.b, hd.g.b) == (l15 - hd.s[3].x))) {
                    if ((8w128 == f3(hd.h.a, l16))) {
                        t24.apply();
                        t24.apply();
                        t24.apply();
                    }
                }
            }
            4: {
                hd.s[2].x = f3(hd.h.a, hd.s[(f3(hd.g.a, hd.h.b) & 8w3)].x);
            }
            default: {
                hd.h.a = (f3(hd.s[(hd.s[2].x & 8w3)].x, hd.h.b) | l16);
                v25 = (f3(l15, hd.g.a) ++ ((hd.h.b & hd.h.b) | 8w2));
                v25 = ((bit<16>)(hd.s[(f3(hd.s[((hd.s[(((l16 < hd.h.b) ? hd.s[1].x : hd.s[1].x) & 8w3)].x >> hd.s[2].x) & 8w3)].x, l15) & 8w3)].x));
                switch ((((hd.s[(((8w0 >= hd.h.b) ? hd.h.a : hd.s[2].x) & 8w3)].x |-| 8w1) | (hd.s[3].x | hd.h.a)) & 8w7)) {
                    4: {
                        hd.w.v = (hd.w.v - ((bit<16>)(f3(hd.h.a, hd.h.b))));
                    }
                    1: {
                        t24.apply();
                        t24.apply();
                    }
                    default: {
                        hd.w.v = (((hd.h.b)[0:0] ++ (hd.h.b)[7:1]) ++ ((hd.s[((l15 - hd.h.b) & 8w3)].x)[2:0] ++ (hd.s[((l15 - hd.h.b) & 8w3)].x)[7:3]));
                        if ((!(hd.h.a >= hd.s[((hd.h.b - l16) & 8w3)].x))) {
                            t24.apply();
                            l15 = (16w56249)[11:4];
                        }
                    }
                }
            }
        }
        hd.s[((hd.s[(f3(hd.h.b, hd.h.b) & 8w3)].x << hd.s[((hd.h.a ^ 8w1) & 8w3)].x) & 8w3)].x = f3(hd.g.b, hd.h.a);
        hd.g.setValid();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
