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
bit<8> f3(out h_t p1) {
    return ((8w156 ++ 8w2))[11:4];
    if (((-8w2) != (-8w3))) {
    }
    bit<8> v2 = (((8w1 != 8w128) && (8w255 != 8w2)) ? (8w0 |+| 8w1) : ((8w255)[6:0] ++ (8w255)[7:7]));
    return ((-8w2) * (8w3 >> 8w128));
}
bit<8> f10(out bit<8> p4, inout s_t p5, out h_t p6) {
    switch (((((bit<16>)(8w2)))[11:4] & 8w7)) {
        0: {
            bit<8> v7 = (16w61494)[11:4];
        }
        2: {
            p5 = p5;
            if ((((p5.y >= p5.x) && (p5.x < 8w1)) || ((p4 == 8w3) || (8w128 != 8w128)))) {
                f3(p6);
                return (f3(p6) << f3(p6));
                return (((p5.y == p4) ? p4 : p5.y) * (p5.y * 8w0));
            } else {
                f3(p6);
                f3(p6);
            }
            if (((8w3 << 8w0) == (p5.y | p5.x))) {
                bit<8> v8 = ((8w0 ++ p4))[11:4];
                f3(p6);
            }
        }
        default: {
            if (((16w4202)[11:4] >= f3(p6))) {
                f3(p6);
                p5.x[6:2] = (p4)[4:0];
                p4 = p4;
            } else {
                f3(p6);
                f3(p6);
            }
            f3(p6);
            for (bit<8> i9 in 8w0..8w3) {
            }
            p4 = ((8w255 * (p4 + 8w1)) << (f3(p6) - p4));
        }
    }
    f3(p6);
    p4 = p5.x;
    p5.x[3:1] = (p4)[2:0];
    return (f3(p6) >> ((p4)[0:0] ++ (p4)[7:1]));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l11 = 61;
    bit<8> l12 = 179;
    action a16(inout bit<8> p13, out s_t p14, inout bit<8> p15) {
        hd.g.b = hd.s[2].x;
        f3(hd.h);
        return;
    }
    action a19(inout bit<16> p17, out bit<8> p18) {
        bit<16> v20 = ((hd.h.a + 8w128) ++ (hd.s[(f3(hd.h) & 8w3)].x ^ l11));
        l11[3:3] = ((((hd.h.b)[3:0] ++ (hd.h.b)[7:4]) |-| (hd.w.v)[11:4]))[0:0];
        if ((((p18 == hd.h.b) && (hd.h.a >= hd.s[((hd.h.b & hd.h.a) & 8w3)].x)) && hd.g.isValid())) {
            for (bit<8> i21 in 8w0..8w1) {
                l12[5:1] = (((hd.h.a |-| hd.h.a) |-| i21))[4:0];
            }
        } else {
            hd.s[((p17)[11:4] & 8w3)].x[5:1] = (hd.h.a)[4:0];
        }
    }
    action a22() {
        bit<8> v23 = ((hd.s[(hd.s[(((hd.h.a)[1:0] ++ (hd.h.a)[7:2]) & 8w3)].x & 8w3)].x >= hd.h.b) ? (hd.h.b |+| hd.h.b) : ((8w2 == l12) ? l12 : hd.h.b));
        f3(hd.g);
    }
    table t24 { key = { (((l11 << 8w3) & 8w7) & 8w3) : exact @name("k"); } actions = { a22; } default_action = a22(); const entries = { 1 : a22(); 3 : a22(); } }
    apply {
    sm.egress_spec = 1;
        bit<8> v25 = (hd.h.a | f3(hd.g));
        t24.apply();
        hd.h.a = hd.h.b;
        if (t24.apply().hit) {
            if ((8w7 < 8w1)) {
                switch (((f3(hd.h) + f3(hd.g)) & 8w7)) {
                    1: {
                        a19(hd.w.v, hd.h.a);
                        t24.apply();
                        f3(hd.g);
                    }
                    4: {
                        t24.apply();
                    }
                    default: {
                        f3(hd.h);
                        f3(hd.h);
                        hd.s[3].x[6:2] = ((8w7 |+| (16w29373)[11:4]))[4:0];
                        t24.apply();
                    }
                }
                hd.g.setInvalid();
                t24.apply();
                if (((v25 << 8w10) == 8w7)) {
                    l11 = l12;
                }
            } else {
                hd.w.v = hd.w.v;
            }
        } else {
            if (t24.apply().hit) {
                l11 = 8w2;
                exit;
            } else {
                a19(hd.w.v, l11);
                hd.g.setInvalid();
                hd.g.setValid();
            }
            f3(hd.g);
        }
        hd.h.a[7:0] = ((8w7 >> (hd.s[(8w2 & 8w3)].x & 8w1)))[7:0];
        exit;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
