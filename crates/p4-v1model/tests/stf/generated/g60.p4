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
s_t f2(inout bit<16> p1) {
    return (s_t){ (8w0 >> 8w6), 8w255 };
}
void f6(out h_t p3) {
    switch (((-(-8w2)) & 8w7)) {
        1: {
            s_t v4 = (s_t){ 8w1, 8w2 };
        }
        2: {
            if (((8w255 >> 8w11) == 8w2)) {
            }
        }
        default: {
            for (bit<8> i5 in 8w0..8w1) {
            }
        }
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l7 = 106;
    bit<8> l8 = 35;
    action a10(in s_t p9) {
        f2(hd.w.v);
        for (bit<8> i11 in 8w0..8w1) {
            for (bit<8> i12 in 8w0..8w2) {
                hd.w.v = 16w38584;
                f2(hd.w.v);
            }
        }
    }
    action a13() {
        a10((s_t){ hd.h.b, 8w0 });
        exit;
        if ((((hd.s[((16w26543)[11:4] & 8w3)].x)[3:0] ++ (hd.s[((16w26543)[11:4] & 8w3)].x)[7:4]) == (-8w241))) {
            hd.w.v = ((bit<16>)(((-8w88) |+| hd.h.a)));
        } else {
            f6(hd.h);
            if ((l8 == l8)) {
                f2(hd.w.v);
                f2(hd.w.v);
            }
        }
    }
    table t14 { key = { (((hd.h.b ^ 8w128) >> 8w5) & 8w3) : exact @name("k"); } actions = { a13; } default_action = a13(); const entries = { 0 : a13(); 2 : a13(); } }
    apply {
    sm.egress_spec = 1;
        if (hd.g.isValid()) {
            if ((t14.apply().hit || (8w255 == l7))) {
                hd.h.b = (((hd.h.b == hd.h.a) && t14.apply().hit) ? (((bit<16>)(l7)))[11:4] : (hd.w.v)[11:4]);
            }
            f6(hd.g);
            t14.apply();
            a10(f2(hd.w.v));
        }
        t14.apply();
        hd.g.setInvalid();
        l7 = (((-8w128) ++ (-8w1)))[11:4];
        if (((8w0 == l8) || ((hd.s[1].x >= l8) || (l8 == hd.h.a)))) {
            f6(hd.h);
            f2(hd.w.v);
        } else {
            a10((s_t){ hd.h.b, l8 });
            hd.g.setInvalid();
            if (((l8 == hd.s[2].x) && (hd.h.a == hd.h.b))) {
            } else {
                f2(hd.w.v);
            }
        }
        hd.w.v = (((bit<16>)((hd.h.a * 8w255))) + ((hd.w.v * hd.w.v) * ((bit<16>)(8w1))));
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
