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
bit<8> f3(inout s_t p1) {
    for (bit<8> i2 in 8w0..8w3) {
        p1.y = ((((p1.x)[6:0] ++ (p1.x)[7:7]) | (p1.y & p1.x)) - (-(8w1 >> p1.y)));
    }
    p1.x = ((-(-8w101)) >> 8w4);
    return ((p1.y - p1.y) - (8w1 & p1.y));
}
s_t f5(in s_t p4) {
    if ((!(!(8w223 >= p4.y)))) {
    }
    return p4;
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 177;
    bit<8> l7 = 246;
    action a9(inout bit<8> p8) {
        hd.h.b = 8w7;
        if ((8w7 == (hd.h.b ^ hd.h.a))) {
            p8 = ((hd.h.b)[5:0] ++ (hd.h.b)[7:6]);
        }
    }
    action a13(inout bit<16> p10, inout bit<16> p11, out bit<8> p12) {
        a9(hd.h.a);
        p12 = (8w7 |+| 8w7);
        if (((hd.w.v)[11:4] == (8w1 ^ hd.s[(((p12)[1:0] ++ (p12)[7:2]) & 8w3)].x))) {
        } else {
            hd.g.setValid();
            return;
        }
    }
    action a14() {
        a9(hd.s[(((hd.h.b < hd.h.a) ? hd.h.b : hd.h.a) & 8w3)].x);
        hd.w.v = hd.w.v;
    }
    table t15 { key = { ((8w7 |+| ((hd.s[1].x != 8w0) ? 8w3 : 8w2)) & 8w3) : exact @name("k"); } actions = { a14; } default_action = a14(); const entries = { 2 : a14(); 1 : a14(); } }
    action a17(bit<8> d16) {
        hd.w.v = ((bit<16>)(8w7));
        if ((hd.h.a == l7)) {
            hd.g.setValid();
            hd.h.a = hd.s[(((hd.h.b)[6:0] ++ (hd.h.b)[7:7]) & 8w3)].x;
            bit<8> v18 = (hd.s[(hd.h.a & 8w3)].x - 8w1);
        }
        hd.h.b = (8w7 + (((l7)[0:0] ++ (l7)[7:1]) * 8w7));
    }
    table t19 { actions = { a17; } default_action = a17(252); }
    apply {
    sm.egress_spec = 1;
        hd.w.v = (8w7 ++ ((8w128 |-| 8w0) & 8w7));
        switch (((((8w2 >= 8w1) ? 8w2 : l7) - 8w7) & 8w7)) {
            5: {
                t15.apply();
            }
            0: {
                t15.apply();
                exit;
            }
            default: {
                hd.g.b = hd.h.a;
                f5((s_t){ hd.s[1].x, hd.h.b });
                t15.apply();
                if ((!hd.g.isValid())) {
                    a9(hd.s[2].x);
                    hd.g.setInvalid();
                }
            }
        }
        t15.apply();
        t15.apply();
        t15.apply();
        a9(hd.h.b);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
