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
void f5(in bit<8> p1, in bit<8> p2, inout bit<16> p3) {
    bit<8> v4 = ((p3 + p3))[11:4];
    v4 = (8w0 >> 8w4);
    v4 = (p2 + ((8w0 >> 8w4) ^ p2));
    p3 = ((bit<16>)((8w255 >> (p1 - 8w61))));
}
s_t f11(inout bit<8> p6, inout bit<16> p7, inout bit<8> p8) {
    if (((p8 - 8w3) == (p6 << p6))) {
        p6 = ((((8w128 == p8) ? p6 : p8) |+| (p8 | p6)) ^ ((-p8) ^ 8w3));
    } else {
        f5(p6, (p6 + p8), p7);
        if (((p8 - p6) != (p7)[11:4])) {
            p8 = (((p8 | 8w241) ++ (p8 * 8w219)))[11:4];
            f5(((8w0)[1:0] ++ (8w0)[7:2]), ((p8 >= 8w3) ? p8 : p6), p7);
        }
        if (((p8 + p6) != (p8 << 8w0))) {
            p8 = p6;
            f5((-8w128), p8, p7);
            p6 = (8w3 |+| p8);
        }
        bit<16> v9 = p7;
    }
    f5((8w128 |-| 8w3), (p8 >> 8w10), p7);
    bit<16> v10 = ((bit<16>)((-p6)));
    return (s_t){ (p8 << p8), ((p8)[2:0] ++ (p8)[7:3]) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l12 = 230;
    bit<8> l13 = 115;
    action a15(in bit<8> p14) {
        if ((!((hd.h.a >= 8w200) && (l13 == hd.s[((hd.h.a * hd.s[0].x) & 8w3)].x)))) {
            hd.h.b = (-(-hd.s[(((hd.h.b == l13) ? hd.h.b : l12) & 8w3)].x));
            hd.g.setInvalid();
            if ((!(l12 == hd.h.b))) {
                hd.g.a = 8w0;
                f5((hd.h.b - hd.h.b), ((l13)[5:0] ++ (l13)[7:6]), hd.w.v);
                f5(((hd.s[((16w4980)[11:4] & 8w3)].x)[3:0] ++ (hd.s[((16w4980)[11:4] & 8w3)].x)[7:4]), (8w1 * 8w2), hd.w.v);
            } else {
                f11(hd.s[((l13 & hd.s[2].x) & 8w3)].x, hd.w.v, hd.s[0].x);
                f11(hd.s[(p14 & 8w3)].x, hd.w.v, hd.s[1].x);
                f5((-l13), (-l13), hd.w.v);
            }
        } else {
            bit<8> v16 = ((l12)[0:0] ++ (l12)[7:1]);
            hd.h.b[6:4] = (((hd.w.v)[11:4] ^ (l12 | hd.h.a)))[2:0];
        }
        f5((l12 | l13), p14, hd.w.v);
        hd.w.v = (((bit<16>)((-hd.h.b))) - ((bit<16>)((l12 * hd.h.b))));
    }
    action a17() {
        bit<8> v18 = ((hd.h.b |-| 8w3) << (hd.s[((l13 | hd.s[((hd.w.v)[11:4] & 8w3)].x) & 8w3)].x - hd.h.b));
        hd.s[0].x = ((-(hd.h.a | hd.h.b)) - (-(hd.h.b - 8w3)));
        a15((-hd.h.a));
    }
    table t19 { key = { (l12 & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(); const entries = { 0 : a17(); 2 : a17(); } }
    apply {
    sm.egress_spec = 1;
        exit;
        f11(hd.h.a, hd.w.v, l12);
        return;
        hd.w.v = ((((hd.h.a)[4:0] ++ (hd.h.a)[7:5]) ++ hd.h.a) * ((hd.s[3].x ++ hd.h.a) * ((bit<16>)(hd.h.b))));
        switch ((((l12)[6:0] ++ (l12)[7:7]) & 8w7)) {
            5: {
                l12 = (16w48214)[11:4];
                if (t19.apply().hit) {
                    hd.w.v = ((bit<16>)(((8w1 << 8w8) | ((8w128 == 8w2) ? l13 : 8w131))));
                } else {
                    t19.apply();
                }
                hd.s[((16w29971)[11:4] & 8w3)].x = (((8w128 << 8w17) << (-hd.h.a)) & hd.s[1].x);
            }
            0: {
                hd.w.v = (((hd.h.a ++ hd.h.b) - (hd.w.v |+| hd.w.v)) ^ ((bit<16>)((-hd.s[(hd.s[2].x & 8w3)].x))));
            }
            default: {
                exit;
                f5(hd.s[3].x, ((hd.h.b < hd.h.a) ? l13 : hd.s[((hd.h.b << 8w4) & 8w3)].x), hd.w.v);
            }
        }
        t19.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
