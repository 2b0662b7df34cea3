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
void f5(inout bit<8> p1, out h_t p2) {
    if (((-p1) != (8w255 | p1))) {
        if ((((p1 < p1) ? 8w255 : p1) >= (8w128 << p1))) {
            bit<16> v3 = ((bit<16>)((8w128 + 8w3)));
        }
        if (((!(p1 < p1)) && (!(8w2 >= p1)))) {
            return;
        }
    }
    p1 = (((-p1) == (8w128 + p1)) ? 8w0 : ((p1 | 8w255) * ((p1 < p1) ? p1 : 8w75)));
    p1 = (((p1 ++ p1))[11:4] >> (-8w0));
    switch ((((p1)[1:0] ++ (p1)[7:2]) & 8w7)) {
        3: {
            switch (((-(8w1 - 8w255)) & 8w7)) {
                1: {
                }
                2: {
                    p1 = (p1 ^ (-(8w128 << p1)));
                    p1 = (16w59284)[11:4];
                }
                default: {
                    p1 = p1;
                    p1 = (-(((bit<16>)(8w126)))[11:4]);
                }
            }
            switch ((((16w3560)[11:4] ^ (p1 |-| p1)) & 8w7)) {
                4: {
                }
                3: {
                    bit<8> v4 = ((8w2 << p1) |+| (16w64621)[11:4]);
                }
                default: {
                }
            }
        }
        5: {
        }
        default: {
            p1[6:4] = (p1)[2:0];
            p1 = (-(-(-p1)));
        }
    }
}
bit<8> f8(in s_t p6, inout bit<16> p7) {
    p7 = ((bit<16>)((p6.y >> 8w1)));
    p7 = (((bit<16>)(((p6.y == p6.y) ? p6.y : p6.x))) + ((bit<16>)((-p6.x))));
    return (-((p6.x)[1:0] ++ (p6.x)[7:2]));
}
bit<8> f13(inout bit<8> p9) {
    p9 = (8w7 << 8w1);
    p9 = ((p9)[4:0] ++ (p9)[7:5]);
    for (bit<8> i10 in 8w0..8w3) {
        bit<8> v11 = ((i10 - i10) |+| p9);
        bit<16> v12 = ((bit<16>)(8w7));
    }
    return (8w7 ^ 8w7);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l14 = 85;
    bit<8> l15 = 65;
    action a17(inout s_t p16) {
        p16 = (s_t){ f8((s_t){ hd.s[2].x, 8w255 }, hd.w.v), f13(hd.s[(((8w128 == p16.y) ? p16.y : hd.s[((8w1 |-| l14) & 8w3)].x) & 8w3)].x) };
        f5(hd.h.b, hd.g);
        if ((hd.g.isValid() && (hd.h.b < hd.h.b))) {
            f8((s_t){ hd.h.b, hd.h.b }, hd.w.v);
        } else {
            hd.s[(((8w1 == p16.x) ? 8w255 : hd.s[1].x) & 8w3)].x[1:1] = (f8(p16, hd.w.v))[0:0];
            hd.w.v = ((bit<16>)(f13(l14)));
            f5(hd.h.a, hd.g);
        }
    }
    action a21(out bit<8> p18, inout s_t p19, out h_t p20) {
        if (hd.g.isValid()) {
            a17(p19);
            f5(l15, hd.h);
            hd.g.setInvalid();
            for (bit<8> i22 in 8w0..8w3) {
                f13(p19.y);
            }
        } else {
            p18 = ((hd.h.b)[3:0] ++ (hd.h.b)[7:4]);
        }
        if (hd.g.isValid()) {
            hd.g.setInvalid();
            bit<8> v23 = (f8((s_t){ 8w0, hd.s[((hd.w.v)[11:4] & 8w3)].x }, hd.w.v) ^ 8w3);
        } else {
            exit;
            hd.w.v = 16w22365;
        }
    }
    action a25(bit<8> d24) {
        hd.h.a = (hd.g.isValid() ? 8w0 : hd.h.a);
        bit<16> v26 = hd.w.v;
        hd.g.setInvalid();
    }
    table t27 { actions = { a25; } default_action = a25(45); }
    apply {
    sm.egress_spec = 1;
        if (((hd.h.b | 8w255) >= hd.h.a)) {
            hd.g.b = f8((s_t){ (l14 |+| l15), ((l14)[6:0] ++ (l14)[7:7]) }, hd.w.v);
            t27.apply();
        }
        hd.g.a = f8((s_t){ (hd.w.v)[11:4], hd.h.a }, hd.w.v);
        t27.apply();
        hd.g.a = (hd.h.a << (((8w2 < l15) ? hd.h.b : l14) |+| (hd.w.v)[11:4]));
        return;
        s_t v28 = (s_t){ f13(hd.h.b), f13(hd.s[(f13(l15) & 8w3)].x) };
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
