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
void f3(inout bit<8> p1, inout bit<8> p2) {
    return;
    if ((((8w2 != p1) ? p1 : p2) == ((p1)[4:0] ++ (p1)[7:5]))) {
    }
}
s_t f6(in bit<8> p4) {
    bit<16> v5 = ((bit<16>)(((p4)[6:0] ++ (p4)[7:7])));
    switch (((p4 |+| ((p4)[5:0] ++ (p4)[7:6])) & 8w7)) {
        1: {
        }
        3: {
            if ((((p4 < 8w3) ? p4 : p4) < (p4 << p4))) {
            }
        }
        default: {
            v5 = ((((8w0 < p4) ? 8w3 : 8w255) + ((p4 < p4) ? p4 : p4)) ++ ((v5)[11:4] << p4));
        }
    }
    return (s_t){ (-p4), (p4 - 8w128) };
}
void f8(out bit<8> p7) {
    f6((p7 + p7));
    p7 = (((bit<16>)((p7 - p7))))[11:4];
    f3(p7, p7);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 241;
    bit<8> l10 = 93;
    action a14(in bit<16> p11, out bit<8> p12, in bit<16> p13) {
    }
    action a17(in bit<8> p15, in bit<8> p16) {
        f3(l9, hd.h.b);
        hd.s[((hd.h.a ^ p15) & 8w3)].x = ((-hd.s[((l10 |-| hd.s[((p16 | hd.h.b) & 8w3)].x) & 8w3)].x) + ((hd.h.b >> 8w5) << 8w255));
        bit<8> v18 = ((-hd.s[1].x) | (8w3 * hd.h.b));
    }
    action a21(inout bit<16> p19, inout bit<8> p20) {
        f6((-hd.h.b));
        f6((hd.s[((-8w2) & 8w3)].x ^ hd.s[((8w3 & hd.s[((-8w147) & 8w3)].x) & 8w3)].x));
        hd.h.a = (-hd.s[(((8w175 >= hd.h.b) ? hd.s[3].x : hd.s[((-hd.s[0].x) & 8w3)].x) & 8w3)].x);
    }
    action a23(bit<8> d22) {
        a17(8w3, (l10 ^ hd.h.b));
        a14(((bit<16>)(hd.h.a)), hd.s[(((hd.h.a < hd.h.a) ? hd.s[(((l10)[1:0] ++ (l10)[7:2]) & 8w3)].x : 8w1) & 8w3)].x, ((bit<16>)(8w1)));
        hd.g.a = (((hd.w.v)[11:4] |-| (-8w233)) | ((16w55734)[11:4] * (-hd.h.a)));
    }
    table t24 { actions = { a23; } default_action = a23(205); }
    action a26(bit<8> d25) {
        return;
        a14(((bit<16>)(d25)), hd.g.a, (16w63634 + 16w46297));
        a17((hd.s[3].x + d25), (-8w34));
    }
    table t27 { key = { (((hd.s[0].x * hd.h.b) - (l10 | 8w2)) & 8w3) : exact @name("k"); } actions = { a26; } default_action = a26(130); const entries = { 2 : a26(1); 0 : a26(34); } }
    apply {
    sm.egress_spec = 1;
        t24.apply();
        a21(hd.w.v, hd.h.a);
        if (((hd.s[((hd.s[2].x ^ hd.h.b) & 8w3)].x != hd.h.b) || (8w255 != 8w1))) {
            t27.apply();
            t24.apply();
        } else {
            a14((hd.w.v * 16w20290), l10, hd.w.v);
            if ((hd.s[3].x == (-l9))) {
                if (((l9 + 8w68) < (-hd.h.b))) {
                    a14(((bit<16>)(8w70)), hd.h.b, ((bit<16>)(hd.h.b)));
                    hd.w.v = ((bit<16>)(((l10 * l10) |-| l10)));
                    hd.g.b = ((8w1)[4:0] ++ (8w1)[7:5]);
                    a17((-8w52), (hd.w.v)[11:4]);
                } else {
                    s_t v28 = f6(((8w3)[6:0] ++ (8w3)[7:7]));
                }
            } else {
                hd.s[((16w63425)[11:4] & 8w3)].x = (((l9 |-| 8w2) >= (hd.h.a + hd.s[2].x)) ? (hd.h.a | ((hd.h.a)[3:0] ++ (hd.h.a)[7:4])) : ((hd.s[2].x < 8w2) ? 8w1 : hd.h.a));
                switch (((-hd.s[((hd.h.a |+| hd.h.a) & 8w3)].x) & 8w7)) {
                    3: {
                        hd.h.a = (hd.s[0].x >> ((-l9) * (-8w3)));
                    }
                    2: {
                        f3(hd.h.b, hd.h.a);
                        hd.w.v = (hd.w.v |+| hd.w.v);
                        t24.apply();
                    }
                    default: {
                        a17(l9, ((hd.s[((hd.h.a << 8w3) & 8w3)].x)[4:0] ++ (hd.s[((hd.h.a << 8w3) & 8w3)].x)[7:5]));
                        t27.apply();
                    }
                }
                a17((-hd.h.a), hd.s[1].x);
            }
            hd.s[(((hd.s[((-8w163) & 8w3)].x >= 8w172) ? l10 : hd.s[3].x) & 8w3)].x = (hd.w.v)[11:4];
        }
        hd.g.setValid();
        exit;
        f8(l10);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
