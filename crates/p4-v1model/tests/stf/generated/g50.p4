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
bit<8> f3(out s_t p1, out bit<8> p2) {
    if ((((p1.x)[4:0] ++ (p1.x)[7:5]) == (-p1.y))) {
        p1.x = (16w3706)[11:4];
    }
    return ((-p2) |+| ((p2 >= p1.y) ? p2 : p1.y));
}
bit<8> f8(out bit<8> p4) {
    switch ((((p4 == p4) ? (p4 |+| p4) : ((8w3 == p4) ? p4 : 8w2)) & 8w7)) {
        2: {
            if (((p4 |-| 8w128) >= p4)) {
            }
        }
        3: {
            bit<8> v5 = ((p4)[3:0] ++ (p4)[7:4]);
        }
        default: {
            bit<16> v6 = 16w61204;
            p4 = (((p4 == p4) && (!(p4 >= p4))) ? ((p4 | p4) & ((p4 < p4) ? 8w255 : 8w2)) : ((p4 - p4) >> 8w11));
        }
    }
    s_t v7 = (s_t){ 8w1, (16w54913)[11:4] };
    v7.y = (f3(v7, p4) * ((p4 ^ 8w3) >> (p4 << v7.y)));
    return ((p4 == p4) ? (16w12628)[11:4] : (16w46397)[11:4]);
}
control C10(out bit<16> p9, inout Headers hd) {
    bit<8> l11 = 22;
    bit<8> l12 = 150;
    action a16(in bit<8> p13, inout bit<8> p14, out h_t p15) {
        hd.h.a = ((((hd.s[((hd.h.a - p14) & 8w3)].x < 8w3) || (8w72 < p13)) || ((hd.s[2].x == hd.h.a) && (p14 >= l12))) ? (8w7 ^ ((l12)[2:0] ++ (l12)[7:3])) : (((hd.s[((p9)[11:4] & 8w3)].x)[5:0] ++ (hd.s[((p9)[11:4] & 8w3)].x)[7:6]) >> 8w3));
        if (((hd.s[(8w1 & 8w3)].x ^ hd.h.b) == (16w34565)[11:4])) {
            f8(l11);
            hd.g.setValid();
            if ((((p14 >= hd.h.b) ? hd.h.a : l12) == (8w128 & hd.h.b))) {
                f8(hd.h.b);
            }
        }
        f8(hd.g.b);
    }
    action a17() {
        if (((hd.h.a == hd.s[((l12 ^ hd.s[1].x) & 8w3)].x) || (!(hd.h.a == hd.h.b)))) {
            a16((l11 >> 8w7), hd.h.b, hd.g);
            p9 = (f8(hd.h.b) ++ f8(hd.h.a));
        }
    }
    table t18 { key = { (8w7 & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(); const entries = { 1 : a17(); 2 : a17(); } }
    apply {
        hd.g.setInvalid();
        t18.apply();
        l11 = ((((8w128)[4:0] ++ (8w128)[7:5]) - (hd.h.b ^ hd.h.a)) |+| ((l11)[3:0] ++ (l11)[7:4]));
        a16(f8(hd.g.a), hd.h.b, hd.h);
        hd.h.b = ((l11)[0:0] ++ (l11)[7:1]);
        t18.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l19 = 218;
    bit<8> l20 = 158;
    C10() inst21;
    action a24(out h_t p22, inout bit<8> p23) {
        f8(hd.g.b);
        f8(hd.s[(((l20 == hd.s[0].x) ? hd.s[2].x : hd.s[(((l19 == hd.h.a) ? l19 : hd.s[2].x) & 8w3)].x) & 8w3)].x);
    }
    action a26(out h_t p25) {
        a24(hd.h, hd.s[0].x);
        hd.h.b = hd.h.b;
        hd.w.v = hd.w.v;
    }
    action a30(inout bit<8> p27, inout bit<16> p28, out h_t p29) {
        a24(p29, hd.h.a);
        f8(hd.g.b);
        if ((!(hd.h.b != l20))) {
            l19[5:0] = (((hd.h.a == 8w3) ? (8w3 >> 8w5) : hd.h.a))[5:0];
            bit<8> v31 = (((hd.h.a == l19) ? hd.h.b : hd.h.a) | (hd.h.a << 8w1));
            l20 = (8w7 ^ 8w7);
        } else {
            if (((16w48737)[11:4] == (8w255 | 8w1))) {
                hd.g.setInvalid();
                a26(hd.h);
            } else {
                hd.h.a = ((8w1)[4:0] ++ (8w1)[7:5]);
            }
            hd.g.setValid();
            hd.h.a = (((bit<16>)((hd.h.b - 8w2))))[11:4];
        }
    }
    action a33(bit<8> d32) {
        l19 = f8(hd.h.a);
        hd.s[3].x[0:0] = (((8w255)[0:0] ++ (8w255)[7:1]))[0:0];
    }
    table t34 { actions = { a33; } default_action = a33(168); }
    apply {
    sm.egress_spec = 1;
        inst21.apply(hd.w.v, hd);
        t34.apply();
        for (bit<8> i35 in 8w0..8w3) {
            if (hd.g.isValid()) {
                f8(l19);
                t34.apply();
                hd.s[1].x = f8(hd.s[2].x);
                hd.s[3].x[3:1] = (8w7)[2:0];
            }
        }
        if ((!(hd.h.a != 8w0))) {
            a26(hd.h);
        }
        if (t34.apply().hit) {
            hd.s[0].x = (((16w30830 - hd.w.v))[11:4] & f8(l19));
        } else {
            for (bit<8> i36 in 8w0..8w2) {
                bit<8> v37 = ((hd.h.a & hd.h.b) >> 8w9);
                f8(l20);
                t34.apply();
            }
            inst21.apply(hd.w.v, hd);
            hd.h.a = f8(l20);
        }
        s_t v38 = (s_t){ f8(l20), f8(hd.s[0].x) };
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
