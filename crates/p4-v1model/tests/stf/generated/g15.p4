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
bit<8> f4(inout bit<8> p1, out bit<8> p2, inout bit<8> p3) {
    p2 = (((bit<16>)((16w4051)[11:4])))[11:4];
    return p3;
}
bit<8> f8(in bit<8> p5, in bit<8> p6) {
    s_t v7 = (s_t){ 8w7, ((p6)[6:0] ++ (p6)[7:7]) };
    f4(v7.x, v7.x, v7.x);
    return (8w7 >> 8w4);
}
s_t f11(in bit<8> p9, out bit<8> p10) {
    f4(p10, p10, p10);
    f4(p10, p10, p10);
    f4(p10, p10, p10);
    return (s_t){ f8(p10, 8w0), (8w128 << p10) };
}
s_t f15(out bit<16> p12, out h_t p13) {
    return (s_t){ 8w7, 8w7 };
    if (((8w41 == 8w255) && (8w2 == 8w128))) {
        for (bit<8> i14 in 8w0..8w1) {
            return (s_t){ 8w1, 8w2 };
            f8((16w4500)[11:4], f8(i14, 8w2));
        }
    }
    if ((((8w255 < 8w3) ? 8w128 : 8w0) == 8w1)) {
        if ((((8w227)[2:0] ++ (8w227)[7:3]) == f8(8w0, 8w0))) {
            f8(f8(8w1, 8w1), f8(8w0, 8w98));
        }
    }
    return (s_t){ 8w1, 8w2 };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l16 = 7;
    bit<8> l17 = 231;
    action a19(out s_t p18) {
        hd.s[(f4(hd.h.a, l16, hd.h.a) & 8w3)].x = (hd.w.v)[11:4];
        hd.g.setValid();
        f4(hd.h.b, hd.s[(f4(hd.h.a, hd.h.a, hd.h.b) & 8w3)].x, p18.y);
    }
    action a23(in s_t p20, out bit<8> p21, inout s_t p22) {
        if ((!(8w228 == 8w120))) {
            bit<8> v24 = (8w128 ^ (p22.x |-| p20.x));
            f8(8w128, (8w0 >> hd.s[1].x));
        } else {
            if ((((hd.s[(l17 & 8w3)].x >= p20.x) ? 8w172 : 8w128) < (p20.y >> hd.h.a))) {
                hd.s[(l16 & 8w3)].x[3:1] = (((l17)[0:0] ++ (l17)[7:1]))[2:0];
                a19(p22);
            } else {
                f15(hd.w.v, hd.h);
                s_t v25 = p20;
            }
            switch ((((16w54357)[11:4] & (hd.h.b << l17)) & 8w7)) {
                5: {
                    bit<8> v26 = ((hd.s[((hd.w.v)[11:4] & 8w3)].x)[5:0] ++ (hd.s[((hd.w.v)[11:4] & 8w3)].x)[7:6]);
                    f15(hd.w.v, hd.h);
                }
                4: {
                }
                default: {
                    f4(p21, hd.g.b, l17);
                    hd.w.v = ((bit<16>)((f8(hd.h.b, p20.y) + ((hd.h.b >= hd.s[(((p20.x)[4:0] ++ (p20.x)[7:5]) & 8w3)].x) ? 8w255 : hd.s[1].x))));
                    p22 = f11(((hd.s[((8w1 & 8w2) & 8w3)].x)[0:0] ++ (hd.s[((8w1 & 8w2) & 8w3)].x)[7:1]), l17);
                    f15(hd.w.v, hd.g);
                }
            }
        }
        f8(f4(l17, p22.y, hd.h.a), 8w0);
        hd.w.v = hd.w.v;
    }
    action a28(bit<8> d27) {
        bit<16> v29 = 16w61367;
        if (((v29)[11:4] == (v29)[11:4])) {
            l17 = f8((((l16)[3:0] ++ (l16)[7:4]) |-| (hd.h.a | d27)), f8(((hd.h.a)[1:0] ++ (hd.h.a)[7:2]), (hd.h.b + hd.h.b)));
            l16 = (f8(((d27 < 8w255) ? 8w0 : l16), hd.h.b) ^ 8w3);
        }
    }
    table t30 { actions = { a28; } default_action = a28(249); }
    apply {
    sm.egress_spec = 1;
        s_t v31 = (s_t){ ((8w51)[5:0] ++ (8w51)[7:6]), ((hd.h.b)[5:0] ++ (hd.h.b)[7:6]) };
        a19(v31);
        f15(hd.w.v, hd.g);
        f15(hd.w.v, hd.h);
        switch (((((v31.y)[5:0] ++ (v31.y)[7:6]) >> 8w3) & 8w7)) {
            5: {
                s_t v32 = v31;
                f8(((v31.x)[6:0] ++ (v31.x)[7:7]), (v32.y * hd.s[((v31.x |-| hd.h.a) & 8w3)].x));
            }
            2: {
                return;
                hd.g.setInvalid();
                if (hd.g.isValid()) {
                    if ((f8(v31.y, v31.x) >= (hd.w.v)[11:4])) {
                        a19(v31);
                        t30.apply();
                    }
                }
                l16 = hd.h.b;
            }
            default: {
                f4(l16, v31.x, hd.s[3].x);
                switch (((f4(hd.s[(f8(hd.h.b, 8w255) & 8w3)].x, hd.s[((l16 - 8w0) & 8w3)].x, hd.h.a) << f4(hd.h.b, v31.y, v31.x)) & 8w7)) {
                    0: {
                        hd.h.a = (f4(v31.x, hd.h.b, hd.h.b) - f8(f8(8w128, hd.h.b), (8w2 - 8w1)));
                        a23(f15(hd.w.v, hd.h), l16, v31);
                        hd.w.v = ((bit<16>)((f8(8w0, 8w2) >> 8w6)));
                    }
                    4: {
                        a23((s_t){ v31.y, 8w3 }, hd.g.a, v31);
                    }
                    default: {
                        t30.apply();
                        hd.h.a = (((hd.h.a - l16) >= 8w2) ? ((hd.h.b >> 8w9) |-| (8w255 ^ hd.s[((l17 - hd.s[2].x) & 8w3)].x)) : (hd.h.b >> 8w10));
                    }
                }
                bit<16> v33 = (((bit<16>)(hd.h.a)) ^ (16w39281 + 16w33626));
                l17 = l16;
            }
        }
        exit;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
