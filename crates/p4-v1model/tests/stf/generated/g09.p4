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
bit<8> f2(inout s_t p1) {
    if (((p1.x & 8w1) == (-p1.y))) {
    }
    if (((16w51158)[11:4] < (8w0 >> 8w5))) {
        p1 = (s_t){ p1.y, (-(-p1.y)) };
    }
    return ((p1.x)[5:0] ++ (p1.x)[7:6]);
}
s_t f5(out s_t p3, out h_t p4) {
    f2(p3);
    p3 = p3;
    f2(p3);
    return (s_t){ ((8w1 == p3.y) ? p3.y : p3.y), f2(p3) };
}
void f7(in bit<16> p6) {
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 14;
    bit<8> l9 = 206;
    action a11(inout bit<16> p10) {
        if ((!(!(l9 != 8w2)))) {
            hd.g.setValid();
            hd.h.a = 8w7;
            return;
        }
        hd.h.a = ((((bit<16>)(hd.h.b)) ^ (16w21571 * hd.w.v)))[11:4];
        if ((8w7 < 8w7)) {
            exit;
            f7(16w50164);
            f7((hd.w.v * p10));
        }
    }
    action a12() {
        for (bit<8> i13 in 8w0..8w1) {
            f7(((bit<16>)(l9)));
        }
        f7((16w5592 * hd.w.v));
        if (hd.g.isValid()) {
            hd.w.v = ((((bit<16>)(8w255)) |+| hd.w.v) + ((bit<16>)(8w7)));
        }
    }
    table t14 { key = { (l8 & 8w3) : exact @name("k"); } actions = { a12; } default_action = a12(); const entries = { 1 : a12(); 2 : a12(); } }
    apply {
    sm.egress_spec = 1;
        return;
        return;
        hd.h.b[7:6] = ((hd.h.a >> 8w7))[1:0];
        if ((!((hd.s[((hd.h.a >> 8w2) & 8w3)].x != hd.s[(((hd.s[3].x < hd.h.a) ? hd.h.a : hd.s[2].x) & 8w3)].x) && (hd.h.a >= hd.h.a)))) {
            hd.g.setValid();
            a11(hd.w.v);
            hd.g.setInvalid();
        }
        if ((!(8w2 >= hd.h.a))) {
            switch ((l8 & 8w7)) {
                0: {
                    hd.w.v = hd.w.v;
                    t14.apply();
                }
                5: {
                    hd.s[((hd.h.b - hd.s[((hd.w.v)[11:4] & 8w3)].x) & 8w3)].x = 8w7;
                    hd.w.v = ((bit<16>)((8w7 |-| (hd.h.b >> hd.s[(8w7 & 8w3)].x))));
                    if ((8w7 == 8w7)) {
                        t14.apply();
                    }
                    hd.g.a = l9;
                }
                default: {
                    hd.g.setValid();
                    if (hd.g.isValid()) {
                        t14.apply();
                        t14.apply();
                        a11(hd.w.v);
                        hd.w.v = (((bit<16>)(((l9 >= l9) ? hd.s[1].x : hd.h.b))) * (hd.w.v |+| hd.w.v));
                    }
                    t14.apply();
                    hd.g.b = l9;
                }
            }
            if (t14.apply().hit) {
                t14.apply();
            }
        }
        t14.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
