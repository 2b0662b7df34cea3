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
bit<8> f4(inout bit<16> p1, inout s_t p2, out h_t p3) {
    p1 = (((bit<16>)((8w3 + p2.y))) * 16w61517);
    p2.y = (-(((p2.y < 8w128) || (p2.y < p2.x)) ? (p2.x |+| p2.x) : (p2.x - p2.y)));
    if (((-p2.x) == (8w0 << p2.y))) {
        p1 = ((bit<16>)(((p1 * p1))[11:4]));
    } else {
        if ((((8w139 != p2.y) ? p2.x : 8w2) != (p2.x |-| p2.y))) {
            p1 = ((bit<16>)(((-8w2) | (p2.y - p2.y))));
        }
        p2.x = (((-p2.x) ++ ((p2.y != p2.y) ? p2.y : p2.y)))[11:4];
    }
    return (-(p2.x - p2.x));
}
bit<8> f11(out bit<16> p5, inout s_t p6) {
    switch ((((p6.y & p6.x) + 8w7) & 8w7)) {
        0: {
            if ((!(p6.x != p6.y))) {
                p6.x[5:5] = ((p6.x & (p6.y - p6.y)))[0:0];
            } else {
                p6 = p6;
                bit<8> v7 = (((8w140 == p6.x) && (p6.x >= p6.y)) ? 8w7 : 8w7);
            }
        }
        5: {
            p6.y = ((!((8w0 < 8w0) || (p6.x >= p6.x))) ? (((bit<16>)(p6.x)))[11:4] : p6.x);
            bit<8> v8 = p6.x;
        }
        default: {
            p6.y = (((bit<16>)(p6.x)))[11:4];
            bit<8> v9 = (p6.y ^ 8w7);
            p6.y = (8w7 - v9);
        }
    }
    for (bit<8> i10 in 8w0..8w1) {
        p6.x = ((i10)[5:0] ++ (i10)[7:6]);
        p6.y[0:0] = (((!(8w3 != p6.x)) ? 8w7 : (8w1 >> 8w6)))[0:0];
        p6.x = (8w7 << 8w7);
        if (((p6.y == p6.y) && (p6.y < p6.y))) {
        }
    }
    return ((p6.x)[2:0] ++ (p6.x)[7:3]);
}
control C14(inout bit<16> p12, inout bit<8> p13) {
    bit<8> l15 = 206;
    bit<8> l16 = 86;
    action a18(inout s_t p17) {
        if ((p17.x == (p17.y | p17.y))) {
            f11(p12, p17);
        }
        return;
    }
    action a20(bit<8> d19) {
        if ((8w255 >= (l16 << l16))) {
        } else {
            if (((d19 & 8w0) == 8w7)) {
            } else {
                p12 = ((p13 ++ ((l15 >= l15) ? l15 : d19)) + ((bit<16>)(8w7)));
            }
            l15 = 8w7;
            l15 = ((((8w3 >= l16) || (p13 != d19)) ? 8w7 : ((8w128 >= 8w1) ? l15 : 8w1)) * 8w7);
        }
        s_t v21 = (s_t){ ((l15 == 8w10) ? l15 : p13), 8w7 };
    }
    table t22 { key = { (8w7 & 8w3) : exact @name("k"); } actions = { a20; } default_action = a20(92); const entries = { 2 : a20(220); 0 : a20(62); } }
    apply {
        l15 = ((((p13 < p13) ? p13 : p13) >= 8w7) ? 8w7 : ((p13 >> l15) << 8w5));
        t22.apply();
        bit<8> v23 = (((8w128 != p13) && (l15 == l16)) ? 8w7 : l16);
        l16 = (t22.apply().hit ? ((p13 >= v23) ? (8w128 ^ 8w1) : 8w3) : ((v23 < l16) ? 8w7 : (16w46085)[11:4]));
        t22.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l24 = 2;
    bit<8> l25 = 233;
    C14() inst26;
    action a30(out s_t p27, inout bit<8> p28, out bit<16> p29) {
        if (((l25 >> l24) != (hd.h.a & p27.y))) {
            p27.x = f4(hd.w.v, p27, hd.h);
        } else {
            f11(p29, p27);
            p27.y[7:4] = (((p29 ^ 16w24352))[11:4])[3:0];
        }
        f11(p29, p27);
    }
    action a32(bit<8> d31) {
        hd.h.a = (((bit<16>)(8w7)))[11:4];
        l25 = 8w7;
    }
    table t33 { key = { (8w7 & 8w3) : exact @name("k"); } actions = { a32; } default_action = a32(28); const entries = { 1 : a32(58); 3 : a32(152); } }
    apply {
    sm.egress_spec = 1;
        hd.g.b = 8w7;
        bit<8> v34 = ((hd.h.b)[6:0] ++ (hd.h.b)[7:7]);
        t33.apply();
        t33.apply();
        hd.h.a = hd.s[((hd.h.b | 8w2) & 8w3)].x;
        t33.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
