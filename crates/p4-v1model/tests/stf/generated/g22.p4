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
s_t f5(inout bit<8> p1, out bit<8> p2, inout bit<16> p3) {
    p2 = ((-((p2)[1:0] ++ (p2)[7:2])) >> ((-8w1) - 8w128));
    if ((!((p2 < p1) || (p2 != p2)))) {
    }
    switch ((((-p1) - (-8w3)) & 8w7)) {
        1: {
        }
        5: {
            if ((!(p1 < p2))) {
                p1 = (-(-(p1 |-| p2)));
            } else {
                p2 = (-((p3 - 16w6169))[11:4]);
            }
            s_t v4 = (s_t){ ((p2 >= 8w3) ? 8w128 : p2), (-p1) };
            v4.y[1:0] = (((p2 != v4.y) ? (-v4.x) : ((p1 == p1) ? v4.y : p2)))[1:0];
        }
        default: {
            p2 = (((p1 << 8w6) - (-p1)) & (-(p1 |-| p1)));
        }
    }
    return (s_t){ (-8w2), (-8w128) };
}
bit<8> f10(inout bit<8> p6) {
    for (bit<8> i7 in 8w0..8w2) {
        s_t v8 = (s_t){ 8w1, 8w2 };
    }
    bit<8> v9 = ((-p6) |+| (16w63692)[11:4]);
    return 8w0;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l11 = 180;
    bit<8> l12 = 41;
    action a14(in s_t p13) {
        hd.w.v = hd.w.v;
        hd.w.v = ((bit<16>)((((bit<16>)(hd.s[(f10(hd.h.b) & 8w3)].x)))[11:4]));
    }
    action a17(in bit<8> p15, out h_t p16) {
        f10(l11);
        exit;
        hd.s[((p15 + l12) & 8w3)].x[4:1] = (((8w255 - hd.s[(hd.s[((hd.h.a * hd.h.b) & 8w3)].x & 8w3)].x) + ((hd.h.a)[4:0] ++ (hd.h.a)[7:5])))[3:0];
    }
    action a21(out h_t p18, in bit<8> p19, in s_t p20) {
        switch (((f10(l11) | f10(hd.s[(f10(hd.h.b) & 8w3)].x)) & 8w7)) {
            1: {
                f10(hd.s[1].x);
                if ((((p20.x != hd.h.a) || (p19 == l11)) && (l12 == 8w1))) {
                    hd.h.b = (((hd.h.a)[0:0] ++ (hd.h.a)[7:1]) ^ ((16w8555)[11:4] - f10(hd.s[1].x)));
                }
                switch ((((8w3)[1:0] ++ (8w3)[7:2]) & 8w7)) {
                    2: {
                        hd.g.b = hd.h.b;
                    }
                    0: {
                        a14(f5(hd.h.b, hd.s[(f10(hd.s[(hd.s[((hd.h.a - p19) & 8w3)].x & 8w3)].x) & 8w3)].x, hd.w.v));
                        hd.s[2].x = ((hd.s[((hd.w.v)[11:4] & 8w3)].x)[2:0] ++ (hd.s[((hd.w.v)[11:4] & 8w3)].x)[7:3]);
                        a14(f5(hd.s[2].x, hd.h.b, hd.w.v));
                    }
                    default: {
                        a17(p19, p18);
                        a14(f5(l11, hd.s[0].x, hd.w.v));
                    }
                }
            }
            5: {
                l12 = f10(hd.h.a);
                if (((l12 |+| 8w255) == f10(hd.s[0].x))) {
                    f5(hd.s[2].x, hd.h.b, hd.w.v);
                    hd.s[0].x = ((!((8w255 != hd.h.a) && (p19 < hd.h.b))) ? (((hd.h.b)[3:0] ++ (hd.h.b)[7:4]) >> ((hd.h.a)[5:0] ++ (hd.h.a)[7:6])) : f10(hd.h.b));
                    hd.h.a = 8w2;
                    a14(f5(hd.s[2].x, l12, hd.w.v));
                }
            }
            default: {
                f10(hd.h.a);
                switch ((((hd.s[0].x)[1:0] ++ (hd.s[0].x)[7:2]) & 8w7)) {
                    1: {
                        a17(p20.x, p18);
                    }
                    4: {
                        a14(f5(hd.h.a, hd.h.a, hd.w.v));
                    }
                    default: {
                        hd.w.v = (((16w52494 + hd.w.v) |+| 16w58823) * ((bit<16>)((hd.s[0].x | hd.s[((8w2 >> 8w2) & 8w3)].x))));
                        hd.h.a[3:0] = (8w2)[3:0];
                        l12 = f10(hd.h.b);
                    }
                }
                if (hd.g.isValid()) {
                    a17((8w3 << 8w255), p18);
                }
            }
        }
        f5(hd.h.a, hd.h.b, hd.w.v);
        hd.h.a = ((((p20.y)[6:0] ++ (p20.y)[7:7]) != (hd.s[2].x | 8w128)) ? f10(l11) : (f10(hd.h.b) >> f10(hd.h.b)));
    }
    action a23(bit<8> d22) {
        hd.s[((hd.w.v)[11:4] & 8w3)].x = (hd.h.b & f10(hd.s[((8w2 * hd.h.b) & 8w3)].x));
        f10(hd.s[3].x);
        for (bit<8> i24 in 8w0..8w3) {
            a21(hd.h, f10(hd.s[2].x), (s_t){ hd.s[1].x, d22 });
            for (bit<8> i25 in 8w0..8w3) {
                f10(l12);
            }
        }
    }
    table t26 { actions = { a23; } default_action = a23(252); }
    apply {
    sm.egress_spec = 1;
        f5(hd.h.a, hd.s[(hd.s[(f10(hd.h.b) & 8w3)].x & 8w3)].x, hd.w.v);
        t26.apply();
        hd.w.v = ((bit<16>)(((8w1 ^ 8w255) ^ f10(hd.h.a))));
        f5(hd.h.b, hd.h.b, hd.w.v);
        hd.s[(8w128 & 8w3)].x[3:2] = (8w255)[1:0];
        exit;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
