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
bit<8> f4(inout bit<16> p1, inout bit<8> p2, inout bit<8> p3) {
    if (((-p3) == p2)) {
        p1 = ((bit<16>)(((p2 < p3) ? (-p2) : (p3 | p3))));
        return (-(8w1 >> 8w4));
    }
    if ((((8w1 >= p2) ? p2 : p2) >= (16w49406)[11:4])) {
        p1 = ((bit<16>)(p2));
    }
    return ((p2 << 8w10) & ((p2)[6:0] ++ (p2)[7:7]));
}
bit<8> f8(out s_t p5, inout bit<8> p6, in h_t p7) {
    p5 = (s_t){ 8w7, p5.y };
    p5.x = ((16w9818 |+| ((bit<16>)(p6))))[11:4];
    return (((bit<16>)(p5.x)))[11:4];
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l9 = 188;
    bit<8> l10 = 196;
    action a13(inout bit<8> p11, inout bit<8> p12) {
        f4(hd.w.v, hd.h.b, l10);
        f4(hd.w.v, hd.s[((hd.s[(((8w3 == hd.s[((l10 * hd.h.b) & 8w3)].x) ? hd.h.a : p12) & 8w3)].x << 8w3) & 8w3)].x, hd.h.b);
        if (hd.g.isValid()) {
            l10[5:4] = (p12)[1:0];
            hd.h.b = ((((l9 == 8w255) ? l9 : hd.h.a) |-| (hd.h.b >> hd.h.b)) & (16w52107)[11:4]);
        }
    }
    action a16(inout bit<8> p14, out h_t p15) {
        bit<16> v17 = ((bit<16>)(((8w255)[3:0] ++ (8w255)[7:4])));
        bit<16> v18 = ((8w1 ++ l10) + (hd.w.v + 16w554));
        bit<8> v19 = f4(v17, hd.s[((8w3 >> 8w3) & 8w3)].x, hd.h.b);
    }
    action a21(in bit<8> p20) {
        hd.g.setInvalid();
        f4(hd.w.v, hd.s[0].x, hd.s[(8w218 & 8w3)].x);
        a13(hd.h.a, l10);
    }
    action a23(bit<8> d22) {
        hd.g.b = f4(hd.w.v, hd.h.b, l10);
        hd.g.setInvalid();
        a16(hd.s[(8w7 & 8w3)].x, hd.g);
    }
    table t24 { key = { ((f4(hd.w.v, hd.h.b, hd.h.a) << 8w9) & 8w3) : exact @name("k"); } actions = { a23; } default_action = a23(48); const entries = { 0 : a23(49); 3 : a23(34); } }
    action a25() {
        hd.g.b = (8w3 |+| 8w7);
        a21(l10);
        a21(8w7);
    }
    table t26 { key = { (((8w1 == hd.h.a) ? (8w0 << 8w255) : l9) & 8w3) : exact @name("k"); } actions = { a25; } default_action = a25(); const entries = { 0 : a25(); 1 : a25(); } }
    apply {
    sm.egress_spec = 1;
        t24.apply();
        hd.s[((l9 | hd.h.a) & 8w3)].x = ((((8w0 >= hd.h.b) || (l9 != hd.h.a)) && (hd.h.a != 8w1)) ? f4(hd.w.v, hd.h.a, hd.h.a) : ((!(hd.h.b == l9)) ? f4(hd.w.v, hd.h.b, hd.s[3].x) : hd.s[((8w1 * l9) & 8w3)].x));
        if ((hd.h.b == (hd.h.b |-| l10))) {
            t24.apply();
            t26.apply();
            if (((hd.h.b == 8w1) && (hd.h.a >= hd.h.a))) {
                a21((hd.s[((hd.w.v)[11:4] & 8w3)].x & l10));
                exit;
            } else {
                l10 = f4(hd.w.v, hd.h.b, hd.h.a);
                t24.apply();
            }
        }
        a16(hd.s[(f4(hd.w.v, l9, hd.s[3].x) & 8w3)].x, hd.g);
        a16(hd.s[0].x, hd.h);
        a13(hd.h.a, l9);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
