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
bit<8> f4(in bit<8> p1, out h_t p2) {
    for (bit<8> i3 in 8w0..8w3) {
    }
    return (((p1 < 8w128) ? p1 : p1) |+| (-8w128));
}
s_t f10(inout bit<16> p5, in h_t p6, inout bit<8> p7) {
    p7 = p7;
    for (bit<8> i8 in 8w0..8w2) {
        p7[7:1] = (((8w6 + 8w0) << 8w7))[6:0];
        bit<16> v9 = ((i8 |-| p7) ++ 8w7);
    }
    if ((!(8w128 < p7))) {
        p7 = 8w0;
        p7 = ((p7 ^ 8w7) ^ (p7 - 8w7));
    } else {
        p5 = ((bit<16>)(p7));
        p5 = ((((p7 >= p7) || (p7 == p7)) ? 8w7 : (8w3 |-| p7)) ++ (8w7 >> p7));
    }
    return (s_t){ (p5)[11:4], ((8w0)[1:0] ++ (8w0)[7:2]) };
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l11 = 217;
    bit<8> l12 = 138;
    action a15(out h_t p13, inout s_t p14) {
        l11[1:1] = (((hd.s[(((hd.h.a != hd.h.a) ? hd.s[(l12 & 8w3)].x : hd.s[((hd.w.v)[11:4] & 8w3)].x) & 8w3)].x ++ p14.x))[11:4])[0:0];
        l12 = l11;
    }
    action a18(out bit<8> p16, inout bit<8> p17) {
        if ((((8w3)[1:0] ++ (8w3)[7:2]) == f4(l12, hd.h))) {
            exit;
            bit<8> v19 = ((hd.h.b)[2:0] ++ (hd.h.b)[7:3]);
        }
        hd.s[((hd.h.b << hd.h.a) & 8w3)].x = f4(((hd.w.v |+| hd.w.v))[11:4], hd.h);
    }
    action a21(bit<8> d20) {
        if (((hd.h.b * hd.h.a) == (hd.h.a * hd.s[(((d20 >= d20) ? hd.h.a : d20) & 8w3)].x))) {
            a18(hd.g.a, hd.s[(hd.h.a & 8w3)].x);
            l11[5:0] = ((8w2 | f4(hd.s[(f4(hd.h.b, hd.g) & 8w3)].x, hd.h)))[5:0];
        }
        a18(hd.s[(hd.s[2].x & 8w3)].x, hd.h.b);
        hd.g.setInvalid();
    }
    table t22 { key = { (hd.h.a & 8w3) : exact @name("k"); } actions = { a21; } default_action = a21(96); const entries = { 2 : a21(188); 3 : a21(104); } }
    apply {
    sm.egress_spec = 1;
        a18(hd.g.a, hd.s[2].x);
        switch (((f4(hd.h.b, hd.g) + (hd.s[(f4(hd.h.a, hd.h) & 8w3)].x | hd.s[((l12 - hd.s[1].x) & 8w3)].x)) & 8w7)) {
            5: {
                hd.h.b = (((!(hd.h.b == hd.h.a)) ? ((8w3)[0:0] ++ (8w3)[7:1]) : (l11 >> 8w1)) >> 8w2);
            }
            3: {
                return;
                f4(f4(hd.s[(f4(l12, hd.g) & 8w3)].x, hd.h), hd.h);
                hd.h.b = f4(f4(hd.h.a, hd.h), hd.g);
            }
            default: {
                t22.apply();
            }
        }
        t22.apply();
        hd.g.setInvalid();
        t22.apply();
        hd.s[((hd.h.b ^ hd.h.b) & 8w3)].x[0:0] = ((f4(hd.h.a, hd.g) >> hd.h.b))[0:0];
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
