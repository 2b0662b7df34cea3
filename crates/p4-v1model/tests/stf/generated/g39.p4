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
void f2(inout bit<16> p1) {
    if ((((8w255 < 8w84) ? 8w3 : 8w2) == (8w218 |-| 8w128))) {
        if (((8w2 | 8w2) >= ((8w201 >= 8w2) ? 8w128 : 8w3))) {
        }
    }
    if (((8w128 |+| 8w255) != (8w2 >> 8w2))) {
        if ((((8w37 >= 8w255) ? 8w1 : 8w3) == (8w1 << 8w1))) {
        }
    }
}
bit<8> f6(inout bit<8> p3, in bit<16> p4) {
    if (((p4)[11:4] == (-p3))) {
        if (((-8w1) == (-p3))) {
        } else {
            p3 = ((p3 ++ (8w128 | 8w2)))[11:4];
            bit<16> v5 = (((bit<16>)(p3)) |+| (p4 - 16w47163));
            f2(v5);
        }
    } else {
        switch ((((p3 << 8w11) + ((p3 >= p3) ? 8w128 : p3)) & 8w7)) {
            0: {
                p3 = (p4)[11:4];
            }
            5: {
                p3 = (-(((p3 != p3) ? p3 : p3) & (8w0 << p3)));
            }
            default: {
            }
        }
        return 8w79;
    }
    return ((p3 |-| p3) + ((8w64)[4:0] ++ (8w64)[7:5]));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l7 = 187;
    bit<8> l8 = 219;
    action a11(out bit<16> p9, in bit<8> p10) {
        p9 = ((((hd.h.a == l8) || (hd.h.b < hd.h.b)) ? f6(hd.h.a, 16w22901) : f6(hd.h.a, hd.w.v)) ++ (p9)[11:4]);
    }
    action a15(inout s_t p12, in h_t p13, inout bit<8> p14) {
        hd.s[(((8w1)[0:0] ++ (8w1)[7:1]) & 8w3)].x = f6(hd.s[1].x, (f6(hd.s[(f6(l8, hd.w.v) & 8w3)].x, 16w64247) ++ (hd.h.b - p14)));
        if ((8w3 == hd.h.a)) {
            l8 = f6(hd.h.b, ((bit<16>)((hd.s[(f6(hd.h.b, 16w20483) & 8w3)].x - p12.y))));
            hd.w.v = ((bit<16>)(f6(p12.y, ((bit<16>)(hd.h.b)))));
        } else {
            return;
        }
        l8 = (f6(p12.y, (l8 ++ 8w3)) - hd.h.b);
    }
    action a17(bit<8> d16) {
        hd.g.setInvalid();
        s_t v18 = (s_t){ 8w63, 8w255 };
        hd.g.setValid();
    }
    table t19 { key = { (f6(hd.h.b, (hd.w.v |+| 16w36484)) & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(216); const entries = { 0 : a17(92); 1 : a17(206); } }
    action a20() {
        f2(hd.w.v);
    }
    table t21 { key = { (((8w255 < 8w77) ? (hd.h.b & hd.h.a) : (hd.h.a >> hd.h.b)) & 8w3) : exact @name("k"); } actions = { a20; } default_action = a20(); const entries = { 0 : a20(); 1 : a20(); } }
    apply {
    sm.egress_spec = 1;
        hd.s[((hd.w.v)[11:4] & 8w3)].x = f6(hd.s[2].x, ((8w3 ++ hd.h.b) ^ ((bit<16>)(hd.h.b))));
        hd.s[(((hd.h.b != hd.s[(((hd.h.b)[0:0] ++ (hd.h.b)[7:1]) & 8w3)].x) ? hd.h.b : hd.h.b) & 8w3)].x = ((!((8w3 < hd.h.b) && (hd.h.b == hd.h.a))) ? f6(hd.h.a, ((bit<16>)(l7))) : 8w0);
        if ((!(!(l8 >= hd.h.b)))) {
            exit;
            switch (((((bit<16>)(hd.h.b)))[11:4] & 8w7)) {
                3: {
                    t21.apply();
                    hd.h.a[0:0] = (((hd.h.a)[2:0] ++ (hd.h.a)[7:3]))[0:0];
                    if (((hd.h.a >= 8w3) && (hd.h.a == hd.h.a))) {
                        t19.apply();
                        a11(hd.w.v, l8);
                    }
                }
                1: {
                    for (bit<8> i22 in 8w0..8w3) {
                        t19.apply();
                        break;
                        hd.w.v = ((bit<16>)((f6(hd.h.b, hd.w.v) >> 8w9)));
                        exit;
                    }
                    if (((16w18956)[11:4] >= f6(hd.h.b, hd.w.v))) {
                        exit;
                    } else {
                        f2(hd.w.v);
                        f6(hd.h.a, hd.w.v);
                        hd.w.v = (((hd.s[2].x & hd.h.a) * ((8w128)[0:0] ++ (8w128)[7:1])) ++ f6(hd.h.a, (hd.w.v |+| hd.w.v)));
                    }
                }
                default: {
                    hd.g.setValid();
                }
            }
        } else {
            s_t v23 = (s_t){ f6(l7, 16w60317), (hd.w.v)[11:4] };
            f6(hd.h.b, (hd.w.v - hd.w.v));
            f2(hd.w.v);
        }
        a11(hd.w.v, (l8 |+| 8w84));
        t19.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
