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
void f5(out bit<8> p1, inout bit<8> p2, in h_t p3) {
    for (bit<8> i4 in 8w0..8w3) {
        if ((p2 == p2)) {
        }
    }
}
s_t f7(out h_t p6) {
    if (((8w2 >> 8w6) == (8w0 - 8w0))) {
        if ((((8w0 != 8w2) ? 8w183 : 8w0) == ((8w1)[2:0] ++ (8w1)[7:3]))) {
        }
    }
    return (s_t){ ((8w1)[4:0] ++ (8w1)[7:5]), 8w2 };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 140;
    bit<8> l9 = 69;
    action a11(out h_t p10) {
        switch ((((-hd.s[0].x) ^ l9) & 8w7)) {
            2: {
                hd.h.a = (-((l8 << 8w9) - (-8w255)));
                hd.w.v = 16w48931;
                l8[4:3] = (((8w166 & 8w3) |+| (hd.h.b ^ hd.h.b)))[1:0];
            }
            4: {
                hd.s[((-hd.h.a) & 8w3)].x[1:0] = (((16w3457 - 16w56037))[11:4])[1:0];
                hd.g.setInvalid();
            }
            default: {
                hd.w.v = (hd.w.v |+| ((bit<16>)((-hd.h.a))));
                f5(hd.g.b, hd.s[(((8w128 != hd.h.b) ? hd.s[2].x : 8w1) & 8w3)].x, hd.g);
            }
        }
        f7(p10);
        hd.g.a = hd.h.b;
    }
    action a13(bit<8> d12) {
        hd.h.a = (-(((bit<16>)(l9)))[11:4]);
        f7(hd.h);
        hd.h.a[5:3] = ((-(hd.h.b >> hd.h.b)))[2:0];
    }
    table t14 { actions = { a13; } default_action = a13(2); }
    action a15() {
        switch (((((hd.h.b)[2:0] ++ (hd.h.b)[7:3]) |+| (-hd.h.a)) & 8w7)) {
            2: {
                if (((-hd.h.a) == (8w255 * 8w0))) {
                    f7(hd.h);
                    f5(l8, hd.h.b, hd.g);
                } else {
                    hd.g.b = ((8w2)[3:0] ++ (8w2)[7:4]);
                    return;
                }
                exit;
            }
            3: {
                if ((!(l9 == 8w255))) {
                    f7(hd.h);
                    hd.w.v = ((bit<16>)(((!(hd.s[(8w139 & 8w3)].x != l9)) ? (-l9) : (-8w128))));
                    f5(hd.s[2].x, hd.h.a, hd.h);
                }
                bit<8> v16 = ((-hd.h.a) * l9);
                hd.h.a = (((bit<16>)((hd.h.b ^ hd.h.b))))[11:4];
                hd.g.setInvalid();
            }
            default: {
                if (hd.g.isValid()) {
                    hd.w.v = ((bit<16>)((hd.h.a >> (8w1 + 8w2))));
                } else {
                    hd.g.a = 8w0;
                }
                hd.g.b = 8w2;
            }
        }
        f7(hd.h);
        hd.g.setValid();
    }
    table t17 { key = { ((-(8w0 + hd.s[2].x)) & 8w3) : exact @name("k"); } actions = { a15; } default_action = a15(); const entries = { 0 : a15(); 2 : a15(); } }
    apply {
    sm.egress_spec = 1;
        s_t v18 = (s_t){ (8w0 << 8w9), ((8w0)[6:0] ++ (8w0)[7:7]) };
        t14.apply();
        bit<8> v19 = v18.x;
        hd.w.v = ((bit<16>)((((bit<16>)(hd.h.b)))[11:4]));
        l9[6:5] = (((hd.h.b - 8w23) << ((l8 == v18.y) ? 8w255 : hd.h.b)))[1:0];
        v18 = f7(hd.g);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
