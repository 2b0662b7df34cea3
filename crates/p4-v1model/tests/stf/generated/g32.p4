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
bit<8> f4(out h_t p1, in h_t p2) {
    for (bit<8> i3 in 8w0..8w1) {
    }
    return (16w29629)[11:4];
}
bit<8> f7(out bit<8> p5) {
    if ((8w7 == p5)) {
        p5 = (((p5)[0:0] ++ (p5)[7:1]) << 8w3);
        p5 = (8w7 | 8w7);
    }
    for (bit<8> i6 in 8w0..8w3) {
    }
    return ((!(p5 < 8w255)) ? 8w7 : 8w7);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 220;
    bit<8> l9 = 195;
    action a12(inout bit<16> p10, inout s_t p11) {
        if (((hd.h.a == 8w2) || (hd.h.b == 8w0))) {
            if (((hd.w.v)[11:4] != 8w0)) {
                p11 = (s_t){ hd.h.b, ((hd.s[((hd.s[3].x + hd.s[((p10)[11:4] & 8w3)].x) & 8w3)].x)[0:0] ++ (hd.s[((hd.s[3].x + hd.s[((p10)[11:4] & 8w3)].x) & 8w3)].x)[7:1]) };
                f4(hd.g, hd.h);
            }
            hd.s[0].x[0:0] = ((f4(hd.h, hd.h) << (16w31872)[11:4]))[0:0];
            f7(p11.y);
            f4(hd.h, hd.h);
        } else {
            hd.h.a = (hd.h.a & hd.s[3].x);
            if ((f7(hd.g.a) == 8w0)) {
                f4(hd.g, hd.g);
                f7(p11.x);
                f4(hd.h, hd.g);
            } else {
                f4(hd.g, hd.g);
            }
        }
        p11 = p11;
        f7(hd.h.b);
    }
    action a14(out bit<16> p13) {
        bit<8> v15 = f4(hd.h, hd.h);
        hd.g.setValid();
    }
    action a17(bit<8> d16) {
    }
    table t18 { key = { (((l8)[3:0] ++ (l8)[7:4]) & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(173); const entries = { 0 : a17(187); 1 : a17(157); } }
    action a19() {
        hd.g.setInvalid();
        hd.w.v = 16w18547;
        l8 = ((l9)[6:0] ++ (l9)[7:7]);
    }
    table t20 { actions = { a19; } default_action = a19(); }
    apply {
    sm.egress_spec = 1;
        hd.g.setInvalid();
        if (((hd.s[(f4(hd.h, hd.g) & 8w3)].x |+| hd.h.a) != f7(l9))) {
            hd.s[(((l9 != 8w2) ? 8w2 : 8w3) & 8w3)].x = f7(hd.h.a);
            f7(l9);
        } else {
            hd.w.v = hd.w.v;
            f4(hd.g, hd.h);
            t20.apply();
        }
        t20.apply();
        exit;
        if (((!(8w128 >= hd.h.a)) && (!(8w255 != 8w2)))) {
            if (t20.apply().hit) {
                hd.h.b[2:1] = (((hd.h.b)[3:0] ++ (hd.h.b)[7:4]))[1:0];
                if (t20.apply().hit) {
                    return;
                    t18.apply();
                }
            } else {
                bit<8> v21 = (f7(hd.h.b) >> 8w7);
                switch ((((8w3)[1:0] ++ (8w3)[7:2]) & 8w7)) {
                    1: {
                        f7(hd.s[2].x);
                    }
                    3: {
                        f4(hd.g, hd.h);
                    }
                    default: {
                        hd.g.setValid();
                    }
                }
                t18.apply();
                t18.apply();
            }
            t20.apply();
            f7(hd.g.b);
            t18.apply();
        }
        hd.w.v = ((bit<16>)((f7(hd.s[2].x) & ((hd.h.b)[3:0] ++ (hd.h.b)[7:4]))));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
