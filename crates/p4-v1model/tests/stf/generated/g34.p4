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
s_t f2(inout bit<8> p1) {
    if (((p1 >> p1) == 8w128)) {
        p1 = ((p1)[4:0] ++ (p1)[7:5]);
    }
    p1 = p1;
    return (s_t){ (p1 << 8w6), (-p1) };
}
s_t f5(in s_t p3, out bit<16> p4) {
    p4 = 16w44555;
    return (s_t){ 8w1, 8w2 };
    if ((!(p3.x == p3.y))) {
        switch (((-(-p3.y)) & 8w7)) {
            2: {
            }
            0: {
            }
            default: {
            }
        }
        p4 = ((-8w1) ++ (-(p3.x * p3.x)));
    }
    return (s_t){ (p3.y >> 8w1), (-p3.x) };
}
s_t f7(inout bit<8> p6) {
    switch ((((p6 < p6) ? (-p6) : (8w1 ^ p6)) & 8w7)) {
        5: {
            if (((8w3 == p6) && (p6 < p6))) {
                f2(p6);
            } else {
                f2(p6);
            }
            p6 = (((p6)[4:0] ++ (p6)[7:5]) << p6);
        }
        1: {
        }
        default: {
            if (((-8w128) == p6)) {
            }
        }
    }
    return (s_t){ (-p6), (-p6) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 23;
    bit<8> l9 = 221;
    action a12(inout bit<8> p10, out bit<8> p11) {
        hd.w.v = (hd.s[2].x ++ (-(-p11)));
        hd.w.v = (8w128 ++ (-8w1));
        for (bit<8> i13 in 8w0..8w3) {
            hd.g.setInvalid();
            p10 = ((-(hd.h.b | l9)) * ((hd.h.a)[3:0] ++ (hd.h.a)[7:4]));
            if (((hd.h.b - hd.h.b) >= p10)) {
                hd.g.b = hd.s[((-8w255) & 8w3)].x;
            }
            for (bit<8> i14 in 8w0..8w3) {
                hd.w.v = ((bit<16>)((-(i13 | p10))));
                break;
                f5((s_t){ l9, 8w128 }, hd.w.v);
                hd.w.v = 16w52616;
            }
        }
    }
    action a15() {
        if (hd.g.isValid()) {
            if ((((hd.s[((-hd.h.b) & 8w3)].x < hd.h.b) ? hd.s[((hd.w.v)[11:4] & 8w3)].x : l9) == (hd.s[2].x * l9))) {
            } else {
                f2(hd.h.b);
            }
            if ((((hd.h.a >= hd.h.b) || (hd.s[3].x >= 8w128)) || (8w255 != hd.h.a))) {
                a12(hd.s[0].x, hd.g.a);
            }
            hd.h.b = ((hd.s[2].x)[1:0] ++ (hd.s[2].x)[7:2]);
        }
        a12(hd.h.a, l8);
        hd.g.setValid();
    }
    table t16 { key = { ((((8w1 == 8w2) ? hd.h.a : 8w128) << ((hd.s[(((l9 < hd.s[((-8w2) & 8w3)].x) ? hd.h.a : hd.h.b) & 8w3)].x)[4:0] ++ (hd.s[(((l9 < hd.s[((-8w2) & 8w3)].x) ? hd.h.a : hd.h.b) & 8w3)].x)[7:5])) & 8w3) : exact @name("k"); } actions = { a15; } default_action = a15(); const entries = { 0 : a15(); 2 : a15(); } }
    action a17() {
        f5(f2(hd.h.a), hd.w.v);
        hd.h.a = hd.s[2].x;
        switch ((((hd.s[((hd.h.b >> 8w2) & 8w3)].x ^ hd.h.a) |-| (hd.h.a + hd.h.a)) & 8w7)) {
            3: {
                hd.g.a = (((hd.s[((hd.s[(l8 & 8w3)].x ^ l8) & 8w3)].x == l9) ? (hd.s[0].x * 8w3) : (-hd.s[1].x)) |+| ((l9 | hd.s[((hd.w.v)[11:4] & 8w3)].x) & ((l9)[3:0] ++ (l9)[7:4])));
            }
            0: {
                a12(hd.h.a, hd.h.a);
                f5(f7(l9), hd.w.v);
                bit<8> v18 = ((-l8) & (hd.w.v)[11:4]);
                hd.h.b[1:1] = (((!(hd.h.b == hd.h.a)) ? hd.s[((l8 |+| l8) & 8w3)].x : (-8w255)))[0:0];
            }
            default: {
                f2(hd.h.a);
                a12(hd.h.b, hd.g.a);
                for (bit<8> i19 in 8w0..8w1) {
                }
            }
        }
    }
    table t20 { key = { ((-hd.h.a) & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(); const entries = { 2 : a17(); 1 : a17(); } }
    apply {
    sm.egress_spec = 1;
        t20.apply();
        f5(f7(hd.h.b), hd.w.v);
        hd.g.setInvalid();
        bit<8> v21 = (-hd.s[1].x);
        exit;
        f5(f2(l8), hd.w.v);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
