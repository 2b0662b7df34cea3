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
s_t f2(in s_t p1) {
    if ((p1.x == (p1.x ^ 8w1))) {
    }
    return p1;
}
s_t f5(inout bit<16> p3, out bit<16> p4) {
    p4 = ((bit<16>)(8w255));
    return (s_t){ (-8w25), (8w18 |+| 8w0) };
}
control C9(inout bit<16> p6, inout bit<8> p7, in h_t p8) {
    bit<8> l10 = 152;
    bit<8> l11 = 13;
    action a14(out bit<8> p12, out h_t p13) {
        l10 = (((16w52015)[11:4] ++ (-l10)))[11:4];
        f5(p6, p6);
        p12[6:4] = (l10)[2:0];
    }
    action a17(inout bit<8> p15, out bit<16> p16) {
        f5(p16, p6);
        s_t v18 = (s_t){ (p6)[11:4], ((l11 == l10) ? p7 : p15) };
        p16 = p6;
    }
    action a20(out bit<16> p19) {
        p6 = ((bit<16>)((((l11)[3:0] ++ (l11)[7:4]) - ((l11)[6:0] ++ (l11)[7:7]))));
        bit<8> v21 = (((p7)[3:0] ++ (p7)[7:4]) |+| (8w3 << 8w128));
        l11 = (((bit<16>)((p6)[11:4])))[11:4];
    }
    action a22() {
        p7 = ((((p7 != p7) ? p7 : l10) << (-l10)) | ((8w0 << 8w9) |+| (-l10)));
        l11 = (-p7);
    }
    table t23 { key = { ((-((8w128 < l11) ? l11 : l10)) & 8w3) : exact @name("k"); } actions = { a22; } default_action = a22(); const entries = { 1 : a22(); 0 : a22(); } }
    apply {
        p6 = ((bit<16>)(p7));
        bit<8> v24 = l10;
        for (bit<8> i25 in 8w0..8w1) {
            f2((s_t){ p7, 8w255 });
            p7 = ((p7 >> v24) >> 8w9);
            exit;
        }
        exit;
        f5(p6, p6);
        f2(f2((s_t){ l11, l10 }));
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l26 = 176;
    bit<8> l27 = 60;
    C9() inst28;
    action a30(inout bit<16> p29) {
        hd.s[1].x[6:2] = (((!(hd.h.a < hd.h.b)) ? (-hd.s[(l26 & 8w3)].x) : (-hd.h.b)))[4:0];
        p29 = (((-8w1) ++ (-hd.h.b)) |+| (p29 + (p29 |+| 16w49181)));
        hd.g.b = ((-(hd.s[2].x |-| hd.h.a)) + ((hd.h.a ^ hd.h.a) ^ (hd.w.v)[11:4]));
    }
    action a31() {
        f5(hd.w.v, hd.w.v);
        if ((hd.g.isValid() || (hd.h.b >= 8w2))) {
            if ((hd.g.isValid() && ((hd.s[((hd.h.b |-| 8w1) & 8w3)].x < l27) && (8w2 == hd.h.a)))) {
                bit<8> v32 = ((hd.w.v)[11:4] ^ (hd.w.v)[11:4]);
                a30(hd.w.v);
                f2((s_t){ hd.s[(hd.h.b & 8w3)].x, hd.h.a });
            }
        }
    }
    table t33 { actions = { a31; } default_action = a31(); }
    apply {
    sm.egress_spec = 1;
        bit<8> v34 = ((8w2)[2:0] ++ (8w2)[7:3]);
        if ((((hd.h.b != v34) ? 8w2 : hd.s[3].x) == hd.h.a)) {
            f5(hd.w.v, hd.w.v);
            if (t33.apply().hit) {
                hd.h.a = ((hd.g.isValid() ? (hd.w.v)[11:4] : (l26 + l27)) - ((8w255)[6:0] ++ (8w255)[7:7]));
            } else {
                inst28.apply(hd.w.v, hd.h.b, hd.g);
            }
        }
        if (((hd.s[((-hd.s[((-hd.h.a) & 8w3)].x) & 8w3)].x |+| l26) >= 8w1)) {
            f5(hd.w.v, hd.w.v);
            hd.h.b = (((-v34) < (hd.h.b |+| 8w128)) ? ((8w1 << hd.h.b) << ((8w128 == 8w0) ? hd.h.a : hd.h.a)) : ((-hd.h.a) - 8w3));
        }
        for (bit<8> i35 in 8w0..8w1) {
            hd.g.setValid();
            switch (((v34 ^ (-hd.h.b)) & 8w7)) {
                5: {
                    a30(hd.w.v);
                }
                4: {
                    bit<8> v36 = ((-hd.h.a) - (l26 + hd.s[(((8w0 < hd.h.a) ? l27 : v34) & 8w3)].x));
                }
                default: {
                    f5(hd.w.v, hd.w.v);
                    t33.apply();
                    a30(hd.w.v);
                }
            }
        }
        switch ((((v34 ++ v34))[11:4] & 8w7)) {
            4: {
                hd.g.setValid();
            }
            3: {
                exit;
                inst28.apply(hd.w.v, hd.s[((hd.h.a >> 8w128) & 8w3)].x, hd.h);
                hd.s[((-hd.h.b) & 8w3)].x = 8w1;
            }
            default: {
                if (hd.g.isValid()) {
                    if (((-l27) >= hd.h.b)) {
                        return;
                    }
                    inst28.apply(hd.w.v, v34, hd.g);
                    hd.h.b[0:0] = ((-(l26 >> 8w1)))[0:0];
                }
                f5(hd.w.v, hd.w.v);
                s_t v37 = (s_t){ (-l26), (-hd.h.b) };
            }
        }
        f5(hd.w.v, hd.w.v);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
