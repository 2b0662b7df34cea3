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
bit<8> f3(out h_t p1, inout s_t p2) {
    p2.x = ((p2.x)[3:0] ++ (p2.x)[7:4]);
    return (((p2.x < p2.x) ? p2.y : p2.x) | (p2.x | p2.x));
}
bit<8> f9(inout bit<16> p4) {
    bit<16> v5 = (8w78 ++ 8w72);
    switch ((((8w0)[3:0] ++ (8w0)[7:4]) & 8w7)) {
        2: {
            if (((8w2 << 8w1) != 8w7)) {
                bit<16> v6 = ((8w2 ++ 8w255) * (8w128 ++ 8w3));
                return ((8w1 |+| 8w101) >> 8w4);
            }
            if (((8w2 | 8w3) != (8w0 * 8w158))) {
            } else {
                bit<8> v7 = (8w121 & (8w255 * 8w1));
            }
        }
        3: {
        }
        default: {
            for (bit<8> i8 in 8w0..8w3) {
            }
        }
    }
    if ((8w7 == (8w1 >> 8w0))) {
    }
    return (((8w0 >= 8w255) && (8w69 != 8w1)) ? 8w2 : 8w7);
}
bit<8> f12(inout s_t p10, inout bit<8> p11) {
    p10.x = 8w7;
    return 8w7;
}
bit<8> f15(inout bit<8> p13, out h_t p14) {
    p13[5:3] = ((((p13)[4:0] ++ (p13)[7:5]) >> (p13 >> p13)))[2:0];
    return ((16w55821)[11:4] << 8w10);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l16 = 114;
    bit<8> l17 = 202;
    action a21(out h_t p18, out bit<16> p19, inout bit<8> p20) {
        hd.g.a = ((hd.h.a << 8w11) |+| f9(p19));
        l17[5:3] = (((hd.s[3].x == hd.h.b) ? hd.h.b : (hd.w.v)[11:4]))[2:0];
    }
    action a23(bit<8> d22) {
        f9(hd.w.v);
        for (bit<8> i24 in 8w0..8w3) {
            f9(hd.w.v);
            hd.w.v = ((bit<16>)(((l16 == i24) ? hd.h.a : (hd.h.b * hd.h.b))));
            bit<8> v25 = (((bit<16>)(d22)))[11:4];
            if (((!(8w3 != 8w255)) || ((hd.h.b != hd.s[((16w60255)[11:4] & 8w3)].x) && (hd.h.b == l17)))) {
                f15(v25, hd.g);
                a21(hd.h, hd.w.v, hd.h.b);
            }
        }
        if ((!(hd.h.b != hd.h.a))) {
            hd.w.v = (8w3 ++ ((hd.w.v - hd.w.v))[11:4]);
        }
    }
    table t26 { key = { (8w7 & 8w3) : exact @name("k"); } actions = { a23; } default_action = a23(12); const entries = { 1 : a23(59); 2 : a23(129); } }
    apply {
    sm.egress_spec = 1;
        hd.h.a = f15(l16, hd.g);
        if ((8w7 == hd.s[2].x)) {
            hd.s[((8w53 * l16) & 8w3)].x = (f9(hd.w.v) * hd.h.b);
            t26.apply();
        }
        exit;
        hd.h.b = (8w7 |+| f15(hd.h.a, hd.g));
        hd.h.a[6:1] = (((8w1)[2:0] ++ (8w1)[7:3]))[5:0];
        t26.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
