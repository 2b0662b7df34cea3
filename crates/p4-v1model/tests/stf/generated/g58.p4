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
void f5(inout bit<8> p1, out bit<8> p2, inout s_t p3) {
    for (bit<8> i4 in 8w0..8w2) {
        if (((i4 + i4) != p2)) {
        } else {
            p3 = p3;
        }
    }
}
s_t f10(out h_t p6, inout s_t p7, in bit<8> p8) {
    p7.y = (((8w1 >> 8w0) << (-p7.y)) >> (-(-8w0)));
    p7.y = ((p7.x << (8w93 | p7.y)) << 8w2);
    bit<16> v9 = 16w11015;
    f5(p7.y, p7.x, p7);
    return (s_t){ (-p8), (-p7.y) };
}
void f12(inout s_t p11) {
    if (((-p11.y) != ((8w2)[4:0] ++ (8w2)[7:5]))) {
        p11.y = (-8w2);
    }
    p11.x = (p11.x - ((8w2)[4:0] ++ (8w2)[7:5]));
    p11.y = (((p11.y * p11.y) |-| (p11.x << p11.x)) >> (((p11.x >= p11.x) || (p11.x >= p11.y)) ? (p11.x |-| p11.x) : (p11.y >> p11.y)));
    if (((p11.x & p11.y) != p11.x)) {
        p11.x = p11.y;
        p11 = (s_t){ ((p11.y)[2:0] ++ (p11.y)[7:3]), (-p11.x) };
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l13 = 74;
    bit<8> l14 = 2;
    action a18(out h_t p15, inout bit<8> p16, inout bit<8> p17) {
    }
    action a20(bit<8> d19) {
        hd.w.v = ((bit<16>)((((l14 < hd.h.b) ? hd.h.a : hd.s[(l13 & 8w3)].x) |-| (l13 << 8w8))));
        hd.g.setValid();
        hd.g.setInvalid();
    }
    table t21 { actions = { a20; } default_action = a20(38); }
    action a23(bit<8> d22) {
        for (bit<8> i24 in 8w0..8w3) {
        }
        hd.s[0].x = (((hd.h.b * hd.h.b) >> (l14 & hd.h.a)) << 8w5);
    }
    table t25 { actions = { a23; } default_action = a23(136); }
    apply {
    sm.egress_spec = 1;
        exit;
        hd.g.a = (hd.h.a - ((-hd.s[((hd.s[0].x ^ hd.h.b) & 8w3)].x) |+| hd.h.a));
        if ((!(l13 != 8w0))) {
            hd.g.b = (-(-(hd.s[0].x + l14)));
            hd.h.b = ((-((8w255)[1:0] ++ (8w255)[7:2])) |+| ((8w255 != hd.h.a) ? 8w24 : hd.h.a));
        } else {
            hd.g.setInvalid();
        }
        a18(hd.h, hd.s[((-8w3) & 8w3)].x, l13);
        hd.g.b = l13;
        if (((-8w0) == ((hd.h.b)[4:0] ++ (hd.h.b)[7:5]))) {
            t21.apply();
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
