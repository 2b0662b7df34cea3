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
s_t f5(out h_t p1) {
    for (bit<8> i2 in 8w0..8w2) {
    }
    switch ((((8w3 * 8w255) * (8w255 |+| 8w128)) & 8w7)) {
        3: {
        }
        1: {
            if ((!(8w3 == 8w128))) {
                s_t v3 = (s_t){ (8w255 * 8w255), (8w255 * 8w1) };
            }
            bit<16> v4 = 16w60370;
        }
        default: {
            if (((-8w2) == (-8w211))) {
            }
        }
    }
    return (s_t){ (-8w0), ((8w2 < 8w255) ? 8w3 : 8w0) };
}
void f9(out bit<8> p6, inout bit<8> p7, inout bit<8> p8) {
    p6[1:1] = ((-8w255))[0:0];
}
bit<8> f11(in h_t p10) {
    return 8w2;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l12 = 138;
    bit<8> l13 = 189;
    action a17(inout s_t p14, in bit<16> p15, inout bit<8> p16) {
        hd.h.a = (((hd.h.b)[3:0] ++ (hd.h.b)[7:4]) >> ((hd.h.b >> 8w3) + (16w56441)[11:4]));
        f9(p14.y, l12, hd.s[((8w2 | p14.x) & 8w3)].x);
        f11(hd.h);
    }
    action a19(bit<8> d18) {
        f11(hd.h);
        bit<8> v20 = f11(hd.g);
    }
    table t21 { key = { (hd.h.a & 8w3) : exact @name("k"); } actions = { a19; } default_action = a19(99); const entries = { 1 : a19(98); 0 : a19(8); } }
    apply {
    sm.egress_spec = 1;
        t21.apply();
        exit;
        exit;
        t21.apply();
        switch ((f11(hd.h) & 8w7)) {
            4: {
                return;
            }
            1: {
                t21.apply();
                t21.apply();
            }
            default: {
                if (((l12 == hd.s[((8w2 * hd.h.a) & 8w3)].x) && (8w0 != hd.s[(f11(hd.h) & 8w3)].x))) {
                    hd.g.a = l13;
                    hd.g.a = ((8w255)[0:0] ++ (8w255)[7:1]);
                } else {
                    if ((((hd.h.a == 8w255) || (hd.h.a < 8w1)) && hd.g.isValid())) {
                        t21.apply();
                        hd.g.setInvalid();
                        f5(hd.g);
                    } else {
                        t21.apply();
                        hd.h.b = (f11(hd.h) + ((16w63441)[11:4] & (hd.w.v)[11:4]));
                        hd.g.b = l13;
                        t21.apply();
                    }
                    switch (((hd.h.b >> (hd.s[((8w128 - l13) & 8w3)].x ^ 8w1)) & 8w7)) {
                        3: {
                            f9(hd.h.a, hd.s[(((8w1 != 8w2) ? l13 : l13) & 8w3)].x, hd.h.b);
                        }
                        2: {
                            hd.g.setInvalid();
                            f5(hd.h);
                            f11(hd.h);
                            f11(hd.h);
                        }
                        default: {
                            f9(hd.s[(f11(hd.g) & 8w3)].x, l12, l13);
                            hd.h.b = f11(hd.g);
                            hd.w.v = (hd.s[(hd.h.b & 8w3)].x ++ (((bit<16>)(l13)))[11:4]);
                            hd.g.setValid();
                        }
                    }
                }
                if ((((8w128 != l12) ? 8w218 : hd.h.b) == ((l12 < 8w92) ? l13 : 8w1))) {
                    for (bit<8> i22 in 8w0..8w3) {
                        bit<8> v23 = ((hd.h.a)[5:0] ++ (hd.h.a)[7:6]);
                        f5(hd.h);
                    }
                }
            }
        }
        t21.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
