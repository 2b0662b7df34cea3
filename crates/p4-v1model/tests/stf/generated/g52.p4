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
    return p1;
}
bit<8> f5(inout bit<16> p3) {
    if (((!(8w128 == 8w176)) || (8w1 < 8w3))) {
    }
    if ((8w7 == (8w0 |+| 8w3))) {
        bit<8> v4 = ((8w0)[5:0] ++ (8w0)[7:6]);
        f2(v4);
    } else {
        if ((8w0 == 8w7)) {
        }
    }
    return 8w1;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 28;
    bit<8> l7 = 184;
    action a10(out bit<16> p8, inout bit<8> p9) {
        hd.s[3].x = ((8w128)[3:0] ++ (8w128)[7:4]);
        f2(p9);
    }
    action a12(inout s_t p11) {
        a10(hd.w.v, hd.h.b);
        f5(hd.w.v);
    }
    action a14(bit<8> d13) {
        hd.w.v = (((l6 & 8w1) + f2(hd.s[0].x)) ++ ((l7 ++ 8w3))[11:4]);
        hd.h.a = (l7 | ((hd.s[0].x)[2:0] ++ (hd.s[0].x)[7:3]));
        f2(l7);
    }
    table t15 { actions = { a14; } default_action = a14(61); }
    action a16() {
        hd.w.v = hd.w.v;
        l7 = ((hd.s[1].x)[6:0] ++ (hd.s[1].x)[7:7]);
        hd.s[(l7 & 8w3)].x = (f2(hd.h.a) >> f2(hd.s[2].x));
    }
    table t17 { key = { ((f2(hd.h.a) |+| (hd.w.v)[11:4]) & 8w3) : exact @name("k"); } actions = { a16; } default_action = a16(); const entries = { 2 : a16(); 3 : a16(); } }
    apply {
    sm.egress_spec = 1;
        if ((f5(hd.w.v) == hd.h.b)) {
            if (((!(hd.s[(((l6 >= 8w3) ? hd.h.b : hd.h.b) & 8w3)].x < l7)) && t17.apply().hit)) {
                t17.apply();
                hd.s[((16w10602)[11:4] & 8w3)].x = f5(hd.w.v);
                t15.apply();
            } else {
                bit<16> v18 = (f2(l6) ++ (hd.h.a |-| hd.h.a));
                hd.g.setValid();
                f2(hd.s[(((8w1 >= hd.h.a) ? hd.h.a : hd.h.b) & 8w3)].x);
            }
            a10(hd.w.v, hd.s[0].x);
        }
        switch ((f2(l6) & 8w7)) {
            4: {
                if (((l7 & 8w108) == (hd.h.b & hd.h.b))) {
                    if (((hd.h.a == hd.h.a) || (l7 < hd.h.b))) {
                        t15.apply();
                        a10(hd.w.v, hd.h.a);
                    } else {
                        f2(hd.h.a);
                        hd.h.a[4:1] = (((hd.h.b)[3:0] ++ (hd.h.b)[7:4]))[3:0];
                        exit;
                    }
                    hd.h.a = (((8w2 < 8w255) && (hd.s[((hd.s[1].x * hd.s[1].x) & 8w3)].x == l7)) ? (((hd.h.a != hd.s[(f2(hd.h.a) & 8w3)].x) ? l7 : hd.h.b) & (8w2 & hd.s[((hd.s[((hd.h.b | hd.s[2].x) & 8w3)].x ^ hd.s[0].x) & 8w3)].x)) : f5(hd.w.v));
                    hd.w.v = ((bit<16>)((f5(hd.w.v) >> 8w9)));
                    l7 = f5(hd.w.v);
                } else {
                    f5(hd.w.v);
                    switch ((hd.s[((16w57394)[11:4] & 8w3)].x & 8w7)) {
                        0: {
                            f5(hd.w.v);
                            s_t v19 = (s_t){ (8w0 | 8w1), ((l6)[4:0] ++ (l6)[7:5]) };
                        }
                        1: {
                            hd.h.a[3:0] = (f2(l7))[3:0];
                            hd.w.v = ((bit<16>)(f5(hd.w.v)));
                            f5(hd.w.v);
                        }
                        default: {
                            t17.apply();
                            hd.h.a[4:2] = (8w255)[2:0];
                            f5(hd.w.v);
                            f2(hd.h.b);
                        }
                    }
                    a10(hd.w.v, hd.s[((hd.s[((hd.h.b ^ hd.h.b) & 8w3)].x - l6) & 8w3)].x);
                    if (((!(hd.h.a == hd.s[0].x)) || (hd.s[3].x != hd.h.b))) {
                        f2(hd.h.a);
                        f2(l6);
                    }
                }
            }
            0: {
                if (t17.apply().hit) {
                }
                hd.g.setInvalid();
                t15.apply();
                return;
            }
            default: {
                a10(hd.w.v, hd.s[(((hd.h.a < 8w197) ? l6 : l7) & 8w3)].x);
            }
        }
        t17.apply();
        hd.h.a = f5(hd.w.v);
        a10(hd.w.v, hd.s[0].x);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
