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
bit<8> f3(out bit<8> p1, inout bit<8> p2) {
    if (((p2 << p2) == (p2 - p1))) {
        p2[0:0] = (p1)[0:0];
    }
    return ((p1 >= 8w144) ? (8w128 << 8w2) : (16w50034)[11:4]);
}
bit<8> f7(inout bit<16> p4, inout bit<8> p5, out s_t p6) {
    f3(p6.x, p6.y);
    p5[2:0] = (8w1)[2:0];
    if (((p5 |-| p6.x) < f3(p6.y, p6.y))) {
        p6.y = f3(p6.y, p6.x);
        p6.y = f3(p5, p5);
    }
    return (((p5 == p5) && (p6.x >= p6.y)) ? f3(p6.y, p6.y) : (p6.y |-| p5));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 108;
    bit<8> l9 = 36;
    action a13(out bit<16> p10, inout s_t p11, inout bit<8> p12) {
        hd.g.setValid();
        if (((l9 != 8w2) || (hd.h.a == p12))) {
            bit<16> v14 = ((bit<16>)(8w1));
            hd.h.a = 8w1;
            p11.y[3:2] = ((f3(hd.g.b, hd.s[((hd.h.a |+| hd.h.b) & 8w3)].x) >> 8w9))[1:0];
        }
        f3(hd.h.b, hd.s[(((p11.y)[6:0] ++ (p11.y)[7:7]) & 8w3)].x);
    }
    action a16(bit<8> d15) {
        hd.g.setInvalid();
        exit;
        f3(hd.h.a, l8);
    }
    table t17 { key = { (f3(hd.h.b, l9) & 8w3) : exact @name("k"); } actions = { a16; } default_action = a16(171); const entries = { 2 : a16(191); 1 : a16(69); } }
    apply {
    sm.egress_spec = 1;
        f3(l9, hd.s[((hd.s[3].x << l8) & 8w3)].x);
        hd.w.v = 16w42323;
        if (((8w255 + hd.h.a) != (hd.w.v)[11:4])) {
            for (bit<8> i18 in 8w0..8w1) {
                hd.w.v = 16w52613;
                if (t17.apply().hit) {
                    exit;
                    return;
                    f3(hd.h.b, l8);
                    f3(hd.s[(f3(hd.g.b, l9) & 8w3)].x, hd.h.b);
                }
                return;
                t17.apply();
            }
            if ((8w7 == hd.h.b)) {
                bit<16> v19 = ((bit<16>)((hd.h.b |-| l8)));
            } else {
                exit;
                t17.apply();
            }
            switch ((((8w128)[0:0] ++ (8w128)[7:1]) & 8w7)) {
                5: {
                    l8 = hd.h.b;
                }
                3: {
                    bit<16> v20 = (16w53591 - ((bit<16>)(8w255)));
                }
                default: {
                    t17.apply();
                    for (bit<8> i21 in 8w0..8w1) {
                        bit<16> v22 = ((bit<16>)(((hd.h.b != hd.h.b) ? 8w2 : hd.h.b)));
                        t17.apply();
                    }
                    hd.w.v = (((l9 - hd.s[0].x) + 8w0) ++ (8w7 | (hd.h.b |-| 8w1)));
                }
            }
        }
        exit;
        hd.s[((8w3 >> 8w0) & 8w3)].x = f3(l8, hd.h.a);
        t17.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
