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
bit<8> f5(inout bit<8> p1, inout bit<8> p2, in bit<8> p3) {
    p2 = (((-8w255) - (p2 >> p2)) & ((p3)[5:0] ++ (p3)[7:6]));
    if (((p1 |-| p3) == (p1 * p2))) {
        s_t v4 = (s_t){ 8w122, p2 };
    }
    return ((p3)[5:0] ++ (p3)[7:6]);
}
s_t f11(out bit<16> p6, out bit<8> p7) {
    switch ((f5(p7, p7, (p7 >> p7)) & 8w7)) {
        4: {
            bit<8> v8 = f5(p7, p7, (p7 + p7));
        }
        3: {
        }
        default: {
            f5(p7, p7, f5(p7, p7, p7));
            bit<8> v9 = f5(p7, p7, ((p7)[6:0] ++ (p7)[7:7]));
            f5(v9, p7, f5(p7, v9, v9));
        }
    }
    for (bit<8> i10 in 8w0..8w3) {
        break;
        if ((i10 != f5(p7, p7, p7))) {
            f5(p7, p7, (p7 << i10));
        } else {
            f5(p7, p7, ((i10 != 8w0) ? 8w255 : 8w1));
            f5(p7, p7, (i10 |+| p7));
        }
    }
    switch ((((!(p7 == p7)) ? (p7 | 8w3) : f5(p7, p7, p7)) & 8w7)) {
        2: {
            f5(p7, p7, f5(p7, p7, p7));
        }
        3: {
            f5(p7, p7, (p7 - 8w255));
            p6 = ((bit<16>)((((p7 == p7) || (p7 != p7)) ? p7 : (p7 * p7))));
            if (((p7 >= 8w255) && (!(8w1 >= p7)))) {
            } else {
                f5(p7, p7, 8w1);
                p7 = ((p7 |-| (p7 | 8w0)) << 8w1);
                f5(p7, p7, (p7 - p7));
                f5(p7, p7, p7);
            }
        }
        default: {
            p7[6:4] = (((p7)[1:0] ++ (p7)[7:2]))[2:0];
            if ((((p7 == p7) && (p7 < 8w0)) || (p7 < p7))) {
                f5(p7, p7, (p7 |-| p7));
            } else {
                f5(p7, p7, p7);
                p6 = ((bit<16>)(((p7 >> 8w7) << (8w0 | 8w3))));
            }
        }
    }
    return (s_t){ (8w255 << 8w1), f5(p7, p7, p7) };
}
bit<8> f15(in bit<8> p12, inout s_t p13, out bit<16> p14) {
    f11(p14, p13.x);
    switch ((f5(p13.y, p13.y, p13.y) & 8w7)) {
        2: {
            p13.x = (((p12 < p12) || (p13.y == p13.x)) ? f5(p13.y, p13.x, p12) : f5(p13.x, p13.y, (p14)[11:4]));
        }
        1: {
            if ((((8w2 < p12) ? p13.x : p13.x) == f5(p13.x, p13.x, p13.x))) {
                f11(p14, p13.y);
            }
            f5(p13.x, p13.x, ((8w3 != 8w1) ? p13.y : p12));
            f11(p14, p13.x);
        }
        default: {
            p13.x = p13.y;
            p13.x = (f5(p13.x, p13.y, f5(p13.x, p13.y, p13.y)) - ((8w1)[6:0] ++ (8w1)[7:7]));
        }
    }
    if ((f5(p13.y, p13.x, p13.x) == p12)) {
        p13 = (s_t){ ((p12 | p13.x) + 8w1), p12 };
        return ((p13.x >> 8w8) + (p14)[11:4]);
        f11(p14, p13.y);
        f11(p14, p13.x);
    }
    return ((p13.y == p13.y) ? (p12 + p13.y) : ((8w0 < p13.y) ? 8w1 : p12));
}
s_t f17(out h_t p16) {
    return (s_t){ 8w1, 8w2 };
    return (s_t){ ((8w1)[4:0] ++ (8w1)[7:5]), 8w7 };
    return (s_t){ 8w3, 8w7 };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l18 = 16;
    bit<8> l19 = 237;
    action a22(out h_t p20, in s_t p21) {
        if ((8w0 < (l19 + hd.s[0].x))) {
            if ((!(hd.s[(8w3 & 8w3)].x >= 8w1))) {
                hd.s[0].x = p21.x;
                return;
                hd.h.a = f5(hd.h.a, hd.h.b, p21.x);
            }
        }
        exit;
        hd.g.b = f5(l18, hd.h.a, l18);
    }
    action a23() {
        f5(hd.h.b, hd.h.b, ((hd.s[3].x >= hd.h.a) ? 8w1 : 8w1));
        hd.h.a[7:5] = ((l18 ^ (hd.w.v)[11:4]))[2:0];
    }
    table t24 { key = { (((hd.w.v)[11:4] | (hd.h.a |+| 8w3)) & 8w3) : exact @name("k"); } actions = { a23; } default_action = a23(); const entries = { 2 : a23(); 1 : a23(); } }
    apply {
    sm.egress_spec = 1;
        f11(hd.w.v, l19);
        hd.g.b = (((!(hd.h.b != 8w1)) ? (hd.h.a ^ hd.h.b) : (hd.s[(8w7 & 8w3)].x * hd.h.b)) + (((hd.h.a == hd.h.b) ? 8w255 : 8w128) |-| ((l19)[6:0] ++ (l19)[7:7])));
        hd.g.setValid();
        f17(hd.h);
        hd.g.setValid();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
