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
bit<8> f5(in h_t p1, inout bit<8> p2, in s_t p3) {
    p2[6:6] = ((8w122 |-| p2))[0:0];
    p2 = ((((p2)[0:0] ++ (p2)[7:1]) - (p2 |-| p2)) * 8w1);
    switch ((((p2)[5:0] ++ (p2)[7:6]) & 8w7)) {
        2: {
            p2 = 8w128;
        }
        1: {
            bit<8> v4 = (((p3.x < p3.y) ? 8w255 : 8w3) |-| (8w3 - p3.y));
        }
        default: {
        }
    }
    return ((-p3.x) << 8w7);
}
bit<8> f9(in bit<8> p6, in s_t p7) {
    if ((p7.y == ((8w128)[6:0] ++ (8w128)[7:7]))) {
        bit<16> v8 = ((bit<16>)(8w7));
    }
    return (8w2 ^ 8w2);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l10 = 76;
    bit<8> l11 = 247;
    action a15(out h_t p12, inout bit<8> p13, out s_t p14) {
        l11 = (((hd.h.b + 8w0) >> f5(hd.h, hd.s[2].x, (s_t){ 8w128, p14.x })) >> 8w4);
        for (bit<8> i16 in 8w0..8w1) {
            for (bit<8> i17 in 8w0..8w2) {
                hd.w.v = (((hd.h.a != hd.h.a) ? (p13 |+| 8w3) : (hd.h.a |-| p14.x)) ++ f5(hd.h, p14.x, p14));
                f9((hd.s[((8w128 * hd.h.a) & 8w3)].x - hd.h.b), p14);
                f5(hd.h, p14.x, p14);
                f9(((l11 == hd.h.a) ? hd.h.a : hd.s[(((8w2 == hd.s[(f5(hd.h, p14.y, (s_t){ hd.h.a, 8w0 }) & 8w3)].x) ? l11 : hd.h.a) & 8w3)].x), (s_t){ 8w255, hd.s[((l10 |+| l11) & 8w3)].x });
            }
            return;
            if (((l10 << 8w3) != f5(hd.g, hd.s[((hd.h.a |+| l11) & 8w3)].x, (s_t){ p13, hd.h.a }))) {
                bit<8> v18 = f9((hd.h.b & 8w0), p14);
            } else {
                f9((p13 ^ p13), (s_t){ l10, hd.h.a });
                p14.x = f5(hd.h, hd.s[(l11 & 8w3)].x, (s_t){ (hd.h.b & p14.y), (p14.y + hd.h.b) });
            }
        }
    }
    action a22(in bit<8> p19, inout s_t p20, out h_t p21) {
        a15(p21, p20.x, p20);
        l10 = f9(((8w128)[1:0] ++ (8w128)[7:2]), p20);
    }
    action a26(out h_t p23, in h_t p24, out h_t p25) {
        bit<8> v27 = hd.h.b;
        switch ((f5(hd.g, hd.h.a, (s_t){ hd.s[1].x, hd.h.a }) & 8w7)) {
            2: {
                if ((f5(hd.h, hd.s[(((hd.h.a < 8w255) ? v27 : hd.h.b) & 8w3)].x, (s_t){ 8w68, hd.h.a }) == f5(hd.g, hd.s[((8w2 ^ l10) & 8w3)].x, (s_t){ v27, hd.s[(((hd.h.a)[6:0] ++ (hd.h.a)[7:7]) & 8w3)].x }))) {
                    hd.h.b = (8w126 - f9((hd.h.a << 8w0), (s_t){ hd.h.a, hd.h.b }));
                    hd.w.v = hd.w.v;
                    hd.s[(((l11)[2:0] ++ (l11)[7:3]) & 8w3)].x = (((hd.h.a | hd.h.a) ^ (hd.h.a + 8w1)) | f9((8w144 * hd.h.b), (s_t){ hd.h.a, 8w0 }));
                }
                f5(hd.g, hd.h.b, (s_t){ hd.s[((l11 << 8w4) & 8w3)].x, hd.h.b });
                hd.h.b = f9(((hd.s[3].x ++ l10))[11:4], (s_t){ (v27 ^ v27), (l10 | hd.h.b) });
            }
            5: {
                switch ((l10 & 8w7)) {
                    4: {
                        hd.h.b = (((hd.h.b)[6:0] ++ (hd.h.b)[7:7]) << ((8w0 |-| l11) * (l11 + hd.s[(((hd.h.b)[5:0] ++ (hd.h.b)[7:6]) & 8w3)].x)));
                        hd.g.setInvalid();
                        return;
                    }
                    0: {
                        hd.g.setInvalid();
                        f5(hd.g, l11, (s_t){ 8w1, hd.s[(l10 & 8w3)].x });
                        hd.g.setValid();
                    }
                    default: {
                        f9(f9(8w128, (s_t){ hd.h.a, hd.h.b }), (s_t){ hd.h.b, 8w0 });
                    }
                }
                if (((8w3 & 8w255) == f5(hd.g, l10, (s_t){ hd.s[((hd.s[2].x * hd.s[2].x) & 8w3)].x, hd.h.a }))) {
                    hd.s[1].x = (((hd.w.v)[11:4] |+| l10) - (((l10 >= hd.h.b) ? hd.s[(((v27 < hd.s[0].x) ? hd.h.a : hd.h.a) & 8w3)].x : hd.s[(f9(8w255, (s_t){ hd.s[0].x, hd.h.a }) & 8w3)].x) & f5(hd.h, l10, (s_t){ 8w2, hd.s[3].x })));
                    f5(hd.g, hd.h.b, (s_t){ hd.h.b, v27 });
                } else {
                    f9((hd.w.v)[11:4], (s_t){ 8w2, 8w2 });
                    hd.w.v = ((bit<16>)((((hd.s[0].x < hd.h.b) ? 8w128 : hd.s[0].x) << f9(8w255, (s_t){ hd.h.b, l10 }))));
                }
                hd.h.a[3:1] = (f9((8w1 & hd.s[(hd.s[(f5(hd.h, hd.h.a, (s_t){ hd.h.a, 8w184 }) & 8w3)].x & 8w3)].x), (s_t){ hd.h.b, l10 }))[2:0];
            }
            default: {
            }
        }
    }
    action a28() {
        exit;
        hd.w.v = hd.w.v;
    }
    table t29 { key = { (((hd.h.a)[4:0] ++ (hd.h.a)[7:5]) & 8w3) : exact @name("k"); } actions = { a28; } default_action = a28(); const entries = { 2 : a28(); 3 : a28(); } }
    action a31(bit<8> d30) {
        hd.w.v = ((bit<16>)(((8w234 - d30) + hd.h.b)));
        if ((((hd.s[0].x)[0:0] ++ (hd.s[0].x)[7:1]) != (hd.h.a |-| hd.h.b))) {
            hd.g.a = ((hd.h.a)[4:0] ++ (hd.h.a)[7:5]);
        }
    }
    table t32 { key = { (((hd.s[2].x)[6:0] ++ (hd.s[2].x)[7:7]) & 8w3) : exact @name("k"); } actions = { a31; } default_action = a31(61); const entries = { 1 : a31(52); 0 : a31(188); } }
    apply {
    sm.egress_spec = 1;
        a26(hd.h, hd.g, hd.g);
        hd.g.setValid();
        l11 = hd.h.a;
        hd.h.a = (((!(l10 < hd.h.a)) ? (16w27514)[11:4] : (hd.s[(f5(hd.g, hd.h.b, (s_t){ 8w1, hd.s[(hd.h.a & 8w3)].x }) & 8w3)].x | l11)) * (((bit<16>)(l11)))[11:4]);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
