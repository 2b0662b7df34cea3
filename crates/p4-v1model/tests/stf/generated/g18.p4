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
bit<8> f3(inout bit<8> p1, out s_t p2) {
    p1 = ((((bit<16>)(8w255)))[11:4] * (-(p1 + p2.y)));
    return ((p1 |+| p1) << 8w7);
}
bit<8> f7(inout bit<8> p4, inout bit<8> p5, in s_t p6) {
    return p6.x;
    return p4;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 208;
    bit<8> l9 = 172;
    action a12(inout bit<8> p10, out bit<8> p11) {
        if (((hd.w.v)[11:4] == (8w128 << p10))) {
            for (bit<8> i13 in 8w0..8w2) {
                bit<16> v14 = ((bit<16>)((hd.h.b + hd.h.a)));
            }
        } else {
            hd.g.setValid();
        }
        if (((8w1 << 8w9) == (8w3 + hd.h.a))) {
            hd.g.setValid();
        }
        if (((hd.s[2].x == hd.s[1].x) && (l9 >= 8w231))) {
            if (((hd.h.b |-| l8) == (hd.h.b << 8w1))) {
                f7(hd.s[(((8w255)[6:0] ++ (8w255)[7:7]) & 8w3)].x, hd.s[((8w128 ^ 8w173) & 8w3)].x, (s_t){ 8w106, hd.h.b });
            } else {
                p11 = hd.h.a;
            }
        }
    }
    action a15() {
        switch ((8w7 & 8w7)) {
            5: {
                hd.h.b = 8w7;
                a12(l9, hd.s[0].x);
            }
            4: {
                l9 = f7(hd.s[1].x, l8, (s_t){ 8w7, (8w255 >> l8) });
                hd.h.b = ((f7(hd.h.b, l9, (s_t){ hd.h.b, l9 }) >> 8w10) + (8w7 |-| l8));
            }
            default: {
                switch (((((hd.h.b)[5:0] ++ (hd.h.b)[7:6]) << 8w10) & 8w7)) {
                    3: {
                        hd.h.a[7:5] = (8w255)[2:0];
                        hd.g.setValid();
                        f7(hd.h.a, hd.s[1].x, (s_t){ hd.h.a, 8w3 });
                    }
                    0: {
                        bit<16> v16 = (hd.h.a ++ (hd.h.b |+| hd.h.a));
                    }
                    default: {
                    }
                }
                hd.g.setInvalid();
            }
        }
        hd.h.b = hd.h.a;
        hd.g.b = ((((bit<16>)(hd.h.b)) - ((bit<16>)(8w20))))[11:4];
    }
    table t17 { key = { (f7(hd.h.b, hd.s[(8w7 & 8w3)].x, (s_t){ hd.s[3].x, hd.s[(f7(hd.s[(l8 & 8w3)].x, hd.h.a, (s_t){ hd.s[(f7(l8, hd.s[((hd.w.v)[11:4] & 8w3)].x, (s_t){ hd.s[((hd.h.a |-| 8w255) & 8w3)].x, hd.s[((16w36181)[11:4] & 8w3)].x }) & 8w3)].x, hd.h.a }) & 8w3)].x }) & 8w3) : exact @name("k"); } actions = { a15; } default_action = a15(); const entries = { 1 : a15(); 0 : a15(); } }
    action a18() {
        for (bit<8> i19 in 8w0..8w2) {
            break;
            hd.w.v = (hd.h.a ++ (f7(l9, hd.h.a, (s_t){ hd.s[(8w7 & 8w3)].x, hd.h.b }) |-| (8w1 << l9)));
        }
    }
    table t20 { actions = { a18; } default_action = a18(); }
    apply {
    sm.egress_spec = 1;
        f7(hd.h.b, hd.s[3].x, (s_t){ l9, hd.s[0].x });
        t17.apply();
        switch ((8w7 & 8w7)) {
            0: {
                t20.apply();
                exit;
                a12(hd.h.a, hd.s[((8w1 |+| hd.h.b) & 8w3)].x);
                a12(hd.h.a, hd.h.a);
            }
            3: {
                switch ((((8w3 + hd.h.a) << (hd.s[0].x - hd.h.a)) & 8w7)) {
                    1: {
                        return;
                        for (bit<8> i21 in 8w0..8w2) {
                            continue;
                            t17.apply();
                        }
                    }
                    5: {
                        hd.s[((hd.h.b << hd.s[2].x) & 8w3)].x = 8w128;
                    }
                    default: {
                        if ((8w7 == ((l9)[3:0] ++ (l9)[7:4]))) {
                            hd.g.b = (((l9 == hd.h.b) ? 8w3 : f7(hd.h.b, hd.s[(((hd.h.a)[5:0] ++ (hd.h.a)[7:6]) & 8w3)].x, (s_t){ l8, 8w60 })) >> hd.s[((16w42972)[11:4] & 8w3)].x);
                        }
                        t17.apply();
                    }
                }
            }
            default: {
                hd.g.b = (((8w128 == hd.h.b) ? (l9 |-| l9) : f7(hd.h.a, l9, (s_t){ l9, hd.h.a })) - ((hd.s[((hd.h.a | hd.h.b) & 8w3)].x)[4:0] ++ (hd.s[((hd.h.a | hd.h.b) & 8w3)].x)[7:5]));
            }
        }
        t20.apply();
        bit<8> v22 = l8;
        t17.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
