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
void f2(inout bit<8> p1) {
    p1 = (-(-(p1 ^ 8w128)));
    if ((((p1 >= 8w128) ? p1 : p1) == p1)) {
        switch ((((16w5673)[11:4] << 8w8) & 8w7)) {
            3: {
                p1 = (p1 >> (-(-8w0)));
            }
            0: {
                p1 = ((((bit<16>)(p1)))[11:4] << 8w5);
            }
            default: {
                p1 = (-(-p1));
            }
        }
        p1 = p1;
        if (((-p1) == p1)) {
            return;
            p1[5:4] = (p1)[1:0];
        }
    }
    p1[4:4] = (((p1 < p1) ? (p1 ^ 8w0) : 8w68))[0:0];
}
s_t f5(out bit<8> p3, out h_t p4) {
    f2(p3);
    f2(p3);
    f2(p3);
    f2(p3);
    return (s_t){ (16w40438)[11:4], (p3 |+| p3) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 120;
    bit<8> l7 = 25;
    action a10(out h_t p8, out h_t p9) {
        f5(hd.s[2].x, hd.h);
        f5(hd.h.b, p9);
    }
    action a12(bit<8> d11) {
        f2(hd.s[(l7 & 8w3)].x);
        if (((-l6) == (-8w0))) {
            for (bit<8> i13 in 8w0..8w1) {
                f2(hd.h.a);
            }
        }
        if (((hd.h.b ^ hd.s[(((l7 < hd.s[(hd.h.b & 8w3)].x) ? d11 : 8w2) & 8w3)].x) == (-d11))) {
            hd.g.a = (((d11 ^ hd.h.b) | ((hd.h.b)[0:0] ++ (hd.h.b)[7:1])) |-| ((hd.s[0].x ^ hd.h.a) + 8w1));
            for (bit<8> i14 in 8w0..8w1) {
                hd.h.a = (((bit<16>)(((hd.h.a < 8w1) ? hd.s[((hd.w.v)[11:4] & 8w3)].x : hd.h.a))))[11:4];
                hd.g.setValid();
            }
        }
    }
    table t15 { key = { ((-l6) & 8w3) : exact @name("k"); } actions = { a12; } default_action = a12(66); const entries = { 1 : a12(98); 3 : a12(191); } }
    apply {
    sm.egress_spec = 1;
        hd.s[((-8w128) & 8w3)].x = 8w128;
        if (((16w36224)[11:4] == ((l6 >= 8w146) ? hd.h.b : hd.h.a))) {
            hd.h.b = ((-(hd.w.v)[11:4]) ^ (-(-hd.h.b)));
        } else {
            hd.h.b = (hd.w.v)[11:4];
            hd.w.v = (hd.w.v ^ ((bit<16>)((hd.h.b + 8w176))));
            t15.apply();
            if ((!(!(8w2 < hd.h.a)))) {
                exit;
                a10(hd.h, hd.h);
            }
        }
        if (((-8w255) == 8w128)) {
            hd.h.b = (-((hd.s[1].x)[5:0] ++ (hd.s[1].x)[7:6]));
        } else {
            for (bit<8> i16 in 8w0..8w3) {
                hd.h.a = (-(-(-l6)));
            }
        }
        hd.g.b = (-(-((8w1)[6:0] ++ (8w1)[7:7])));
        for (bit<8> i17 in 8w0..8w3) {
            l7 = (((i17 |+| hd.s[2].x) >= (-i17)) ? (hd.w.v)[11:4] : ((hd.h.a << 8w1) - hd.h.b));
            hd.h.a = ((8w128)[2:0] ++ (8w128)[7:3]);
        }
        a10(hd.g, hd.h);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
