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
bit<8> f3(out s_t p1, out h_t p2) {
    p1 = p1;
    return ((-p1.x) << ((p1.y)[5:0] ++ (p1.y)[7:6]));
}
s_t f6(in bit<8> p4, inout bit<8> p5) {
    if ((!(8w128 == p5))) {
        if (((p4 |+| p5) != ((p4 == 8w3) ? 8w3 : p5))) {
            p5 = (((p4 + p4) |-| 8w7) ^ 8w7);
        }
    }
    return (s_t){ ((8w255 != p5) ? 8w1 : p4), (16w37816)[11:4] };
}
bit<8> f10(inout bit<16> p7, inout bit<8> p8, inout bit<8> p9) {
    p9[4:2] = ((((p8 >= p9) ? 8w144 : p8) * (p7)[11:4]))[2:0];
    return (8w7 * (16w60050)[11:4]);
}
control C13(inout s_t p11, inout bit<8> p12) {
    bit<8> l14 = 158;
    bit<8> l15 = 138;
    action a19(in bit<8> p16, inout s_t p17, out h_t p18) {
        bit<8> v20 = 8w7;
        p17 = f6(((16w33508)[11:4] ^ f3(p11, p18)), p17.x);
    }
    action a23(inout bit<16> p21, out bit<8> p22) {
        l14 = ((((bit<16>)(l15)))[11:4] >> 8w2);
        exit;
        f10(p21, l15, p11.y);
    }
    action a25(bit<8> d24) {
        if (((l14 < p11.x) || (8w50 == 8w2))) {
            p11.y = 8w7;
        } else {
            p11.x[1:0] = (p11.y)[1:0];
            if (((p11.x == d24) && (d24 == 8w137))) {
                p12[5:5] = (p11.x)[0:0];
                p11.x = (((p11.y + p12) ^ p12) << 8w11);
                p11 = (s_t){ p11.y, 8w7 };
            }
            exit;
            p12 = 8w7;
        }
    }
    table t26 { key = { ((((p11.x >= 8w3) && (8w48 != p11.x)) ? (8w0 |-| p12) : (16w19203)[11:4]) & 8w3) : exact @name("k"); } actions = { a25; } default_action = a25(175); const entries = { 2 : a25(248); 1 : a25(31); } }
    apply {
        bit<8> v27 = (8w7 ^ 8w7);
        t26.apply();
        t26.apply();
        t26.apply();
        p11.x = 8w7;
        t26.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l28 = 86;
    bit<8> l29 = 141;
    C13() inst30;
    action a33(out h_t p31, in s_t p32) {
        switch ((((p32.x - p32.x) ^ ((l28)[5:0] ++ (l28)[7:6])) & 8w7)) {
            4: {
                for (bit<8> i34 in 8w0..8w2) {
                    hd.g.setValid();
                }
            }
            2: {
                if ((!(8w128 == hd.h.b))) {
                    hd.g.a = (8w7 << (8w7 + (p32.x ^ hd.h.a)));
                    hd.w.v = ((bit<16>)(f10(hd.w.v, hd.h.a, l28)));
                }
                if (((hd.s[3].x | l29) < f10(hd.w.v, l29, hd.h.a))) {
                    hd.g.setValid();
                    f10(hd.w.v, l29, hd.h.a);
                }
                if (((hd.h.a << hd.h.b) < ((hd.h.a)[0:0] ++ (hd.h.a)[7:1]))) {
                    hd.h.a[3:3] = ((8w7 ^ f10(hd.w.v, hd.h.a, hd.h.a)))[0:0];
                }
            }
            default: {
                hd.w.v = (((bit<16>)((hd.w.v)[11:4])) - (((bit<16>)(8w85)) |+| hd.w.v));
                f6((p32.x << 8w11), hd.h.b);
                hd.w.v = ((bit<16>)(((hd.h.a)[3:0] ++ (hd.h.a)[7:4])));
                f6(8w7, hd.s[2].x);
            }
        }
        hd.w.v = hd.w.v;
        f10(hd.w.v, hd.s[3].x, hd.h.b);
    }
    action a38(inout bit<16> p35, inout bit<8> p36, out h_t p37) {
        hd.w.v = ((bit<16>)(f10(p35, hd.s[((hd.h.b * hd.h.b) & 8w3)].x, p36)));
        f10(hd.w.v, hd.h.b, hd.h.b);
        p36 = f10(p35, hd.s[2].x, hd.h.b);
    }
    action a40(bit<8> d39) {
    }
    table t41 { key = { ((((bit<16>)(l29)))[11:4] & 8w3) : exact @name("k"); } actions = { a40; } default_action = a40(62); const entries = { 0 : a40(195); 2 : a40(203); } }
    action a42() {
        a33(hd.h, f6(hd.h.b, hd.s[2].x));
        bit<8> v43 = l29;
        bit<8> v44 = (f10(hd.w.v, hd.h.b, hd.h.b) |+| ((v43 != l29) ? 8w3 : hd.h.a));
    }
    table t45 { key = { (f10(hd.w.v, hd.h.a, hd.h.b) & 8w3) : exact @name("k"); } actions = { a42; } default_action = a42(); const entries = { 0 : a42(); 2 : a42(); } }
    apply {
    sm.egress_spec = 1;
        hd.h.a = hd.h.a;
        t45.apply();
        t45.apply();
        if (((!(hd.h.a != l28)) && t41.apply().hit)) {
            exit;
            if (((8w1 < hd.s[(f10(hd.w.v, l28, hd.h.a) & 8w3)].x) || (8w2 < hd.h.a))) {
            }
            f10(hd.w.v, l28, l28);
            exit;
        }
        hd.g.setValid();
        a33(hd.h, f6(8w42, hd.h.b));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
