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
s_t f4(inout bit<8> p1, in bit<8> p2, out h_t p3) {
    if (((-p2) != (p1 & p2))) {
        p1 = (8w1 + (-8w0));
    }
    return (s_t){ (p1 << 8w8), p2 };
}
s_t f8(out s_t p5, inout bit<8> p6, inout bit<8> p7) {
    p5.y = p6;
    if ((p5.x == (p5.y >> p5.x))) {
        p6[1:1] = (((p5.x)[6:0] ++ (p5.x)[7:7]))[0:0];
        p5.y[1:1] = (8w2)[0:0];
    }
    return p5;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 178;
    bit<8> l10 = 82;
    action a14(inout bit<8> p11, in bit<8> p12, out bit<8> p13) {
        l10 = (-hd.h.b);
        if (((p12 < hd.h.b) || (hd.h.a >= hd.h.a))) {
            f4(hd.s[((hd.h.a << 8w0) & 8w3)].x, (-hd.s[((-hd.h.a) & 8w3)].x), hd.g);
            hd.g.setInvalid();
        } else {
            bit<16> v15 = ((bit<16>)((16w18277)[11:4]));
            bit<8> v16 = ((!(hd.h.b >= p11)) ? (p12 & hd.s[2].x) : (-hd.h.a));
            hd.h.a[6:6] = (v16)[0:0];
            f4(hd.s[2].x, (-8w2), hd.h);
        }
        l10 = l9;
    }
    action a18(inout bit<16> p17) {
        hd.h.b = (hd.h.b << ((hd.h.a < hd.h.a) ? (8w3 ^ l10) : (8w255 + hd.h.b)));
        if (((hd.h.a >= 8w1) || (hd.s[((-hd.s[((-hd.s[2].x) & 8w3)].x) & 8w3)].x >= hd.h.a))) {
            exit;
            hd.h.a[2:1] = ((hd.s[((-hd.h.a) & 8w3)].x + (-hd.h.b)))[1:0];
            a14(hd.h.a, (-l10), hd.s[0].x);
            if ((((8w3 == hd.h.b) ? hd.h.a : hd.h.b) == (8w143 >> 8w6))) {
                f4(hd.h.b, ((hd.s[1].x)[3:0] ++ (hd.s[1].x)[7:4]), hd.g);
                a14(hd.s[((-hd.h.a) & 8w3)].x, (hd.h.b ^ hd.s[0].x), hd.g.a);
                hd.g.setInvalid();
            }
        }
        hd.s[1].x[1:1] = ((((l9 >= hd.s[(8w128 & 8w3)].x) ? 8w1 : 8w1) & (-hd.s[((hd.h.a + hd.h.b) & 8w3)].x)))[0:0];
    }
    action a19() {
        switch ((hd.s[((hd.h.b - hd.h.b) & 8w3)].x & 8w7)) {
            3: {
                hd.g.b = (((-hd.h.a) ^ l9) - (-(8w0 |+| 8w255)));
            }
            5: {
                a18(hd.w.v);
                f4(hd.h.a, (-hd.s[0].x), hd.g);
            }
            default: {
                l10 = (-((hd.h.a)[5:0] ++ (hd.h.a)[7:6]));
            }
        }
    }
    table t20 { key = { (((!(l9 >= 8w128)) ? (8w1 + hd.s[(hd.h.b & 8w3)].x) : hd.h.b) & 8w3) : exact @name("k"); } actions = { a19; } default_action = a19(); const entries = { 0 : a19(); 3 : a19(); } }
    apply {
    sm.egress_spec = 1;
        hd.h.b = ((((hd.s[((-hd.h.a) & 8w3)].x == l9) ? 8w3 : 8w0) >> 8w10) * ((hd.w.v)[11:4] |-| (8w3 |-| 8w1)));
        exit;
        l9[7:7] = (((hd.h.a |+| 8w1) + (-hd.h.b)))[0:0];
        if (((8w1 * 8w128) == (hd.h.a - hd.h.a))) {
            t20.apply();
            switch ((((-8w2) + ((hd.s[2].x)[4:0] ++ (hd.s[2].x)[7:5])) & 8w7)) {
                3: {
                    t20.apply();
                    hd.h.a[3:0] = ((((hd.h.b < l10) && (l10 != hd.h.a)) ? hd.h.a : 8w0))[3:0];
                    t20.apply();
                    f4(l9, hd.s[2].x, hd.h);
                }
                2: {
                    hd.s[3].x = ((l9)[4:0] ++ (l9)[7:5]);
                    if (t20.apply().hit) {
                        a14(hd.s[((hd.w.v)[11:4] & 8w3)].x, ((l9)[5:0] ++ (l9)[7:6]), hd.h.b);
                        hd.w.v = hd.w.v;
                        a18(hd.w.v);
                        t20.apply();
                    }
                }
                default: {
                    if (((-l9) == ((8w1)[4:0] ++ (8w1)[7:5]))) {
                        return;
                        a14(l9, (hd.h.b >> 8w9), hd.g.a);
                        hd.h.a = 8w70;
                    }
                    hd.h.a = (hd.s[(hd.h.a & 8w3)].x - (-(hd.h.b - hd.h.b)));
                    switch ((((hd.h.b + hd.h.b) >> 8w5) & 8w7)) {
                        2: {
                            a14(hd.s[((-l9) & 8w3)].x, (-hd.s[((8w1 | l10) & 8w3)].x), hd.h.b);
                            exit;
                            t20.apply();
                        }
                        3: {
                            hd.h.b = ((hd.w.v)[11:4] + (-(l10 & hd.s[((hd.h.b >> 8w9) & 8w3)].x)));
                            bit<8> v21 = (-(hd.w.v)[11:4]);
                            hd.g.b = (((hd.h.a ++ v21))[11:4] - ((-hd.h.b) - (hd.h.b |-| 8w190)));
                            bit<8> v22 = 8w255;
                        }
                        default: {
                            a18(hd.w.v);
                            hd.g.b = hd.h.b;
                            bit<8> v23 = (-(8w3 |-| l10));
                        }
                    }
                    hd.s[3].x[4:3] = (((16w39657)[11:4] & ((l9)[3:0] ++ (l9)[7:4])))[1:0];
                }
            }
        } else {
            hd.g.setValid();
        }
        hd.h.a = (((-l10) >> 8w11) |+| (-(-hd.s[3].x)));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
