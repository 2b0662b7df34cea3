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
s_t f3(inout bit<8> p1, in bit<8> p2) {
    p1 = (-p2);
    if (((p2 == p2) || ((p2 == 8w255) && (8w255 >= 8w255)))) {
    }
    return (s_t){ (16w33007)[11:4], ((p1)[2:0] ++ (p1)[7:3]) };
}
bit<8> f6(inout s_t p4) {
    f3(p4.x, (-p4.x));
    f3(p4.y, (16w46915)[11:4]);
    bit<8> v5 = ((8w0 |-| 8w128) |+| p4.y);
    f3(p4.y, (-p4.x));
    return ((p4.x >= p4.y) ? (-8w0) : (p4.y | p4.y));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l7 = 206;
    bit<8> l8 = 10;
    action a10(inout bit<8> p9) {
        if ((8w7 == 8w7)) {
            hd.h.a = 8w7;
            hd.s[2].x = hd.h.a;
            hd.g.setInvalid();
            hd.h.a = ((((8w2)[0:0] ++ (8w2)[7:1]) ++ (hd.s[((hd.h.b + 8w3) & 8w3)].x >> l8)))[11:4];
        }
        bit<8> v11 = l7;
    }
    action a14(inout s_t p12, inout bit<16> p13) {
        hd.s[((16w55684)[11:4] & 8w3)].x = f6(p12);
        hd.g.setValid();
        switch ((((8w0 ^ 8w2) & (p12.x |+| 8w1)) & 8w7)) {
            0: {
                if ((f6(p12) >= (hd.s[1].x |-| 8w2))) {
                    hd.g.setValid();
                    p12 = f3(hd.h.b, ((p12.x | hd.h.a) & f6(p12)));
                    hd.g.setValid();
                } else {
                    bit<8> v15 = ((p13)[11:4] & (hd.h.a * l8));
                    f3(hd.h.a, f6(p12));
                }
            }
            5: {
                bit<8> v16 = ((hd.s[3].x |-| 8w0) - (hd.h.b |-| 8w2));
            }
            default: {
                if (((8w64 ^ hd.h.b) == f6(p12))) {
                    hd.s[(((l8)[2:0] ++ (l8)[7:3]) & 8w3)].x[5:3] = (8w168)[2:0];
                }
            }
        }
    }
    action a18(in bit<16> p17) {
        hd.h.b = ((l7 * ((8w3 != hd.h.b) ? hd.s[((8w1 | 8w128) & 8w3)].x : hd.h.b)) ^ ((8w3 == 8w255) ? ((8w128 == hd.h.a) ? l7 : l8) : hd.h.a));
        l7 = (8w7 * ((hd.h.b + hd.h.b) >> 8w7));
    }
    action a19() {
        f3(hd.s[0].x, hd.h.a);
    }
    table t20 { actions = { a19; } default_action = a19(); }
    apply {
    sm.egress_spec = 1;
        bit<8> v21 = 8w7;
        for (bit<8> i22 in 8w0..8w3) {
            exit;
            hd.g.setInvalid();
        }
        hd.g.a = (hd.w.v)[11:4];
        switch (((((l8 < hd.s[(8w255 & 8w3)].x) && (hd.h.a < hd.h.a)) ? ((8w128)[0:0] ++ (8w128)[7:1]) : (8w255 >> hd.h.b)) & 8w7)) {
            4: {
                t20.apply();
            }
            5: {
                hd.g.setValid();
                t20.apply();
                for (bit<8> i23 in 8w0..8w3) {
                    bit<16> v24 = 16w9669;
                }
            }
            default: {
                bit<8> v25 = ((hd.h.a)[1:0] ++ (hd.h.a)[7:2]);
                f3(v25, (16w23263)[11:4]);
                if ((hd.g.isValid() && (!(8w0 != hd.s[((hd.s[2].x >> 8w2) & 8w3)].x)))) {
                    hd.s[3].x = (8w7 >> ((8w0)[0:0] ++ (8w0)[7:1]));
                    a10(hd.h.b);
                }
            }
        }
        hd.h.b = (((8w1 >> hd.h.b) == ((hd.h.a)[3:0] ++ (hd.h.a)[7:4])) ? 8w7 : (8w7 ^ 8w7));
        bit<8> v26 = (((8w1 != hd.h.b) ? hd.s[2].x : hd.h.a) >> 8w10);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
