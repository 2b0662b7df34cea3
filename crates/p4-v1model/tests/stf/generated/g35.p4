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
s_t f3(inout s_t p1, in bit<16> p2) {
    if ((!(p1.x == p1.y))) {
        p1.y[7:0] = (((-p1.y) + p1.x))[7:0];
    }
    switch (((8w255 | (p1.x + 8w2)) & 8w7)) {
        1: {
            p1.y[7:5] = ((-((p1.y)[4:0] ++ (p1.y)[7:5])))[2:0];
            p1 = (s_t){ (((p1.y == p1.x) && (p1.x < p1.y)) ? (16w48542)[11:4] : 8w3), ((p1.y * p1.x) >> 8w8) };
        }
        4: {
            p1.y = ((p1.y)[1:0] ++ (p1.y)[7:2]);
        }
        default: {
            if (((-p1.x) == (p2)[11:4])) {
            }
        }
    }
    p1.x = (((bit<16>)((-p1.y))))[11:4];
    return p1;
}
s_t f6(in bit<16> p4, out h_t p5) {
    return (s_t){ 8w1, 8w2 };
}
void f8(out h_t p7) {
    f6(16w23506, p7);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 167;
    bit<8> l10 = 166;
    action a12(out h_t p11) {
        hd.s[((l10 & l9) & 8w3)].x[4:0] = (hd.h.b)[4:0];
    }
    action a16(in h_t p13, inout s_t p14, out bit<8> p15) {
        hd.w.v = (16w6540 * ((p14.x ++ 8w255) ^ (hd.h.b ++ hd.h.a)));
        hd.s[2].x = (-(((l9 >= hd.s[((-hd.h.a) & 8w3)].x) && (l9 == p14.y)) ? (16w65388)[11:4] : (-hd.h.b)));
    }
    action a18(bit<8> d17) {
        switch (((l10 << (-d17)) & 8w7)) {
            5: {
                hd.g.b = ((d17 < (hd.s[2].x << 8w6)) ? ((l9)[1:0] ++ (l9)[7:2]) : 8w59);
                hd.w.v = (((hd.w.v)[11:4] ^ (8w3 | hd.h.b)) ++ 8w2);
                hd.h.b = (-hd.h.a);
            }
            2: {
                f8(hd.h);
                exit;
            }
            default: {
                if (((hd.w.v)[11:4] < (-hd.s[2].x))) {
                    hd.s[3].x = 8w0;
                    hd.w.v = ((-((8w26 >= l9) ? hd.h.a : hd.h.b)) ++ 8w0);
                } else {
                    f8(hd.g);
                }
                if (hd.g.isValid()) {
                    hd.s[1].x = (hd.h.a |+| (-(hd.h.b & 8w255)));
                }
            }
        }
        hd.g.b = d17;
    }
    table t19 { key = { (((hd.w.v + hd.w.v))[11:4] & 8w3) : exact @name("k"); } actions = { a18; } default_action = a18(2); const entries = { 2 : a18(223); 0 : a18(99); } }
    action a20() {
        hd.g.setValid();
        f8(hd.g);
        hd.h.a = (((8w2 * hd.h.a) | (hd.h.b | hd.h.b)) ^ ((8w3 == l9) ? (hd.h.b << 8w1) : hd.h.a));
    }
    table t21 { actions = { a20; } default_action = a20(); }
    apply {
    sm.egress_spec = 1;
        hd.w.v = (hd.h.a ++ (-(l10 - hd.s[3].x)));
        exit;
        s_t v22 = (s_t){ 8w1, 8w2 };
        a16(hd.g, v22, hd.s[3].x);
        t21.apply();
        hd.s[1].x = (8w0 + (((l10)[4:0] ++ (l10)[7:5]) - (l10 & hd.h.b)));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
