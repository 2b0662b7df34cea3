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
bit<8> f6(inout bit<16> p1, inout bit<8> p2) {
    if ((((p2 != 8w2) ? p2 : p2) == ((8w0 == p2) ? p2 : 8w255))) {
        p2[4:4] = (p2)[0:0];
    } else {
        for (bit<8> i3 in 8w0..8w2) {
            p2[2:1] = ((-p2))[1:0];
            p1 = p1;
            continue;
        }
        bit<8> v4 = p2;
    }
    bit<8> v5 = ((p2 |+| p2) >> 8w0);
    return p2;
}
bit<8> f8(in h_t p7) {
    switch (((((8w1 == 8w255) && (8w3 != 8w215)) ? (8w3 + 8w3) : 8w7) & 8w7)) {
        1: {
        }
        5: {
            if (((8w255 != 8w2) && ((8w3 == 8w255) && (8w2 == 8w128)))) {
            }
            if ((8w255 == 8w7)) {
                return 8w7;
            }
        }
        default: {
        }
    }
    return (((bit<16>)(8w3)))[11:4];
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 50;
    bit<8> l10 = 213;
    action a12(inout s_t p11) {
        f6(hd.w.v, p11.x);
        hd.g.setInvalid();
    }
    action a15(in s_t p13, out bit<16> p14) {
        hd.g.setValid();
        for (bit<8> i16 in 8w0..8w1) {
            hd.h.a[2:1] = (f6(p14, hd.h.a))[1:0];
        }
    }
    action a20(out bit<16> p17, out bit<8> p18, inout bit<8> p19) {
        hd.g.setInvalid();
        exit;
        if ((f6(p17, hd.s[((hd.s[(f8(hd.g) & 8w3)].x << hd.h.b) & 8w3)].x) == hd.h.a)) {
            if (((hd.h.a & hd.h.b) == 8w128)) {
                hd.s[0].x = (((bit<16>)(f8(hd.g))))[11:4];
                hd.g.setInvalid();
            } else {
                l9 = f8(hd.h);
                return;
            }
            hd.s[3].x = f8(hd.h);
        } else {
            l10 = (f8(hd.g) & f8(hd.h));
            hd.h.a[7:3] = ((((hd.s[(((p18 == hd.h.b) ? hd.h.a : p18) & 8w3)].x < p18) ? 8w242 : p19) & f6(p17, hd.s[2].x)))[4:0];
            for (bit<8> i21 in 8w0..8w3) {
                hd.s[2].x = ((f6(p17, p18) < (l9 |+| hd.s[1].x)) ? ((hd.h.a ^ l10) | (i21 ^ p19)) : f8(hd.h));
            }
        }
    }
    action a22() {
        a15((s_t){ hd.h.b, hd.s[1].x }, hd.w.v);
        if (hd.g.isValid()) {
            if (((hd.h.b >= hd.h.b) && (8w1 >= hd.s[3].x))) {
                f6(hd.w.v, hd.h.a);
            }
        }
        bit<8> v23 = ((hd.w.v)[11:4] |-| (hd.h.a ^ hd.h.b));
    }
    table t24 { actions = { a22; } default_action = a22(); }
    apply {
    sm.egress_spec = 1;
        for (bit<8> i25 in 8w0..8w3) {
            a15((s_t){ 8w255, hd.h.a }, hd.w.v);
            t24.apply();
        }
        if ((f8(hd.g) != f6(hd.w.v, hd.s[1].x))) {
            hd.w.v = 16w12923;
            hd.h.b[0:0] = (f8(hd.h))[0:0];
            hd.h.b = hd.h.a;
        } else {
            f8(hd.g);
            a20(hd.w.v, hd.g.a, l9);
            hd.w.v = (l10 ++ hd.h.b);
        }
        a20(hd.w.v, hd.s[((8w2 >> 8w221) & 8w3)].x, l10);
        bit<8> v26 = ((hd.w.v ^ hd.w.v))[11:4];
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
