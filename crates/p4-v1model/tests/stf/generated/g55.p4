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
void f3(in bit<8> p1, out h_t p2) {
    if (((-p1) < (8w1 << p1))) {
    }
}
s_t f5(inout bit<8> p4) {
    p4 = ((p4)[1:0] ++ (p4)[7:2]);
    return (s_t){ (p4 |+| p4), (-8w2) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 2;
    bit<8> l7 = 90;
    action a9(in bit<8> p8) {
        hd.s[(((hd.s[1].x)[5:0] ++ (hd.s[1].x)[7:6]) & 8w3)].x[5:3] = ((-(-p8)))[2:0];
        if ((((8w51)[4:0] ++ (8w51)[7:5]) == (hd.w.v)[11:4])) {
            if (hd.g.isValid()) {
                f3(l6, hd.g);
                f5(hd.h.a);
            } else {
                f3((-hd.h.a), hd.h);
                f3((hd.h.a |+| hd.h.a), hd.h);
            }
        }
    }
    action a11(in s_t p10) {
        hd.h.a = (-(8w255 >> ((8w0)[4:0] ++ (8w0)[7:5])));
        bit<8> v12 = (-(hd.w.v)[11:4]);
    }
    action a15(in bit<16> p13, inout bit<8> p14) {
        a9((hd.s[2].x |-| p14));
        switch (((((bit<16>)(hd.h.a)))[11:4] & 8w7)) {
            1: {
                f3((-8w128), hd.g);
            }
            4: {
                hd.h.b = (((bit<16>)(hd.s[((-hd.h.b) & 8w3)].x)))[11:4];
                l7 = (-((-p14) & (8w1 >> hd.h.a)));
            }
            default: {
                hd.h.b = (-hd.s[(((8w1)[6:0] ++ (8w1)[7:7]) & 8w3)].x);
            }
        }
        hd.g.setInvalid();
    }
    action a16() {
        f3(((hd.h.a)[4:0] ++ (hd.h.a)[7:5]), hd.h);
        if (((8w128 ^ l7) != (16w61653)[11:4])) {
            a11((s_t){ hd.h.a, l6 });
            hd.h.a[2:0] = (8w33)[2:0];
        }
        f5(hd.h.a);
    }
    table t17 { key = { (((hd.w.v |+| hd.w.v))[11:4] & 8w3) : exact @name("k"); } actions = { a16; } default_action = a16(); const entries = { 3 : a16(); 1 : a16(); } }
    action a19(bit<8> d18) {
        if ((((d18)[5:0] ++ (d18)[7:6]) == (-hd.h.a))) {
            exit;
            if ((hd.h.b == hd.h.b)) {
                a9(8w0);
                a15(((bit<16>)(8w1)), hd.h.a);
                f5(hd.h.a);
            } else {
                f3(((8w128 == hd.h.b) ? 8w2 : hd.h.b), hd.h);
                a11(f5(hd.s[((l7 ^ d18) & 8w3)].x));
                a9(((l6)[3:0] ++ (l6)[7:4]));
            }
        } else {
            a9((-8w1));
            if ((!((hd.h.b == 8w3) || (l7 >= hd.h.a)))) {
                a9((-8w2));
                hd.w.v = (((16w48895)[11:4] ++ (-d18)) + ((8w3 ++ hd.h.a) ^ ((bit<16>)(hd.s[(((hd.h.b)[6:0] ++ (hd.h.b)[7:7]) & 8w3)].x))));
            }
        }
        if ((l6 == (hd.h.a + 8w1))) {
            for (bit<8> i20 in 8w0..8w2) {
                a9(((i20 != hd.s[((d18 << 8w11) & 8w3)].x) ? 8w76 : 8w0));
            }
            hd.g.setInvalid();
        }
    }
    table t21 { key = { (((hd.h.a == l6) ? (16w2037)[11:4] : (-hd.h.b)) & 8w3) : exact @name("k"); } actions = { a19; } default_action = a19(82); const entries = { 1 : a19(152); 2 : a19(65); } }
    apply {
    sm.egress_spec = 1;
        f3((-8w128), hd.h);
        a9(((hd.h.b < hd.h.a) ? hd.h.b : l7));
        t21.apply();
        a9(((hd.h.b >= hd.s[2].x) ? hd.s[1].x : 8w255));
        if (((hd.h.a | hd.s[(l7 & 8w3)].x) != ((l7 != 8w233) ? l7 : l6))) {
            hd.w.v = ((hd.h.a ++ (hd.w.v)[11:4]) + ((hd.h.b ++ l6) ^ hd.w.v));
            hd.g.setValid();
            t17.apply();
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
