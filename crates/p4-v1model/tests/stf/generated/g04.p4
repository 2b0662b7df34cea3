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
bit<8> f3(out h_t p1, out s_t p2) {
    p2 = (s_t){ p2.x, (-(8w2 - p2.y)) };
    return ((16w43638)[11:4] + (-p2.y));
}
s_t f5(inout bit<16> p4) {
    return (s_t){ 8w7, (8w167 + 8w128) };
    return (s_t){ 8w2, (8w3 << 8w9) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 25;
    bit<8> l7 = 112;
    action a11(out bit<16> p8, inout bit<16> p9, inout bit<8> p10) {
        for (bit<8> i12 in 8w0..8w1) {
            f5(p8);
            if ((((hd.h.a < 8w0) && (hd.s[((hd.h.b << l6) & 8w3)].x == hd.s[2].x)) || (hd.s[(8w7 & 8w3)].x == 8w1))) {
            }
        }
        p8 = ((bit<16>)(8w255));
        if ((!hd.g.isValid())) {
        } else {
            switch (((((l6 != 8w0) ? 8w50 : 8w0) |+| 8w7) & 8w7)) {
                1: {
                    hd.w.v = ((((bit<16>)(hd.h.b)) |+| ((bit<16>)(8w3))) |+| ((bit<16>)((hd.w.v)[11:4])));
                    bit<16> v13 = ((bit<16>)(((p10 < hd.h.a) ? hd.h.a : hd.h.a)));
                }
                3: {
                    exit;
                }
                default: {
                    hd.g.setValid();
                }
            }
            f5(p8);
            if (hd.g.isValid()) {
                f5(hd.w.v);
            }
        }
    }
    action a17(in h_t p14, inout bit<8> p15, out bit<8> p16) {
        if (((hd.w.v)[11:4] == (hd.w.v)[11:4])) {
            f5(hd.w.v);
        } else {
            a11(hd.w.v, hd.w.v, l6);
        }
    }
    action a18() {
        bit<8> v19 = (hd.w.v)[11:4];
        if (((hd.h.b == hd.s[((hd.h.b - 8w3) & 8w3)].x) || ((l6 != hd.h.b) || (hd.s[(hd.s[(((l6)[4:0] ++ (l6)[7:5]) & 8w3)].x & 8w3)].x >= hd.h.b)))) {
            hd.g.setInvalid();
        }
    }
    table t20 { actions = { a18; } default_action = a18(); }
    action a22(bit<8> d21) {
        hd.s[((hd.w.v)[11:4] & 8w3)].x = (((8w0 << hd.s[(8w7 & 8w3)].x) ^ hd.h.b) << 8w10);
        bit<8> v23 = ((hd.h.a)[2:0] ++ (hd.h.a)[7:3]);
    }
    table t24 { key = { (8w7 & 8w3) : exact @name("k"); } actions = { a22; } default_action = a22(45); const entries = { 0 : a22(23); 3 : a22(157); } }
    apply {
    sm.egress_spec = 1;
        a11(hd.w.v, hd.w.v, hd.h.b);
        exit;
        hd.w.v = (((l6 | 8w0) << 8w3) ++ ((8w255 == l6) ? 8w7 : (hd.h.b << 8w1)));
        hd.h.a = (8w7 + 8w7);
        if ((8w128 != 8w7)) {
            hd.g.setInvalid();
            a17(hd.g, hd.h.b, hd.s[2].x);
            hd.g.b = (((l7)[3:0] ++ (l7)[7:4]) | (8w7 - 8w7));
        } else {
            hd.h.a[7:7] = ((((hd.s[(8w7 & 8w3)].x < hd.s[(8w7 & 8w3)].x) || (l7 != 8w0)) ? (l7 & hd.h.a) : (l6 << hd.h.a)))[0:0];
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
