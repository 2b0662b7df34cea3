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
void f4(inout bit<8> p1, in bit<16> p2) {
    switch (((-(-p1)) & 8w7)) {
        4: {
        }
        5: {
            p1 = (((p1 == p1) || ((p1 < p1) && (p1 == p1))) ? (-((p1 < 8w128) ? p1 : p1)) : (-(-8w0)));
        }
        default: {
            p1 = (-(-((p1)[2:0] ++ (p1)[7:3])));
            bit<8> v3 = p1;
        }
    }
    if (((p1 < p1) && (p1 == p1))) {
        p1[2:2] = ((((p1 >= p1) && (p1 == p1)) ? (-p1) : (-p1)))[0:0];
        p1 = 8w200;
    }
    switch (((-(-8w255)) & 8w7)) {
        0: {
            p1 = (((-p1) << 8w3) |-| (((8w3 >= p1) ? p1 : 8w255) |+| (p1 >> p1)));
        }
        5: {
            p1[0:0] = ((-p1))[0:0];
            p1 = (((8w0)[4:0] ++ (8w0)[7:5]) << 8w7);
        }
        default: {
            p1 = (((p1 < p1) && (8w2 != p1)) ? (-(p1 >> 8w11)) : (-p1));
        }
    }
    if (((p2)[11:4] == ((p1)[3:0] ++ (p1)[7:4]))) {
    }
}
bit<8> f6(inout bit<8> p5) {
    p5[5:1] = ((8w251 ^ (p5 << 8w0)))[4:0];
    p5[7:4] = (((p5)[3:0] ++ (p5)[7:4]))[3:0];
    p5 = ((8w128)[2:0] ++ (8w128)[7:3]);
    p5[7:6] = (p5)[1:0];
    return p5;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l7 = 46;
    bit<8> l8 = 255;
    action a12(inout bit<8> p9, out s_t p10, inout bit<8> p11) {
        l7 = ((((p10.x != hd.h.b) ? hd.h.b : p10.y) |+| f6(l7)) - (((l8 < l7) && (hd.h.b == hd.h.b)) ? hd.h.b : f6(p9)));
        hd.w.v = ((bit<16>)(l8));
        f4(hd.s[(f6(hd.h.a) & 8w3)].x, (hd.w.v * hd.w.v));
    }
    action a16(in h_t p13, inout bit<8> p14, in s_t p15) {
        switch ((8w0 & 8w7)) {
            0: {
            }
            5: {
                hd.s[2].x = ((p14)[5:0] ++ (p14)[7:6]);
                if ((f6(hd.s[3].x) != (hd.h.b ^ 8w255))) {
                    f4(l7, (16w57075 |+| hd.w.v));
                }
            }
            default: {
                hd.g.setValid();
            }
        }
        return;
    }
    action a17() {
        f4(hd.s[2].x, (l8 ++ 8w2));
    }
    table t18 { key = { (((hd.h.a * hd.h.a) |+| (l8 >> 8w8)) & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(); const entries = { 0 : a17(); 1 : a17(); } }
    action a20(bit<8> d19) {
        switch ((hd.h.a & 8w7)) {
            4: {
                if (hd.g.isValid()) {
                    hd.h.b = (((hd.s[(hd.s[(hd.h.b & 8w3)].x & 8w3)].x == d19) && (l7 >= hd.s[0].x)) ? (f6(hd.s[(f6(hd.h.a) & 8w3)].x) << 8w5) : 8w128);
                    f6(hd.s[0].x);
                } else {
                    a16(hd.h, hd.h.b, (s_t){ hd.h.a, hd.h.a });
                    return;
                    f6(hd.s[((d19 ^ l7) & 8w3)].x);
                }
            }
            0: {
                bit<8> v21 = (hd.g.isValid() ? (8w132 << 8w6) : hd.h.b);
                if ((8w0 < ((hd.h.a == l7) ? hd.s[(f6(hd.h.b) & 8w3)].x : d19))) {
                    f4(hd.h.a, hd.w.v);
                }
                hd.s[((8w128 |+| hd.h.a) & 8w3)].x = l7;
                hd.s[(f6(l7) & 8w3)].x = (l8 |+| (f6(hd.h.b) >> (8w128 - d19)));
            }
            default: {
                switch ((8w255 & 8w7)) {
                    0: {
                        f6(hd.s[((8w3 << 8w128) & 8w3)].x);
                        l8 = (((8w3 ++ hd.s[2].x) + ((bit<16>)(8w0))))[11:4];
                    }
                    3: {
                    }
                    default: {
                        f6(l7);
                    }
                }
                hd.h.b = f6(hd.h.b);
                exit;
            }
        }
    }
    table t22 { key = { (hd.h.a & 8w3) : exact @name("k"); } actions = { a20; } default_action = a20(215); const entries = { 1 : a20(227); 3 : a20(52); } }
    apply {
    sm.egress_spec = 1;
        f6(hd.h.b);
        t22.apply();
        hd.g.setValid();
        t22.apply();
        hd.g.setInvalid();
        hd.h.b = hd.h.a;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
