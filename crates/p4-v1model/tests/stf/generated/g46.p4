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
void f3(out bit<16> p1) {
    switch ((((8w128 != 8w0) ? ((8w128)[6:0] ++ (8w128)[7:7]) : (8w255 |+| 8w1)) & 8w7)) {
        3: {
            if ((8w2 == (8w247 + 8w1))) {
            }
        }
        0: {
            p1 = (((bit<16>)((-8w0))) ^ ((bit<16>)((-8w0))));
            bit<8> v2 = 8w128;
        }
        default: {
        }
    }
    if ((((8w3 >= 8w209) || (8w128 < 8w0)) && (8w3 != 8w218))) {
        if ((8w1 == (-8w255))) {
        }
    } else {
        if (((8w2 + 8w0) != (8w255 + 8w0))) {
        }
    }
}
void f7(inout bit<8> p4, inout bit<16> p5, in bit<8> p6) {
    f3(p5);
    p4 = 8w1;
    p5 = ((bit<16>)(((p4)[5:0] ++ (p4)[7:6])));
    return;
}
s_t f11(out bit<8> p8, out bit<8> p9, inout s_t p10) {
    p10.y = (-((8w110)[5:0] ++ (8w110)[7:6]));
    p9[2:2] = (((p10.x)[4:0] ++ (p10.x)[7:5]))[0:0];
    return p10;
}
bit<8> f14(out bit<8> p12, inout bit<16> p13) {
    if (((p12 >> 8w6) == (8w2 ^ p12))) {
        return ((p13 + 16w9030))[11:4];
        return (((p12 < p12) ? p12 : 8w222) + (-8w3));
    }
    p13 = ((p12 ^ 8w128) ++ ((16w35824 |+| 16w49043))[11:4]);
    f7(p12, p13, (p12 |-| p12));
    f3(p13);
    return p12;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l15 = 164;
    bit<8> l16 = 144;
    action a19(in bit<8> p17, out h_t p18) {
        hd.h.b = (((8w3 != p17) && (p17 >= hd.h.b)) ? f14(hd.h.a, hd.w.v) : ((l15)[2:0] ++ (l15)[7:3]));
        l15 = f14(hd.g.b, hd.w.v);
        f7(hd.s[(((hd.h.a)[5:0] ++ (hd.h.a)[7:6]) & 8w3)].x, hd.w.v, f14(hd.s[1].x, hd.w.v));
    }
    action a22(out h_t p20, inout bit<8> p21) {
        l15[1:1] = (((8w3 |+| p21) >> 8w10))[0:0];
        bit<8> v23 = (hd.h.a |-| 8w2);
    }
    action a25(out bit<8> p24) {
        for (bit<8> i26 in 8w0..8w3) {
            hd.s[3].x = ((hd.h.a)[2:0] ++ (hd.h.a)[7:3]);
            hd.w.v = ((bit<16>)(i26));
        }
        switch ((f14(l15, hd.w.v) & 8w7)) {
            5: {
                hd.w.v = ((bit<16>)(((l16 |+| hd.h.b) | (hd.h.b ^ hd.h.a))));
                s_t v27 = (s_t){ 8w1, 8w2 };
                v27 = (s_t){ ((hd.s[((hd.w.v)[11:4] & 8w3)].x >= v27.y) ? ((8w0)[2:0] ++ (8w0)[7:3]) : f14(hd.h.a, hd.w.v)), ((16w34324)[11:4] << 8w10) };
                l16 = hd.s[(((8w1 < hd.s[(8w128 & 8w3)].x) ? hd.h.b : v27.y) & 8w3)].x;
            }
            4: {
                exit;
                bit<16> v28 = hd.w.v;
                f14(l15, hd.w.v);
            }
            default: {
                return;
                if ((f14(hd.s[2].x, hd.w.v) != (l15 - 8w255))) {
                    hd.g.setValid();
                } else {
                    a22(hd.h, hd.s[3].x);
                }
            }
        }
    }
    action a30(bit<8> d29) {
        f3(hd.w.v);
        hd.g.setValid();
    }
    table t31 { key = { (((hd.h.a |-| l15) << (hd.h.a * hd.s[((8w128 |+| l15) & 8w3)].x)) & 8w3) : exact @name("k"); } actions = { a30; } default_action = a30(207); const entries = { 3 : a30(176); 0 : a30(133); } }
    apply {
    sm.egress_spec = 1;
        t31.apply();
        if (t31.apply().hit) {
            if (((hd.h.b * hd.h.b) == f14(l15, hd.w.v))) {
                a22(hd.h, l15);
            } else {
                l15 = ((((8w1)[6:0] ++ (8w1)[7:7]) == (l16 |+| l15)) ? ((hd.s[(f14(l15, hd.w.v) & 8w3)].x)[1:0] ++ (hd.s[(f14(l15, hd.w.v) & 8w3)].x)[7:2]) : l15);
            }
            t31.apply();
            a25(hd.g.a);
            hd.g.b = f14(hd.h.a, hd.w.v);
        }
        a19((8w3 + l15), hd.h);
        hd.s[1].x = ((l15)[2:0] ++ (l15)[7:3]);
        t31.apply();
        hd.g.setValid();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
