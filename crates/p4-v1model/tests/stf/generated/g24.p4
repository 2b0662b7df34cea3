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
bit<8> f3(inout bit<8> p1, inout bit<8> p2) {
    return (p1 & (-8w0));
    p2 = (-(((p2 == p1) ? p1 : p1) | ((p1)[1:0] ++ (p1)[7:2])));
    return ((16w24974 ^ 16w60298))[11:4];
}
bit<8> f5(inout s_t p4) {
    f3(p4.x, p4.y);
    p4.y[5:3] = ((((p4.y)[1:0] ++ (p4.y)[7:2]) & ((p4.y)[4:0] ++ (p4.y)[7:5])))[2:0];
    p4.y = f3(p4.y, p4.y);
    return (8w255 >> f3(p4.x, p4.x));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l6 = 214;
    bit<8> l7 = 34;
    action a9(inout bit<8> p8) {
        hd.h.a = ((l6)[2:0] ++ (l6)[7:3]);
    }
    action a12(in bit<16> p10, in bit<8> p11) {
    }
    action a14(bit<8> d13) {
        s_t v15 = (s_t){ 8w7, 8w7 };
        v15 = (s_t){ ((8w128)[4:0] ++ (8w128)[7:5]), ((hd.h.a << hd.h.a) |-| l6) };
    }
    table t16 { key = { ((hd.s[1].x |+| (hd.h.a + 8w3)) & 8w3) : exact @name("k"); } actions = { a14; } default_action = a14(106); const entries = { 2 : a14(189); 0 : a14(171); } }
    apply {
    sm.egress_spec = 1;
        f3(l7, hd.h.a);
        hd.g.a = ((t16.apply().hit || (hd.h.a == l6)) ? (((8w1)[0:0] ++ (8w1)[7:1]) - l6) : ((l7)[4:0] ++ (l7)[7:5]));
        switch ((hd.s[((8w255 ^ hd.s[(((l7 == hd.s[((8w153 + hd.s[3].x) & 8w3)].x) ? hd.h.b : hd.h.b) & 8w3)].x) & 8w3)].x & 8w7)) {
            5: {
                bit<8> v17 = (f3(l6, l7) * (8w2 >> 8w11));
                hd.h.a = ((hd.h.a)[5:0] ++ (hd.h.a)[7:6]);
            }
            1: {
                return;
                a12(((bit<16>)(hd.s[(((hd.s[(8w7 & 8w3)].x != hd.s[(((8w3)[6:0] ++ (8w3)[7:7]) & 8w3)].x) ? l6 : hd.s[((8w128 & l6) & 8w3)].x) & 8w3)].x)), (hd.h.a << 8w128));
                hd.g.setInvalid();
            }
            default: {
                a9(hd.s[3].x);
                exit;
                for (bit<8> i18 in 8w0..8w2) {
                    f3(hd.h.a, hd.s[0].x);
                    hd.w.v = ((bit<16>)(hd.s[(((hd.h.a)[6:0] ++ (hd.h.a)[7:7]) & 8w3)].x));
                }
            }
        }
        l7[6:3] = (8w0)[3:0];
        a9(hd.s[2].x);
        hd.g.setValid();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
