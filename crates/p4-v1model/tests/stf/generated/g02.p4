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
void f3(inout bit<8> p1, out bit<8> p2) {
    p1[3:3] = ((p2 + (p2 + 8w2)))[0:0];
}
bit<8> f8(in bit<8> p4, inout bit<8> p5) {
    if (((p4 ^ p5) == (-p5))) {
        f3(p5, p5);
    }
    f3(p5, p5);
    for (bit<8> i6 in 8w0..8w1) {
        s_t v7 = (s_t){ ((p4)[4:0] ++ (p4)[7:5]), ((p5 != p5) ? 8w2 : i6) };
        if ((v7.y >= ((p4 < 8w128) ? i6 : i6))) {
            f3(v7.x, p5);
            p5 = ((16w60382 |+| (i6 ++ p4)))[11:4];
        } else {
            v7.x = (((bit<16>)(i6)))[11:4];
        }
        if (((v7.y ^ v7.y) < (8w255 |+| p5))) {
        }
    }
    return (p5 << (p5 + 8w1));
}
void f12(inout bit<8> p9, inout s_t p10) {
    bit<8> v11 = ((8w1)[1:0] ++ (8w1)[7:2]);
    p9 = (f8(f8(v11, p9), p9) ^ f8((8w255 << v11), p9));
    f8(((8w2 < p9) ? v11 : v11), p10.x);
}
bit<8> f15(inout bit<8> p13) {
    for (bit<8> i14 in 8w0..8w1) {
        return ((i14 == i14) ? (16w1901)[11:4] : f8(p13, p13));
    }
    p13[2:0] = (((8w17 |-| 8w2) + f8(8w4, p13)))[2:0];
    p13[5:2] = (p13)[3:0];
    return ((8w1)[3:0] ++ (8w1)[7:4]);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l16 = 84;
    bit<8> l17 = 108;
    action a19(out bit<8> p18) {
        if (((hd.h.a - l17) == ((8w1 < hd.h.b) ? hd.s[((hd.w.v)[11:4] & 8w3)].x : 8w3))) {
            f8(f8(8w26, hd.s[((hd.w.v)[11:4] & 8w3)].x), hd.h.b);
        } else {
            hd.g.setInvalid();
            f15(l17);
            if ((((8w255)[6:0] ++ (8w255)[7:7]) == ((hd.h.a)[6:0] ++ (hd.h.a)[7:7]))) {
                f8((hd.w.v)[11:4], l16);
            }
        }
        bit<8> v20 = l17;
        hd.g.a = l16;
    }
    action a23(in bit<16> p21, out bit<8> p22) {
        if (((p21)[11:4] < f8(hd.h.a, l17))) {
            f8(((l17 >= hd.s[(f15(hd.h.b) & 8w3)].x) ? 8w0 : 8w0), hd.h.a);
            return;
            a19(p22);
        } else {
            bit<8> v24 = ((8w1 << 8w9) | f8(8w49, hd.h.b));
        }
        hd.s[((hd.s[3].x << 8w0) & 8w3)].x = (f8((hd.h.a >> 8w8), p22) + f15(p22));
        hd.g.setInvalid();
    }
    action a26(inout s_t p25) {
        bit<8> v27 = (8w245 - f8(8w24, p25.y));
        hd.h.a = ((((bit<16>)(8w141)))[11:4] >> ((hd.h.a)[5:0] ++ (hd.h.a)[7:6]));
    }
    action a28() {
        hd.w.v = ((bit<16>)(((8w128)[1:0] ++ (8w128)[7:2])));
        hd.w.v = (((l17 |-| hd.s[2].x) |+| f8(l17, hd.s[((hd.s[0].x << l17) & 8w3)].x)) ++ f15(hd.h.a));
        f3(hd.h.a, hd.g.b);
    }
    table t29 { actions = { a28; } default_action = a28(); }
    action a30() {
        hd.h.b = f8((16w45823)[11:4], hd.h.a);
        if (((hd.s[(f15(hd.h.a) & 8w3)].x == hd.s[0].x) || (hd.h.b < 8w1))) {
            if ((8w128 != f8(hd.h.a, hd.h.b))) {
                hd.g.a = f8((f8(hd.h.a, hd.h.b) |+| (hd.w.v)[11:4]), hd.h.b);
                hd.g.b = f15(hd.h.b);
                hd.h.b = f8(f8((hd.h.b >> hd.h.a), hd.h.a), hd.h.a);
                hd.w.v = ((bit<16>)(f8(((hd.h.b < 8w2) ? hd.h.b : 8w49), l16)));
            }
        } else {
            hd.s[1].x = 8w3;
        }
        switch ((f15(hd.s[1].x) & 8w7)) {
            4: {
                hd.g.b = (((bit<16>)(((hd.h.b)[1:0] ++ (hd.h.b)[7:2]))))[11:4];
                hd.w.v = ((bit<16>)(l16));
                a19(l17);
                f8((8w3 - 8w0), hd.h.a);
            }
            0: {
                exit;
                hd.g.a = f8((f15(hd.h.a) << 8w11), hd.h.a);
            }
            default: {
                for (bit<8> i31 in 8w0..8w2) {
                    hd.w.v = (((hd.h.b << 8w5) ^ hd.s[(hd.h.b & 8w3)].x) ++ ((!(hd.h.a != hd.h.b)) ? (hd.w.v)[11:4] : f8(hd.s[((hd.h.b >> hd.h.a) & 8w3)].x, hd.h.b)));
                    hd.h.a[7:7] = (hd.h.b)[0:0];
                    f15(hd.h.b);
                    hd.g.b = (((hd.w.v)[11:4] + (l16 ^ hd.s[((hd.w.v)[11:4] & 8w3)].x)) - ((hd.w.v)[11:4] | (hd.h.a - 8w0)));
                }
            }
        }
    }
    table t32 { actions = { a30; } default_action = a30(); }
    apply {
    sm.egress_spec = 1;
        return;
        l16 = f8(f8(f15(hd.h.b), l16), hd.s[1].x);
        f3(l16, l17);
        hd.g.b = (hd.h.b * ((hd.h.b << hd.h.a) + f15(hd.s[(((hd.h.b != hd.h.a) ? hd.h.b : l16) & 8w3)].x)));
        if (((l17 + hd.h.b) != f15(l17))) {
            hd.h.a = ((hd.h.a)[2:0] ++ (hd.h.a)[7:3]);
            return;
        }
        hd.g.a = (((hd.s[3].x == hd.s[((hd.w.v)[11:4] & 8w3)].x) || (hd.h.b < 8w0)) ? f15(hd.h.b) : ((8w2 & hd.h.a) >> ((l17)[5:0] ++ (l17)[7:6])));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
