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
bit<8> f3(inout bit<8> p1, inout bit<8> p2) {
    return ((8w238 >> p1) | p1);
}
bit<8> f6(in bit<8> p4) {
    for (bit<8> i5 in 8w0..8w3) {
    }
    switch ((p4 & 8w7)) {
        0: {
        }
        1: {
            if ((!((p4 != p4) && (p4 < p4)))) {
            }
        }
        default: {
        }
    }
    return ((p4 ++ p4))[11:4];
}
bit<8> f9(out bit<8> p7) {
    f3(p7, p7);
    bit<8> v8 = ((8w128 << 8w7) * (p7 |-| p7));
    v8 = (((v8 == v8) ? (p7 - v8) : ((8w128 >= 8w128) ? v8 : v8)) |-| ((p7)[5:0] ++ (p7)[7:6]));
    p7 = v8;
    return p7;
}
control C13(inout bit<8> p10, out bit<8> p11, inout Headers hd, in bit<16> p12) {
    bit<8> l14 = 242;
    bit<8> l15 = 86;
    action a17(in bit<8> p16) {
        hd.s[3].x = 8w255;
        if (((8w128 - l14) == (hd.s[(((8w2)[2:0] ++ (8w2)[7:3]) & 8w3)].x |-| hd.h.a))) {
            hd.s[3].x = p10;
            hd.h.b = (((hd.h.b ^ hd.h.b) ^ (hd.h.a & hd.h.a)) & (((hd.s[(((8w128 < hd.h.b) ? hd.h.b : p16) & 8w3)].x)[6:0] ++ (hd.s[(((8w128 < hd.h.b) ? hd.h.b : p16) & 8w3)].x)[7:7]) & f3(l15, l14)));
        }
        switch ((((hd.w.v)[11:4] & ((l15)[1:0] ++ (l15)[7:2])) & 8w7)) {
            4: {
                l14[6:4] = (f9(p10))[2:0];
            }
            1: {
                hd.h.a = hd.h.a;
            }
            default: {
                hd.w.v = hd.w.v;
                hd.g.a = (f6(f6(p11)) & f3(hd.h.b, hd.h.b));
                f6((hd.s[((p16 | hd.h.b) & 8w3)].x |+| 8w128));
            }
        }
    }
    action a18() {
        f6((p10 - hd.h.a));
        a17((8w128 >> 8w10));
        p11 = ((p11 != f3(hd.h.b, hd.h.a)) ? hd.h.a : f6(hd.s[(f9(p10) & 8w3)].x));
    }
    table t19 { key = { (f6((p12)[11:4]) & 8w3) : exact @name("k"); } actions = { a18; } default_action = a18(); const entries = { 3 : a18(); 0 : a18(); } }
    apply {
        f6(f6(hd.h.b));
        t19.apply();
        a17((8w3 >> 8w2));
        hd.h.b = (((p11 |+| hd.h.b) << 8w3) * f3(hd.s[2].x, l14));
        t19.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l20 = 127;
    bit<8> l21 = 109;
    C13() inst22;
    action a25(out s_t p23, in bit<8> p24) {
        hd.s[(f9(hd.h.a) & 8w3)].x = hd.h.b;
        if ((p24 < f9(p23.x))) {
            hd.g.setInvalid();
        }
    }
    action a26() {
        hd.h.a = ((((hd.h.a != l20) ? hd.h.a : hd.h.b) << f6(hd.s[((8w3 << l21) & 8w3)].x)) << (f3(hd.h.a, hd.h.a) << 8w6));
        if ((((l21)[1:0] ++ (l21)[7:2]) == hd.s[((hd.w.v)[11:4] & 8w3)].x)) {
            hd.s[(f9(l20) & 8w3)].x = ((hd.s[1].x)[2:0] ++ (hd.s[1].x)[7:3]);
            switch ((f9(hd.h.a) & 8w7)) {
                1: {
                }
                2: {
                    hd.h.b = ((((8w255)[3:0] ++ (8w255)[7:4]) * (hd.h.b & hd.h.a)) & (hd.s[2].x + (8w1 | hd.h.b)));
                }
                default: {
                    f9(hd.h.a);
                }
            }
            hd.h.b[6:1] = (f3(hd.h.a, hd.s[(f9(hd.g.b) & 8w3)].x))[5:0];
            f3(hd.s[(((8w0)[2:0] ++ (8w0)[7:3]) & 8w3)].x, hd.h.a);
        } else {
            hd.g.setInvalid();
        }
    }
    table t27 { key = { ((hd.s[(((8w1 != 8w255) ? hd.h.b : 8w0) & 8w3)].x ^ hd.s[(((hd.h.b != hd.h.b) ? hd.s[2].x : hd.h.a) & 8w3)].x) & 8w3) : exact @name("k"); } actions = { a26; } default_action = a26(); const entries = { 1 : a26(); 3 : a26(); } }
    apply {
    sm.egress_spec = 1;
        hd.h.a[4:2] = ((hd.h.a * (hd.w.v)[11:4]))[2:0];
        f6(l20);
        hd.w.v = ((bit<16>)(f9(hd.g.b)));
        t27.apply();
        hd.s[3].x[6:4] = ((((hd.h.b >= l20) ? hd.h.a : hd.h.b) - f3(l20, hd.s[3].x)))[2:0];
        hd.w.v = hd.w.v;
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
