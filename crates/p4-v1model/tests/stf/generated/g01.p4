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
bit<8> f4(in bit<16> p1, inout bit<16> p2) {
    if (((-8w255) != (-8w255))) {
        switch (((-(8w131 >> 8w3)) & 8w7)) {
            4: {
                return (8w2 ^ (16w25498)[11:4]);
            }
            2: {
            }
            default: {
            }
        }
    }
    bit<8> v3 = 8w3;
    return (-((8w3 != 8w128) ? 8w255 : 8w2));
}
bit<8> f8(in s_t p5) {
    bit<16> v6 = ((bit<16>)(((8w128)[2:0] ++ (8w128)[7:3])));
    f4((v6 + 16w36154), v6);
    if ((!((p5.x >= p5.y) && (p5.y != 8w0)))) {
        for (bit<8> i7 in 8w0..8w1) {
            f4((16w24462 * v6), v6);
            f4((p5.x ++ p5.x), v6);
        }
        if ((f4(16w41100, v6) < 8w217)) {
            f4((p5.x ++ p5.x), v6);
            f4((v6 - v6), v6);
            v6 = v6;
            f4(((bit<16>)(8w2)), v6);
        }
    }
    f4(v6, v6);
    return 8w128;
}
bit<8> f12(in bit<8> p9, out s_t p10, out bit<8> p11) {
    f8(p10);
    if (((p10.x == p10.y) && (p10.y == p10.x))) {
        p11[4:1] = (8w7)[3:0];
    }
    f8(p10);
    return ((p9 - p9) ^ f8(p10));
}
bit<8> f15(out bit<8> p13) {
    bit<16> v14 = (8w7 ++ (16w48847)[11:4]);
    p13 = ((8w7 ++ 8w3))[11:4];
    return (((p13 < p13) || (p13 >= p13)) ? 8w222 : (8w0 & p13));
}
control C18(inout bit<8> p16, inout bit<8> p17) {
    bit<8> l19 = 223;
    bit<8> l20 = 104;
    action a23(inout bit<8> p21, in bit<8> p22) {
        p17 = ((((8w1)[3:0] ++ (8w1)[7:4]) >> 8w3) - 8w7);
        f8((s_t){ l19, l19 });
        l20 = 8w7;
    }
    action a25(bit<8> d24) {
        if ((((p17 >= l19) ? 8w216 : l19) != ((l20)[1:0] ++ (l20)[7:2]))) {
            f8((s_t){ 8w203, 8w11 });
        } else {
            if (((8w2 == l19) && (l19 == l20))) {
                a23(p16, (16w25898)[11:4]);
            }
            f8((s_t){ p17, 8w3 });
        }
    }
    table t26 { key = { ((((bit<16>)(8w255)))[11:4] & 8w3) : exact @name("k"); } actions = { a25; } default_action = a25(0); const entries = { 0 : a25(210); 3 : a25(238); } }
    action a28(bit<8> d27) {
        f15(l19);
        f8((s_t){ p17, p17 });
        l20 = 8w7;
    }
    table t29 { key = { ((((p16)[4:0] ++ (p16)[7:5]) >> 8w0) & 8w3) : exact @name("k"); } actions = { a28; } default_action = a28(122); const entries = { 0 : a28(185); 3 : a28(180); } }
    apply {
        t29.apply();
        l19 = 8w7;
        l20[5:2] = (((16w38187 - 16w16688))[11:4])[3:0];
        bit<16> v30 = (((bit<16>)(p17)) ^ ((bit<16>)(p16)));
        l19 = (l19 + f15(p16));
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l31 = 229;
    bit<8> l32 = 212;
    C18() inst33;
    action a37(inout bit<8> p34, out bit<16> p35, inout bit<8> p36) {
        hd.h.a = hd.s[3].x;
        f15(hd.s[(f4(p35, hd.w.v) & 8w3)].x);
        p35 = ((bit<16>)((f8((s_t){ p36, hd.h.b }) & (hd.h.a & p36))));
    }
    action a39(out s_t p38) {
        p38 = p38;
        p38 = p38;
        hd.h.b = f15(hd.h.b);
    }
    action a42(in bit<8> p40, out h_t p41) {
        f8((s_t){ hd.s[1].x, hd.h.b });
        l32[1:0] = ((hd.g.isValid() ? (8w0 - hd.h.b) : ((hd.s[((hd.h.a + hd.h.b) & 8w3)].x)[2:0] ++ (hd.s[((hd.h.a + hd.h.b) & 8w3)].x)[7:3])))[1:0];
    }
    action a44(bit<8> d43) {
        hd.h.a = (hd.h.b + hd.s[(((hd.h.a >= 8w3) ? hd.h.a : hd.s[((hd.h.a + 8w1) & 8w3)].x) & 8w3)].x);
        hd.g.setValid();
        l31 = l32;
    }
    table t45 { actions = { a44; } default_action = a44(230); }
    action a47(bit<8> d46) {
        f15(hd.g.a);
        hd.h.b = (f4(hd.w.v, hd.w.v) | ((hd.s[((l32 + hd.s[(f8((s_t){ 8w3, l31 }) & 8w3)].x) & 8w3)].x)[3:0] ++ (hd.s[((l32 + hd.s[(f8((s_t){ 8w3, l31 }) & 8w3)].x) & 8w3)].x)[7:4]));
    }
    table t48 { key = { ((f8((s_t){ hd.h.a, l32 }) |-| (8w3 ^ l31)) & 8w3) : exact @name("k"); } actions = { a47; } default_action = a47(18); const entries = { 3 : a47(160); 0 : a47(165); } }
    apply {
    sm.egress_spec = 1;
        hd.w.v = (8w7 ++ hd.h.b);
        hd.h.a = (8w8 | 8w7);
        if (((l31 >> 8w9) == 8w7)) {
        } else {
            a42((hd.w.v)[11:4], hd.g);
        }
        hd.s[((l32 ^ l32) & 8w3)].x = f8((s_t){ hd.h.a, 8w3 });
        exit;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
