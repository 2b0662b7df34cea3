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
bit<8> f2(in bit<16> p1) {
    return (-(-8w3));
}
s_t f4(in bit<8> p3) {
    if ((f2(16w33267) == (8w128 | 8w3))) {
        f2(((bit<16>)(p3)));
    }
    f2((16w53654 - 16w10277));
    return (s_t){ (16w46620)[11:4], (p3 >> 8w1) };
}
bit<8> f8(inout bit<8> p5, in bit<8> p6, out h_t p7) {
    if (((p6 << p6) != f2(16w29044))) {
        if ((!((p5 >= p6) || (p5 < p5)))) {
            f4(((p6 >= 8w211) ? p6 : p5));
        }
    }
    f4(((p6)[3:0] ++ (p6)[7:4]));
    p5 = p6;
    return ((p5 == p6) ? f2(16w25959) : f2(16w26977));
}
s_t f11(inout bit<8> p9) {
    if (((8w221 | p9) >= p9)) {
        if (((8w128 >= 8w128) || ((p9 < p9) || (p9 == 8w3)))) {
            p9 = f2(((p9 & 8w3) ++ p9));
        }
        p9 = (((8w3 == p9) ? 8w7 : (p9 + 8w3)) & ((p9 << 8w2) * ((8w2 != p9) ? p9 : p9)));
    } else {
        if ((8w7 == (16w29357)[11:4])) {
        }
    }
    if (((p9 | p9) == 8w7)) {
        f4(8w7);
    } else {
        p9[6:1] = (p9)[5:0];
    }
    f4(((8w255)[2:0] ++ (8w255)[7:3]));
    for (bit<8> i10 in 8w0..8w1) {
    }
    return (s_t){ (8w186 * 8w128), (p9 |+| p9) };
}
control C15(inout bit<8> p12, out h_t p13, out h_t p14) {
    bit<8> l16 = 111;
    bit<8> l17 = 97;
    action a21(in bit<8> p18, out bit<8> p19, out bit<16> p20) {
        switch ((((l16 != l16) ? ((p12 != p18) ? 8w255 : p12) : f2(p20)) & 8w7)) {
            2: {
                switch ((((!(p12 == l17)) ? f2(p20) : p19) & 8w7)) {
                    4: {
                        f2((p20 |+| 16w30239));
                    }
                    3: {
                        p19 = ((((bit<16>)(l16)) - ((bit<16>)(p18))))[11:4];
                        f4((p12 << l17));
                    }
                    default: {
                        f4(p19);
                        f2((l16 ++ 8w52));
                        l16 = f2(((bit<16>)((8w128 >> 8w11))));
                        f8(p12, f8(p12, l16, p13), p14);
                    }
                }
            }
            4: {
                p19 = f8(p19, (((bit<16>)(l16)))[11:4], p14);
                f4((l17 | p12));
            }
            default: {
                f8(p19, (p12 << 8w7), p13);
            }
        }
    }
    action a25(out bit<8> p22, out bit<8> p23, out s_t p24) {
        f4(((8w2)[1:0] ++ (8w2)[7:2]));
        l17 = f2(16w9822);
    }
    action a27(bit<8> d26) {
        f11(p12);
        f4(((l16)[3:0] ++ (l16)[7:4]));
    }
    table t28 { key = { (((8w3 == p12) ? (p12 | l17) : l17) & 8w3) : exact @name("k"); } actions = { a27; } default_action = a27(246); const entries = { 0 : a27(121); 3 : a27(66); } }
    apply {
        t28.apply();
        t28.apply();
        f2(16w60214);
        f8(l16, l16, p13);
        t28.apply();
        t28.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l29 = 1;
    bit<8> l30 = 77;
    action a32(in bit<8> p31) {
        for (bit<8> i33 in 8w0..8w3) {
            exit;
        }
        hd.g.setValid();
        hd.h.a[7:1] = (((hd.w.v)[11:4] << (hd.w.v)[11:4]))[6:0];
    }
    action a34() {
        f4(((hd.h.a)[4:0] ++ (hd.h.a)[7:5]));
        if (((l30 == l30) || (l29 == hd.s[(f2(hd.w.v) & 8w3)].x))) {
            if (((hd.h.b != hd.s[((8w236 >> 8w6) & 8w3)].x) || ((l29 < l29) && (8w222 >= l29)))) {
                f2(((bit<16>)(8w53)));
            }
            f2(((bit<16>)(l30)));
            if (((l30 + l30) == f2(hd.w.v))) {
                f4(hd.h.b);
            }
            l29[4:4] = (((8w255 << 8w8) >> 8w0))[0:0];
        }
    }
    table t35 { key = { (f8(hd.s[3].x, (hd.s[3].x |+| hd.h.b), hd.h) & 8w3) : exact @name("k"); } actions = { a34; } default_action = a34(); const entries = { 1 : a34(); 2 : a34(); } }
    apply {
    sm.egress_spec = 1;
        s_t v36 = f11(hd.s[3].x);
        s_t v37 = v36;
        f8(hd.h.b, f2(hd.w.v), hd.g);
        hd.h.a[7:5] = (((8w128 << hd.h.a) | f2(16w1919)))[2:0];
        v37 = v37;
        t35.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
