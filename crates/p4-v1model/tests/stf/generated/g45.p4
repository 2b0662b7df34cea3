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
bit<8> f6(out h_t p1, out bit<8> p2, inout bit<8> p3) {
    bit<16> v4 = ((bit<16>)(((p3)[5:0] ++ (p3)[7:6])));
    bit<16> v5 = 16w427;
    p3[6:6] = ((((bit<16>)(p3)))[11:4])[0:0];
    p3 = (-((p2)[0:0] ++ (p2)[7:1]));
    return (-(8w255 - p3));
}
bit<8> f9(in bit<8> p7) {
    if ((((p7)[4:0] ++ (p7)[7:5]) == 8w7)) {
        switch (((((8w0)[6:0] ++ (8w0)[7:7]) >> 8w1) & 8w7)) {
            4: {
            }
            1: {
            }
            default: {
                bit<16> v8 = ((bit<16>)(8w7));
            }
        }
    }
    return (8w7 >> (p7 ^ p7));
}
bit<8> f13(out h_t p10, in bit<16> p11, out bit<8> p12) {
    switch ((((8w2)[1:0] ++ (8w2)[7:2]) & 8w7)) {
        1: {
            p12 = (((16w17878)[11:4] << 8w8) |-| (f9(8w3) |-| p12));
        }
        5: {
        }
        default: {
            f9(p12);
            f9((p12 | 8w1));
        }
    }
    f6(p10, p12, p12);
    return 8w1;
}
void f19(inout bit<16> p14, inout bit<8> p15, out s_t p16) {
    p14 = ((bit<16>)(8w7));
    p16.x[5:5] = ((8w3 | (p16.y * 8w255)))[0:0];
    if ((p15 == ((8w1)[1:0] ++ (8w1)[7:2]))) {
        p14 = 16w33303;
        p16 = p16;
    } else {
        bit<16> v17 = ((bit<16>)((p15 |+| p16.x)));
        p16 = (s_t){ (v17)[11:4], p16.y };
        s_t v18 = p16;
    }
    f9(8w7);
}
control C22(inout bit<8> p20, in bit<16> p21) {
    bit<8> l23 = 217;
    bit<8> l24 = 144;
    action a26(in bit<8> p25) {
        l23[4:2] = (f9((p21)[11:4]))[2:0];
    }
    action a27() {
        f9(f9(p20));
    }
    table t28 { actions = { a27; } default_action = a27(); }
    action a30(bit<8> d29) {
    }
    table t31 { key = { (((l24)[3:0] ++ (l24)[7:4]) & 8w3) : exact @name("k"); } actions = { a30; } default_action = a30(97); const entries = { 2 : a30(247); 1 : a30(222); } }
    apply {
        t28.apply();
        l24 = (8w7 | ((l24)[4:0] ++ (l24)[7:5]));
        bit<16> v32 = (8w16 ++ f9(l24));
        t31.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l33 = 114;
    bit<8> l34 = 236;
    action a38(out h_t p35, inout bit<8> p36, out h_t p37) {
        exit;
        hd.w.v = hd.w.v;
        f9(hd.h.a);
    }
    action a42(inout bit<8> p39, in s_t p40, out h_t p41) {
    }
    action a44(inout bit<8> p43) {
        s_t v45 = (s_t){ (hd.h.b ^ 8w0), (l33 << hd.s[((16w3146)[11:4] & 8w3)].x) };
        f13(hd.h, (v45.y ++ hd.s[((hd.w.v)[11:4] & 8w3)].x), l34);
        hd.g.b = ((f13(hd.g, hd.w.v, hd.h.a) != f9(hd.h.b)) ? v45.y : (f13(hd.h, 16w10425, hd.h.b) | (l34 - hd.h.b)));
    }
    action a47(bit<8> d46) {
        l34 = f9((f9(hd.h.b) |-| f13(hd.h, 16w60447, hd.s[(((8w2 != l34) ? 8w2 : 8w2) & 8w3)].x)));
        bit<16> v48 = ((bit<16>)((hd.h.a >> 8w9)));
        exit;
    }
    table t49 { key = { (f6(hd.g, hd.s[2].x, l34) & 8w3) : exact @name("k"); } actions = { a47; } default_action = a47(113); const entries = { 2 : a47(252); 3 : a47(29); } }
    apply {
    sm.egress_spec = 1;
        f6(hd.h, l34, l33);
        hd.g.setInvalid();
        for (bit<8> i50 in 8w0..8w1) {
            hd.g.setInvalid();
            t49.apply();
            if (t49.apply().hit) {
                hd.w.v = ((bit<16>)((((hd.s[3].x)[3:0] ++ (hd.s[3].x)[7:4]) + ((i50)[0:0] ++ (i50)[7:1]))));
            } else {
                hd.h.a[0:0] = ((((hd.s[3].x)[0:0] ++ (hd.s[3].x)[7:1]) & ((hd.s[0].x)[6:0] ++ (hd.s[0].x)[7:7])))[0:0];
            }
            a44(l34);
        }
        hd.s[3].x = f13(hd.h, (((bit<16>)(8w255)) ^ ((bit<16>)(hd.h.a))), hd.s[(f13(hd.h, hd.w.v, hd.g.a) & 8w3)].x);
        hd.h.a[4:0] = ((t49.apply().hit ? hd.s[(f9(l33) & 8w3)].x : f9(l34)))[4:0];
        if ((l33 < (l33 |+| hd.h.a))) {
            hd.g.setValid();
        } else {
            hd.g.setValid();
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
