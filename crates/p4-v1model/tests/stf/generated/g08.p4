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
void f2(inout bit<8> p1) {
}
bit<8> f6(inout bit<8> p3, out bit<8> p4, in bit<8> p5) {
    f2(p3);
    f2(p4);
    f2(p4);
    return ((p3)[4:0] ++ (p3)[7:5]);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l7 = 52;
    bit<8> l8 = 218;
    action a12(out bit<8> p9, inout s_t p10, out s_t p11) {
        f6(hd.h.a, l7, (16w25397)[11:4]);
        if (((hd.s[((8w3 << 8w2) & 8w3)].x | p11.x) == f6(l7, hd.h.a, 8w154))) {
            p11.x = f6(p10.y, p10.y, (((8w1)[2:0] ++ (8w1)[7:3]) << 8w10));
        } else {
            switch ((((p10.x)[6:0] ++ (p10.x)[7:7]) & 8w7)) {
                5: {
                    f2(hd.h.a);
                }
                4: {
                    hd.w.v = (((l7)[5:0] ++ (l7)[7:6]) ++ ((p9)[4:0] ++ (p9)[7:5]));
                }
                default: {
                    p11 = p10;
                }
            }
        }
        if (hd.g.isValid()) {
            s_t v13 = p10;
            hd.g.b = (f6(v13.x, p10.y, f6(l7, hd.g.a, v13.x)) >> 8w4);
            f6(hd.s[(f6(v13.x, hd.s[2].x, 8w2) & 8w3)].x, v13.x, f6(hd.h.a, hd.h.b, p9));
            f6(hd.h.b, hd.s[((hd.w.v)[11:4] & 8w3)].x, f6(hd.s[((p9 |+| l8) & 8w3)].x, hd.h.b, v13.x));
        }
    }
    action a14() {
        f6(l7, hd.s[2].x, ((hd.s[(f6(hd.h.b, hd.g.a, hd.s[2].x) & 8w3)].x)[2:0] ++ (hd.s[(f6(hd.h.b, hd.g.a, hd.s[2].x) & 8w3)].x)[7:3]));
        exit;
        for (bit<8> i15 in 8w0..8w3) {
            f2(hd.h.a);
        }
    }
    table t16 { key = { (f6(hd.h.a, l7, l7) & 8w3) : exact @name("k"); } actions = { a14; } default_action = a14(); const entries = { 1 : a14(); 0 : a14(); } }
    apply {
    sm.egress_spec = 1;
        hd.g.a = f6(hd.h.a, hd.h.b, f6(l7, hd.s[1].x, (hd.h.b - hd.s[(f6(hd.h.a, hd.s[0].x, l8) & 8w3)].x)));
        t16.apply();
        t16.apply();
        hd.h.a = (((l7 >> 8w6) << 8w2) << (((hd.h.b >= 8w3) || (8w0 == hd.h.a)) ? ((hd.s[2].x >= hd.h.a) ? hd.h.a : hd.s[(l7 & 8w3)].x) : hd.h.a));
        if (hd.g.isValid()) {
            f6(l8, hd.s[2].x, (hd.h.b - 8w128));
            if (t16.apply().hit) {
                t16.apply();
            } else {
                t16.apply();
                hd.s[2].x[3:2] = (f6(l7, hd.h.b, ((hd.s[(f6(hd.s[(f6(hd.s[(f6(hd.h.b, hd.h.b, hd.h.b) & 8w3)].x, hd.h.a, 8w1) & 8w3)].x, hd.g.a, hd.h.a) & 8w3)].x)[6:0] ++ (hd.s[(f6(hd.s[(f6(hd.s[(f6(hd.h.b, hd.h.b, hd.h.b) & 8w3)].x, hd.h.a, 8w1) & 8w3)].x, hd.g.a, hd.h.a) & 8w3)].x)[7:7])))[1:0];
                hd.g.setInvalid();
            }
            if ((!(hd.s[0].x == hd.h.b))) {
                if ((((hd.h.b)[5:0] ++ (hd.h.b)[7:6]) == (l7 & hd.h.a))) {
                    f6(hd.s[(((l7)[4:0] ++ (l7)[7:5]) & 8w3)].x, l8, (hd.w.v)[11:4]);
                    f6(hd.s[(f6(hd.s[(((hd.h.b < hd.s[1].x) ? 8w3 : l7) & 8w3)].x, hd.h.b, hd.s[0].x) & 8w3)].x, hd.h.a, 8w255);
                } else {
                    f6(hd.h.a, hd.h.a, (l8 - hd.s[((l8 |+| 8w1) & 8w3)].x));
                    f2(l8);
                    t16.apply();
                }
                hd.h.a = hd.s[(f6(hd.h.a, l8, hd.h.b) & 8w3)].x;
            }
            exit;
        }
        hd.h.b = (((hd.s[((l8 << 8w4) & 8w3)].x >> 8w1) ++ f6(hd.s[(f6(hd.s[(f6(hd.s[0].x, hd.s[1].x, hd.h.b) & 8w3)].x, hd.g.b, 8w0) & 8w3)].x, hd.h.b, 8w255)))[11:4];
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
