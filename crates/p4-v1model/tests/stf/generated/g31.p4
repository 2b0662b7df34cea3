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
bit<8> f2(inout bit<8> p1) {
    p1 = (((p1)[1:0] ++ (p1)[7:2]) | p1);
    return (-((p1 >= 8w2) ? p1 : p1));
    if ((((p1)[2:0] ++ (p1)[7:3]) == (p1 + 8w171))) {
    }
    return (-(p1 * p1));
}
bit<8> f7(in h_t p3) {
    if ((8w7 == 8w255)) {
        if (((8w255 >= 8w0) || ((8w0 != 8w113) && (8w93 != 8w128)))) {
            return 8w1;
        }
        for (bit<8> i4 in 8w0..8w3) {
        }
    }
    switch (((8w0 >> ((8w118 >= 8w128) ? 8w0 : 8w68)) & 8w7)) {
        4: {
        }
        3: {
            for (bit<8> i5 in 8w0..8w3) {
            }
            bit<16> v6 = 16w19221;
        }
        default: {
        }
    }
    return 8w0;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 188;
    bit<8> l9 = 251;
    action a12(in bit<8> p10, out bit<8> p11) {
        if ((f7(hd.g) == f7(hd.g))) {
            f2(hd.h.a);
            hd.w.v = ((bit<16>)(f7(hd.h)));
            hd.w.v = hd.w.v;
        } else {
            f2(l9);
            if ((!hd.g.isValid())) {
                f7(hd.g);
            } else {
                f7(hd.h);
                f7(hd.h);
                f2(l9);
                f2(hd.s[3].x);
            }
            for (bit<8> i13 in 8w0..8w3) {
                f7(hd.g);
                f7(hd.g);
            }
            hd.g.setInvalid();
        }
        hd.w.v = (((bit<16>)((8w99 >> hd.s[(f7(hd.g) & 8w3)].x))) |+| ((bit<16>)(((hd.h.a)[3:0] ++ (hd.h.a)[7:4]))));
    }
    action a15(bit<8> d14) {
        f7(hd.g);
        hd.g.setValid();
        hd.g.setValid();
    }
    table t16 { key = { (((hd.h.b - hd.h.a) |+| f7(hd.g)) & 8w3) : exact @name("k"); } actions = { a15; } default_action = a15(218); const entries = { 3 : a15(89); 1 : a15(110); } }
    apply {
    sm.egress_spec = 1;
        f7(hd.h);
        a12(((8w128 == l8) ? hd.h.a : 8w3), hd.g.b);
        if (t16.apply().hit) {
            hd.g.a = ((f2(hd.h.a) ++ ((l9)[3:0] ++ (l9)[7:4])))[11:4];
            t16.apply();
            if ((((8w1)[0:0] ++ (8w1)[7:1]) >= hd.s[1].x)) {
                if ((((hd.s[((hd.h.a << l8) & 8w3)].x)[4:0] ++ (hd.s[((hd.h.a << l8) & 8w3)].x)[7:5]) != (hd.s[(hd.s[(((hd.h.b)[0:0] ++ (hd.h.b)[7:1]) & 8w3)].x & 8w3)].x | hd.h.b))) {
                    a12((hd.s[3].x << 8w0), hd.h.a);
                }
                bit<8> v17 = (f2(hd.h.b) >> (hd.w.v)[11:4]);
                hd.s[(hd.h.b & 8w3)].x = f2(hd.h.b);
                f2(hd.h.b);
            }
            if ((f2(hd.s[0].x) != ((hd.h.b != l8) ? hd.s[((8w1 * hd.h.b) & 8w3)].x : hd.s[3].x))) {
                f7(hd.g);
                hd.s[((16w1535)[11:4] & 8w3)].x = ((hd.s[(8w3 & 8w3)].x)[1:0] ++ (hd.s[(8w3 & 8w3)].x)[7:2]);
            }
        } else {
            hd.g.b = f7(hd.h);
        }
        exit;
        hd.h.a[6:5] = (((hd.h.a)[2:0] ++ (hd.h.a)[7:3]))[1:0];
        hd.h.a[0:0] = (f2(l8))[0:0];
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
