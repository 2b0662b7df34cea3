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
s_t f4(inout bit<16> p1) {
    bit<8> v2 = ((16w60534 - p1))[11:4];
    v2 = (((-8w3) | v2) ^ (-(v2 |+| v2)));
    v2[1:0] = (((-v2) << 8w2))[1:0];
    s_t v3 = (s_t){ (v2 + 8w1), ((v2 < v2) ? 8w3 : v2) };
    return (s_t){ (8w3 >> 8w197), (8w128 >> 8w255) };
}
bit<8> f9(out h_t p5, in h_t p6, out h_t p7) {
    for (bit<8> i8 in 8w0..8w1) {
    }
    return (16w9977)[11:4];
}
void f12(inout bit<8> p10) {
    if (((p10 == p10) || (8w2 == p10))) {
        s_t v11 = (s_t){ 8w1, 8w2 };
        if (((16w26693)[11:4] == ((8w2)[1:0] ++ (8w2)[7:2]))) {
        } else {
            p10[2:1] = ((p10 ^ v11.y))[1:0];
        }
    }
    p10 = p10;
    p10 = 8w7;
}
void f16(in bit<8> p13, in s_t p14, out h_t p15) {
    return;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l17 = 61;
    bit<8> l18 = 90;
    action a21(inout bit<8> p19, in bit<8> p20) {
        f12(hd.s[((l18 | p20) & 8w3)].x);
        hd.w.v = ((bit<16>)(hd.h.a));
    }
    action a23(inout bit<8> p22) {
    }
    action a27(out bit<16> p24, in bit<8> p25, out s_t p26) {
        if (((8w1 * 8w128) == f9(hd.h, hd.h, hd.h))) {
            p24 = ((bit<16>)(hd.h.b));
        }
        for (bit<8> i28 in 8w0..8w2) {
            s_t v29 = p26;
            v29 = f4(p24);
            continue;
        }
        hd.g.b = (((bit<16>)(p25)))[11:4];
    }
    action a30() {
        for (bit<8> i31 in 8w0..8w2) {
            break;
            l17 = l18;
            f9(hd.h, hd.h, hd.h);
            continue;
        }
        hd.h.b[2:2] = (((8w1 ^ l17) << 8w2))[0:0];
        f12(hd.s[((hd.h.b >> hd.h.a) & 8w3)].x);
    }
    table t32 { key = { (l18 & 8w3) : exact @name("k"); } actions = { a30; } default_action = a30(); const entries = { 0 : a30(); 3 : a30(); } }
    apply {
    sm.egress_spec = 1;
        if ((!((l18 >= 8w2) || (8w1 < 8w0)))) {
            f12(hd.h.a);
            bit<8> v33 = ((l17)[4:0] ++ (l17)[7:5]);
        } else {
            if (t32.apply().hit) {
                f12(l17);
            }
            hd.g.setInvalid();
        }
        if (((l18 + hd.h.a) == hd.h.b)) {
            f4(hd.w.v);
        } else {
            hd.w.v = (hd.s[(((hd.h.b >= hd.h.b) ? hd.s[0].x : hd.s[((hd.w.v)[11:4] & 8w3)].x) & 8w3)].x ++ ((8w3 == 8w255) ? ((hd.h.b)[0:0] ++ (hd.h.b)[7:1]) : hd.h.a));
            hd.h.a = f9(hd.g, hd.h, hd.h);
            if (((l18 << hd.s[(f9(hd.g, hd.h, hd.g) & 8w3)].x) == (l17 << 8w5))) {
                s_t v34 = (s_t){ (8w128 ^ l18), ((hd.s[1].x)[5:0] ++ (hd.s[1].x)[7:6]) };
                hd.g.setValid();
            } else {
                if ((((hd.h.a != 8w128) ? hd.h.b : 8w2) < (hd.h.a >> 8w2))) {
                    l17 = (hd.h.b | (((bit<16>)(hd.s[3].x)))[11:4]);
                    t32.apply();
                    f4(hd.w.v);
                } else {
                    f9(hd.h, hd.g, hd.h);
                }
                hd.h.a[4:0] = (((hd.h.b ^ hd.s[((hd.h.a | hd.s[1].x) & 8w3)].x) << 8w7))[4:0];
                hd.w.v = (f9(hd.g, hd.g, hd.g) ++ f9(hd.g, hd.g, hd.h));
            }
            a23(hd.s[2].x);
        }
        hd.w.v = (((bit<16>)((16w64034)[11:4])) ^ (((hd.h.a)[4:0] ++ (hd.h.a)[7:5]) ++ f9(hd.g, hd.g, hd.h)));
        if ((hd.g.isValid() || t32.apply().hit)) {
            hd.h.a = ((((bit<16>)(8w128)) + ((bit<16>)(l17))))[11:4];
            if (((8w128 << hd.s[((l18 |+| hd.h.b) & 8w3)].x) == ((8w128)[5:0] ++ (8w128)[7:6]))) {
                exit;
                hd.w.v = ((bit<16>)(((hd.s[(((hd.h.b == hd.s[((hd.w.v)[11:4] & 8w3)].x) ? l18 : l18) & 8w3)].x | hd.h.a) << 8w0)));
            }
        } else {
            f16(f9(hd.g, hd.g, hd.g), (s_t){ hd.s[((hd.h.a ^ hd.h.a) & 8w3)].x, l17 }, hd.g);
            t32.apply();
        }
        t32.apply();
        if ((!(8w3 == hd.s[((8w128 << 8w5) & 8w3)].x))) {
            hd.h.a = hd.h.b;
            hd.w.v = hd.w.v;
            for (bit<8> i35 in 8w0..8w2) {
                break;
            }
            t32.apply();
        } else {
            t32.apply();
            t32.apply();
            t32.apply();
            t32.apply();
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
