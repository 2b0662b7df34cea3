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
s_t f2(inout bit<8> p1) {
    if (((16w38397)[11:4] < (-p1))) {
        p1[4:3] = (p1)[1:0];
    }
    return (s_t){ (16w24822)[11:4], (16w47727)[11:4] };
}
s_t f5(in h_t p3, inout bit<8> p4) {
    f2(p4);
    f2(p4);
    f2(p4);
    return (s_t){ (-8w255), (p4 << 8w0) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 32;
    bit<8> l7 = 112;
    action a11(inout s_t p8, in bit<8> p9, in bit<8> p10) {
        bit<16> v12 = 16w3224;
        if ((((8w2 != 8w2) ? 8w128 : 8w2) == ((8w2)[2:0] ++ (8w2)[7:3]))) {
            f2(hd.h.b);
            hd.g.b = (-(-hd.s[((-8w255) & 8w3)].x));
        }
    }
    action a14(bit<8> d13) {
        switch (((-(-hd.h.b)) & 8w7)) {
            0: {
                return;
                f5(hd.h, hd.h.b);
                if (hd.g.isValid()) {
                    hd.g.setInvalid();
                    f5(hd.h, hd.h.b);
                    hd.h.a = (((hd.h.b | 8w210) & 8w2) >> (((bit<16>)(d13)))[11:4]);
                } else {
                    hd.w.v = ((bit<16>)(((-hd.h.a) |-| (-hd.h.a))));
                    f5(hd.h, hd.h.a);
                    hd.g.a = (-(-(hd.h.b |+| l7)));
                }
            }
            5: {
                hd.h.b = (-((hd.s[2].x)[1:0] ++ (hd.s[2].x)[7:2]));
            }
            default: {
                hd.w.v = ((hd.h.a | (-8w3)) ++ hd.h.b);
                if (hd.g.isValid()) {
                    f5(hd.h, hd.s[3].x);
                }
            }
        }
        return;
    }
    table t15 { key = { ((((hd.h.a == hd.h.a) && (hd.h.b == hd.h.b)) ? hd.h.a : (hd.h.a ^ l7)) & 8w3) : exact @name("k"); } actions = { a14; } default_action = a14(148); const entries = { 1 : a14(10); 2 : a14(212); } }
    action a16() {
        hd.h.b[5:1] = ((-hd.s[(((hd.s[(hd.h.a & 8w3)].x)[0:0] ++ (hd.s[(hd.h.a & 8w3)].x)[7:1]) & 8w3)].x))[4:0];
        if ((hd.g.isValid() && (!(hd.s[1].x < hd.s[((-8w2) & 8w3)].x)))) {
            f2(hd.s[((hd.h.b | 8w255) & 8w3)].x);
            hd.h.a = (((hd.h.a)[2:0] ++ (hd.h.a)[7:3]) | (-(8w128 * 8w3)));
        } else {
            if (hd.g.isValid()) {
                l7[2:0] = ((hd.w.v)[11:4])[2:0];
            } else {
                hd.h.b = (((bit<16>)((hd.w.v)[11:4])))[11:4];
                hd.g.setInvalid();
                f5(hd.g, hd.h.a);
            }
            bit<8> v17 = (((hd.s[(8w255 & 8w3)].x != 8w38) ? 8w255 : 8w255) << hd.s[((l7 * 8w1) & 8w3)].x);
        }
    }
    table t18 { key = { (hd.h.b & 8w3) : exact @name("k"); } actions = { a16; } default_action = a16(); const entries = { 2 : a16(); 3 : a16(); } }
    apply {
    sm.egress_spec = 1;
        hd.g.setValid();
        t15.apply();
        switch (((-(8w0 | hd.h.a)) & 8w7)) {
            1: {
                exit;
                l6[4:3] = (((l7 >> 8w218) |+| (l6 + hd.h.a)))[1:0];
                f5(hd.g, l6);
                if (hd.g.isValid()) {
                    hd.h.a = hd.s[3].x;
                }
            }
            3: {
                f2(hd.h.b);
            }
            default: {
                f2(hd.s[2].x);
                exit;
                hd.s[2].x[2:0] = (hd.h.b)[2:0];
            }
        }
        for (bit<8> i19 in 8w0..8w2) {
            if (hd.g.isValid()) {
                hd.h.b[1:1] = (((hd.h.a - 8w2) >> 8w2))[0:0];
                bit<8> v20 = ((l6 |+| hd.h.a) + ((l6 != hd.s[2].x) ? 8w128 : hd.s[(hd.h.a & 8w3)].x));
                if (((!(l7 != 8w1)) && (hd.h.b >= l6))) {
                    t18.apply();
                    hd.w.v = ((bit<16>)(((-8w1) |+| i19)));
                }
            }
            return;
        }
        bit<8> v21 = (-(-hd.h.b));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
