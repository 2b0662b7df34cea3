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
bit<8> f4(out bit<8> p1, inout bit<16> p2) {
    p2 = ((bit<16>)(((8w0 ^ p1) << (8w128 | p1))));
    if ((8w255 == ((8w255 == p1) ? p1 : 8w3))) {
        p1 = (((p1 == 8w128) ? p1 : (-8w128)) |-| (-(p1 >> p1)));
        p1 = (-((p1 |+| p1) |+| ((p1)[0:0] ++ (p1)[7:1])));
    }
    bit<8> v3 = (-(p1 ^ 8w128));
    return ((p1 < 8w1) ? (p1 + 8w3) : (p1 |-| p1));
}
bit<8> f8(inout bit<8> p5, out h_t p6, out bit<16> p7) {
    f4(p5, p7);
    p5[2:1] = (f4(p5, p7))[1:0];
    f4(p5, p7);
    f4(p5, p7);
    return ((p7)[11:4] |-| f4(p5, p7));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 109;
    bit<8> l10 = 21;
    action a13(inout bit<8> p11, out s_t p12) {
        bit<8> v14 = hd.s[(8w0 & 8w3)].x;
        f8(hd.s[(p12.y & 8w3)].x, hd.h, hd.w.v);
        if (((hd.s[(f4(hd.h.b, hd.w.v) & 8w3)].x & l10) == hd.s[3].x)) {
            f4(l9, hd.w.v);
        } else {
            f4(hd.h.a, hd.w.v);
            f8(hd.s[2].x, hd.g, hd.w.v);
            l9 = (((p11)[4:0] ++ (p11)[7:5]) ^ (((l9)[5:0] ++ (l9)[7:6]) * f8(p11, hd.h, hd.w.v)));
        }
    }
    action a18(in bit<8> p15, inout bit<8> p16, in bit<8> p17) {
        bit<8> v19 = (hd.h.b << f8(hd.s[(p17 & 8w3)].x, hd.h, hd.w.v));
        p16[1:0] = (8w0)[1:0];
        v19[1:1] = (hd.h.b)[0:0];
    }
    action a20() {
        switch ((f8(hd.s[(l10 & 8w3)].x, hd.g, hd.w.v) & 8w7)) {
            3: {
                s_t v21 = (s_t){ hd.h.a, f4(hd.g.a, hd.w.v) };
                f4(hd.h.b, hd.w.v);
                if (((8w3 == v21.y) || (8w1 == v21.y))) {
                    a13(hd.h.a, v21);
                } else {
                    a13(hd.h.b, v21);
                    v21 = (s_t){ f8(v21.x, hd.h, hd.w.v), ((8w12 + l9) << (l10 << 8w7)) };
                    hd.g.setValid();
                }
            }
            5: {
                bit<8> v22 = ((hd.s[2].x |+| hd.h.b) | ((hd.h.b)[5:0] ++ (hd.h.b)[7:6]));
                hd.s[(hd.h.b & 8w3)].x = (f4(hd.h.a, hd.w.v) |-| (f4(l10, hd.w.v) * (v22 >> 8w0)));
                for (bit<8> i23 in 8w0..8w3) {
                    hd.g.setValid();
                }
            }
            default: {
                if (hd.g.isValid()) {
                    f8(hd.s[2].x, hd.g, hd.w.v);
                    l9 = ((((hd.h.a == hd.s[0].x) ? hd.h.b : hd.s[(((8w3)[2:0] ++ (8w3)[7:3]) & 8w3)].x) == f4(l10, hd.w.v)) ? (hd.h.b << f8(hd.s[((l9 << hd.h.b) & 8w3)].x, hd.g, hd.w.v)) : ((8w0 - l9) >> 8w4));
                } else {
                    f8(hd.s[0].x, hd.h, hd.w.v);
                    a18((hd.s[((hd.h.b | hd.h.a) & 8w3)].x & l9), hd.h.a, ((hd.s[3].x)[2:0] ++ (hd.s[3].x)[7:3]));
                }
                f4(l10, hd.w.v);
                hd.g.setValid();
            }
        }
        bit<8> v24 = (f4(hd.h.b, hd.w.v) << (hd.h.a |+| hd.s[(f4(l9, hd.w.v) & 8w3)].x));
    }
    table t25 { key = { ((((hd.h.b)[4:0] ++ (hd.h.b)[7:5]) >> 8w4) & 8w3) : exact @name("k"); } actions = { a20; } default_action = a20(); const entries = { 0 : a20(); 3 : a20(); } }
    apply {
    sm.egress_spec = 1;
        t25.apply();
        t25.apply();
        f4(hd.h.b, hd.w.v);
        hd.h.b = hd.h.b;
        t25.apply();
        switch (((((hd.h.b >= hd.h.b) ? l10 : 8w3) | f4(l10, hd.w.v)) & 8w7)) {
            3: {
                hd.h.a = ((f8(hd.s[((hd.w.v)[11:4] & 8w3)].x, hd.h, hd.w.v) == f4(hd.h.a, hd.w.v)) ? f4(hd.g.b, hd.w.v) : (((hd.s[(l10 & 8w3)].x != hd.s[(((l9 != hd.h.b) ? hd.h.b : 8w1) & 8w3)].x) ? hd.s[1].x : hd.h.b) | f4(hd.s[(f4(hd.h.b, hd.w.v) & 8w3)].x, hd.w.v)));
                hd.g.a = (hd.s[1].x << f8(hd.h.b, hd.h, hd.w.v));
                a18(hd.h.b, hd.s[((hd.h.a - hd.h.b) & 8w3)].x, f4(hd.g.a, hd.w.v));
                l9[6:0] = (l9)[6:0];
            }
            4: {
                hd.w.v = ((bit<16>)(hd.h.a));
            }
            default: {
                if (((8w1 << 8w7) == ((hd.h.b < 8w75) ? hd.h.a : hd.s[2].x))) {
                    exit;
                } else {
                    f8(hd.h.b, hd.h, hd.w.v);
                    if (hd.g.isValid()) {
                        t25.apply();
                        hd.w.v = ((bit<16>)(hd.h.b));
                        t25.apply();
                    }
                }
                hd.w.v = ((bit<16>)(f4(hd.h.a, hd.w.v)));
                f8(hd.h.b, hd.g, hd.w.v);
            }
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
