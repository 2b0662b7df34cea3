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
s_t f3(inout bit<16> p1) {
    if ((8w1 == ((8w3)[6:0] ++ (8w3)[7:7]))) {
        if (((8w157 ^ 8w3) == (8w57 | 8w3))) {
        }
    }
    if (((8w2 >= 8w128) && (8w2 == 8w142))) {
    }
    if ((!(8w255 >= 8w255))) {
        return (s_t){ (8w0 >> 8w2), 8w117 };
    } else {
        bit<8> v2 = ((!(8w3 != 8w0)) ? (8w255 >> 8w7) : (-8w255));
        v2 = (-(-8w255));
    }
    return (s_t){ ((8w3 >= 8w30) ? 8w0 : 8w3), (-8w1) };
}
void f6(in bit<8> p4, out h_t p5) {
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l7 = 149;
    bit<8> l8 = 117;
    action a11(inout bit<8> p9, in h_t p10) {
        exit;
        hd.h.b = (-((8w0 + hd.h.a) + (-hd.s[3].x)));
        f6((8w255 << 8w11), hd.g);
    }
    action a15(inout bit<16> p12, in bit<8> p13, in bit<8> p14) {
        switch (((((bit<16>)(hd.s[((hd.h.b - l7) & 8w3)].x)))[11:4] & 8w7)) {
            1: {
                hd.g.setValid();
                hd.h.a = (((bit<16>)(((hd.h.b)[1:0] ++ (hd.h.b)[7:2]))))[11:4];
            }
            3: {
                hd.g.b = l8;
            }
            default: {
                f3(p12);
                hd.h.b[7:2] = ((((hd.s[(((hd.h.a)[6:0] ++ (hd.h.a)[7:7]) & 8w3)].x)[0:0] ++ (hd.s[(((hd.h.a)[6:0] ++ (hd.h.a)[7:7]) & 8w3)].x)[7:1]) | (p13 | 8w128)))[5:0];
                f3(hd.w.v);
            }
        }
        f3(p12);
        s_t v16 = f3(hd.w.v);
    }
    action a20(inout bit<8> p17, in bit<16> p18, inout bit<8> p19) {
        f6((-hd.h.b), hd.h);
        l7 = ((p17)[3:0] ++ (p17)[7:4]);
        hd.w.v = ((bit<16>)(p19));
    }
    action a22(bit<8> d21) {
        if (((-l8) >= (8w255 + hd.h.b))) {
            for (bit<8> i23 in 8w0..8w2) {
                bit<8> v24 = ((hd.h.a ++ 8w2))[11:4];
                f6((16w3810)[11:4], hd.g);
                hd.w.v = ((bit<16>)(d21));
            }
        } else {
            a15(hd.w.v, ((8w128)[0:0] ++ (8w128)[7:1]), (-hd.h.b));
            if (((8w255 << 8w9) == (-hd.h.a))) {
                hd.w.v = ((bit<16>)((-((l8 == l7) ? 8w0 : hd.s[(((8w2 < 8w128) ? hd.s[2].x : 8w2) & 8w3)].x))));
                f3(hd.w.v);
                a20(hd.h.a, (hd.s[0].x ++ 8w1), hd.h.a);
                f3(hd.w.v);
            }
        }
        a20(hd.s[1].x, hd.w.v, hd.h.a);
        hd.h.b[1:1] = (((16w7650 * hd.w.v))[11:4])[0:0];
    }
    table t25 { key = { (hd.s[((hd.h.a |-| hd.h.a) & 8w3)].x & 8w3) : exact @name("k"); } actions = { a22; } default_action = a22(192); const entries = { 3 : a22(153); 2 : a22(57); } }
    apply {
    sm.egress_spec = 1;
        a15(hd.w.v, (-hd.s[1].x), ((hd.h.b)[0:0] ++ (hd.h.b)[7:1]));
        a15(hd.w.v, (hd.s[(8w1 & 8w3)].x >> hd.s[1].x), (8w3 & 8w3));
        hd.h.a = ((hd.s[((8w128 & hd.h.b) & 8w3)].x)[5:0] ++ (hd.s[((8w128 & hd.h.b) & 8w3)].x)[7:6]);
        hd.h.a = (-(-(-hd.h.b)));
        f6((l7 << l7), hd.h);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
