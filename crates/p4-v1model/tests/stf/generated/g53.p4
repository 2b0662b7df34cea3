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
void f2(out bit<8> p1) {
}
void f4(in bit<8> p3) {
    return;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l5 = 103;
    bit<8> l6 = 118;
    action a8(inout bit<8> p7) {
        hd.s[(hd.h.a & 8w3)].x[5:1] = (((-hd.h.a) |-| hd.s[((8w1 + hd.h.b) & 8w3)].x))[4:0];
        bit<16> v9 = ((bit<16>)(((hd.h.b < hd.h.b) ? hd.s[2].x : hd.h.a)));
    }
    action a13(inout bit<8> p10, inout bit<8> p11, out bit<8> p12) {
        switch (((-p12) & 8w7)) {
            4: {
                s_t v14 = (s_t){ (l6 | 8w0), ((l6 != hd.h.b) ? l6 : 8w3) };
                exit;
                p10 = ((hd.s[(((p10)[5:0] ++ (p10)[7:6]) & 8w3)].x)[4:0] ++ (hd.s[(((p10)[5:0] ++ (p10)[7:6]) & 8w3)].x)[7:5]);
                a8(hd.h.b);
            }
            3: {
                return;
                f4((hd.s[(((hd.h.a)[4:0] ++ (hd.h.a)[7:5]) & 8w3)].x << hd.h.a));
            }
            default: {
                exit;
                hd.h.a = (((hd.s[((p10 + 8w3) & 8w3)].x)[6:0] ++ (hd.s[((p10 + 8w3) & 8w3)].x)[7:7]) - ((hd.h.a)[2:0] ++ (hd.h.a)[7:3]));
            }
        }
        a8(hd.h.b);
    }
    action a16(bit<8> d15) {
        switch (((((d15)[2:0] ++ (d15)[7:3]) ^ (8w220 + 8w255)) & 8w7)) {
            3: {
                f2(hd.s[1].x);
                hd.h.b = hd.s[((hd.h.a ^ hd.h.a) & 8w3)].x;
            }
            4: {
            }
            default: {
                f2(hd.h.a);
                switch ((((hd.h.a | 8w1) & (hd.h.b - hd.h.a)) & 8w7)) {
                    4: {
                        f4(hd.s[((-hd.h.b) & 8w3)].x);
                        f2(l6);
                    }
                    3: {
                    }
                    default: {
                        a8(hd.h.b);
                        a13(hd.h.b, hd.s[0].x, hd.g.b);
                    }
                }
                for (bit<8> i17 in 8w0..8w2) {
                    hd.s[(((l6 >= l6) ? hd.h.b : 8w126) & 8w3)].x[1:0] = ((-((8w3 == l5) ? hd.h.b : i17)))[1:0];
                }
            }
        }
        a13(hd.h.b, hd.h.b, hd.h.b);
        f4((-l6));
    }
    table t18 { key = { (((hd.h.b & l6) << (hd.s[1].x |+| hd.h.a)) & 8w3) : exact @name("k"); } actions = { a16; } default_action = a16(97); const entries = { 2 : a16(218); 1 : a16(25); } }
    action a19() {
        exit;
        hd.h.b = (-(-((hd.h.a != hd.h.a) ? hd.h.a : hd.h.b)));
    }
    table t20 { key = { ((-((8w255 >= l5) ? hd.h.a : hd.s[(((hd.s[2].x == hd.s[0].x) ? hd.h.b : 8w2) & 8w3)].x)) & 8w3) : exact @name("k"); } actions = { a19; } default_action = a19(); const entries = { 3 : a19(); 2 : a19(); } }
    apply {
    sm.egress_spec = 1;
        hd.w.v = 16w44448;
        switch ((((hd.s[((-8w2) & 8w3)].x << hd.h.b) * (-8w3)) & 8w7)) {
            5: {
                exit;
                hd.w.v = ((bit<16>)(hd.s[0].x));
            }
            3: {
                bit<8> v21 = ((hd.h.a ++ hd.h.b))[11:4];
            }
            default: {
                s_t v22 = (s_t){ hd.h.b, (hd.s[((-l6) & 8w3)].x ^ 8w128) };
            }
        }
        if (((8w128 < hd.h.b) && (hd.h.b == l6))) {
            a13(l6, l5, hd.h.b);
        }
        hd.h.a = (8w2 | (((8w0)[5:0] ++ (8w0)[7:6]) | ((l5)[5:0] ++ (l5)[7:6])));
        hd.h.a[5:5] = (((hd.s[1].x)[6:0] ++ (hd.s[1].x)[7:7]))[0:0];
        hd.h.a = (((-8w2) | (-l6)) | (hd.s[0].x - ((8w1 != hd.s[((hd.s[0].x * hd.h.b) & 8w3)].x) ? hd.h.b : hd.s[(((8w0)[0:0] ++ (8w0)[7:1]) & 8w3)].x)));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
