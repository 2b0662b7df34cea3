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
s_t f4(out bit<16> p1, in s_t p2) {
    bit<8> v3 = (-(p2.x + p2.y));
    return (s_t){ (8w3 >> 8w11), (-p2.y) };
}
void f7(inout bit<8> p5, out h_t p6) {
    return;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 85;
    bit<8> l9 = 231;
    action a12(in bit<8> p10, inout s_t p11) {
        f7(hd.h.a, hd.g);
        exit;
        f7(hd.h.a, hd.h);
    }
    action a13() {
        hd.g.setValid();
    }
    table t14 { key = { (((hd.h.b >= hd.h.b) ? 8w3 : ((l8)[6:0] ++ (l8)[7:7])) & 8w3) : exact @name("k"); } actions = { a13; } default_action = a13(); const entries = { 3 : a13(); 1 : a13(); } }
    apply {
    sm.egress_spec = 1;
        hd.g.setValid();
        hd.w.v = ((bit<16>)(((l8)[1:0] ++ (l8)[7:2])));
        if (((8w2 != hd.h.b) || (hd.h.a >= 8w255))) {
            if (((l8 == 8w2) && ((hd.h.a != hd.h.a) && (8w255 >= hd.h.a)))) {
                for (bit<8> i15 in 8w0..8w3) {
                    f4(hd.w.v, (s_t){ hd.s[(hd.h.b & 8w3)].x, 8w2 });
                }
                hd.h.a = (t14.apply().hit ? ((l9)[3:0] ++ (l9)[7:4]) : ((-8w2) << (hd.s[0].x * l8)));
            } else {
                t14.apply();
                f4(hd.w.v, f4(hd.w.v, (s_t){ hd.h.b, 8w128 }));
            }
            if (((-8w128) >= ((8w183 >= l8) ? hd.s[((-l9) & 8w3)].x : hd.h.b))) {
                if (((-l8) >= ((hd.h.a)[2:0] ++ (hd.h.a)[7:3]))) {
                    t14.apply();
                    f4(hd.w.v, (s_t){ hd.s[1].x, l9 });
                    t14.apply();
                } else {
                    f4(hd.w.v, f4(hd.w.v, (s_t){ hd.s[((l9 |+| 8w255) & 8w3)].x, hd.h.b }));
                    hd.g.setValid();
                    t14.apply();
                }
                t14.apply();
                switch (((-(hd.h.b |-| hd.h.b)) & 8w7)) {
                    2: {
                        hd.w.v = (hd.w.v |+| ((bit<16>)(((8w0)[0:0] ++ (8w0)[7:1]))));
                        hd.g.setInvalid();
                    }
                    5: {
                        t14.apply();
                        hd.h.b = ((hd.w.v)[11:4] - (-(-hd.h.b)));
                    }
                    default: {
                        f7(hd.s[((-hd.h.a) & 8w3)].x, hd.g);
                    }
                }
                hd.g.setValid();
            } else {
                t14.apply();
            }
        } else {
            if (((8w1 >> 8w5) >= (-hd.h.b))) {
                t14.apply();
                t14.apply();
            }
            switch (((((8w171 >= hd.s[0].x) ? 8w3 : 8w132) ^ (hd.h.b * hd.h.a)) & 8w7)) {
                3: {
                    hd.w.v = ((bit<16>)((((l9 < 8w3) ? hd.h.b : l8) |-| (-hd.h.b))));
                }
                0: {
                    hd.w.v = ((bit<16>)(((l9 == 8w2) ? (-l8) : (hd.s[1].x - hd.h.b))));
                    if (t14.apply().hit) {
                        hd.h.b[1:1] = (((l8 | hd.h.a) << (hd.s[((16w12338)[11:4] & 8w3)].x << 8w0)))[0:0];
                        t14.apply();
                        t14.apply();
                    }
                    bit<8> v16 = l9;
                }
                default: {
                    f7(hd.h.a, hd.g);
                    t14.apply();
                    for (bit<8> i17 in 8w0..8w2) {
                    }
                    hd.g.b = (-(((bit<16>)(8w128)))[11:4]);
                }
            }
        }
        s_t v18 = (s_t){ (-hd.s[((-hd.h.b) & 8w3)].x), (hd.w.v)[11:4] };
        f7(hd.h.a, hd.g);
        if (((hd.h.b + hd.h.b) == (hd.h.a - 8w1))) {
            v18 = f4(hd.w.v, f4(hd.w.v, (s_t){ hd.s[((hd.h.b & v18.y) & 8w3)].x, hd.h.a }));
            f4(hd.w.v, f4(hd.w.v, v18));
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
