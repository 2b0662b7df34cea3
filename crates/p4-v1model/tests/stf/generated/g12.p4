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
bit<8> f3(inout bit<16> p1, out bit<8> p2) {
    return (-(-p2));
    if ((p2 >= (p2 << p2))) {
    }
    return (p2 * (-8w35));
}
bit<8> f6(out h_t p4, inout bit<8> p5) {
    p5[1:1] = (8w7)[0:0];
    p5 = (8w7 >> 8w2);
    return (((bit<16>)(p5)))[11:4];
}
control C8(inout Headers hd, in h_t p7) {
    bit<8> l9 = 130;
    bit<8> l10 = 167;
    action a12(inout s_t p11) {
        p11 = p11;
        f6(hd.g, hd.h.a);
    }
    action a13() {
        hd.h.a = ((!(hd.h.a == hd.s[((hd.w.v)[11:4] & 8w3)].x)) ? (f3(hd.w.v, hd.h.b) |+| (16w62227)[11:4]) : ((8w128 ++ l10))[11:4]);
        hd.h.b = 8w2;
        l9 = (((hd.h.b + 8w0) - (8w2 |-| hd.h.a)) - f3(hd.w.v, l9));
    }
    table t14 { actions = { a13; } default_action = a13(); }
    action a16(bit<8> d15) {
        hd.s[((hd.s[(((hd.h.a)[4:0] ++ (hd.h.a)[7:5]) & 8w3)].x |-| 8w1) & 8w3)].x = f6(hd.g, hd.h.a);
        f6(hd.g, hd.h.b);
    }
    table t17 { key = { (((hd.w.v * hd.w.v))[11:4] & 8w3) : exact @name("k"); } actions = { a16; } default_action = a16(170); const entries = { 2 : a16(198); 3 : a16(244); } }
    apply {
        t14.apply();
        f3(hd.w.v, hd.h.a);
        hd.w.v = (f6(hd.h, hd.s[((hd.s[2].x >> l9) & 8w3)].x) ++ ((16w61144)[11:4] | f3(hd.w.v, hd.h.a)));
        hd.s[3].x = hd.h.a;
        t17.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l18 = 110;
    bit<8> l19 = 189;
    action a21(in bit<8> p20) {
        hd.w.v = ((bit<16>)((f3(hd.w.v, l18) & (8w0 | 8w110))));
        hd.h.a = f3(hd.w.v, hd.h.a);
    }
    action a23(bit<8> d22) {
        f3(hd.w.v, hd.h.a);
        hd.g.a = (8w206 >> ((hd.w.v ^ hd.w.v))[11:4]);
        l19[0:0] = (8w1)[0:0];
    }
    table t24 { key = { (hd.h.a & 8w3) : exact @name("k"); } actions = { a23; } default_action = a23(102); const entries = { 0 : a23(45); 1 : a23(235); } }
    action a26(bit<8> d25) {
        switch (((((hd.h.a == 8w1) ? hd.h.b : l19) ^ f6(hd.g, hd.h.b)) & 8w7)) {
            4: {
                hd.w.v = ((bit<16>)(((l18)[0:0] ++ (l18)[7:1])));
                f6(hd.h, l18);
                hd.h.b[5:3] = (((hd.w.v |+| hd.w.v))[11:4])[2:0];
            }
            0: {
                s_t v27 = (s_t){ f6(hd.h, l18), (hd.w.v)[11:4] };
            }
            default: {
                hd.g.setValid();
                a21((l18 - 8w0));
            }
        }
        hd.w.v = hd.w.v;
        f6(hd.h, hd.h.b);
    }
    table t28 { actions = { a26; } default_action = a26(72); }
    apply {
    sm.egress_spec = 1;
        if (t28.apply().hit) {
            f3(hd.w.v, hd.h.a);
            f6(hd.h, hd.s[((hd.w.v)[11:4] & 8w3)].x);
            a21(f3(hd.w.v, hd.s[2].x));
        } else {
            hd.h.b = l19;
            switch (((((hd.h.b)[2:0] ++ (hd.h.b)[7:3]) + (hd.s[((l18 + hd.s[(hd.s[1].x & 8w3)].x) & 8w3)].x | hd.s[(f6(hd.h, hd.s[3].x) & 8w3)].x)) & 8w7)) {
                5: {
                    a21(f3(hd.w.v, l19));
                    t24.apply();
                    a21(f3(hd.w.v, l18));
                }
                4: {
                    if ((f6(hd.g, hd.h.a) == (16w53725)[11:4])) {
                        bit<16> v29 = ((hd.s[2].x ++ l18) ^ hd.w.v);
                    } else {
                        f6(hd.h, l19);
                        f3(hd.w.v, hd.h.b);
                        l18 = ((hd.h.a)[4:0] ++ (hd.h.a)[7:5]);
                        bit<16> v30 = ((bit<16>)(f6(hd.g, hd.s[2].x)));
                    }
                }
                default: {
                    hd.w.v = (((bit<16>)((hd.h.a - hd.h.b))) |+| ((hd.w.v ^ hd.w.v) * ((bit<16>)(8w255))));
                    hd.w.v = hd.w.v;
                    t24.apply();
                    hd.g.setInvalid();
                }
            }
        }
        t28.apply();
        exit;
        hd.h.a = (((bit<16>)(((l18 < 8w2) ? hd.s[(f3(hd.w.v, hd.s[1].x) & 8w3)].x : l19))))[11:4];
        f6(hd.g, l18);
        if (((8w64 < 8w3) || (8w0 == hd.s[(f3(hd.w.v, hd.s[(f3(hd.w.v, hd.h.a) & 8w3)].x) & 8w3)].x))) {
            l19 = f6(hd.g, hd.h.a);
        } else {
            for (bit<8> i31 in 8w0..8w1) {
                break;
            }
            hd.g.b = ((f6(hd.g, hd.h.b) ++ ((hd.h.b)[0:0] ++ (hd.h.b)[7:1])))[11:4];
            f3(hd.w.v, hd.s[((8w220 | 8w2) & 8w3)].x);
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
