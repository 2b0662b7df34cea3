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
void f4(inout s_t p1, out bit<8> p2, inout s_t p3) {
    p3.x[2:1] = (((8w1 & p3.y) - (16w38104)[11:4]))[1:0];
}
bit<8> f7(out bit<8> p5) {
    if ((p5 == (-p5))) {
        s_t v6 = (s_t){ (8w128 - p5), (8w3 ^ p5) };
        v6 = (s_t){ (-(v6.y << 8w10)), (((v6.y == p5) ? p5 : v6.x) - ((v6.x)[2:0] ++ (v6.x)[7:3])) };
        f4(v6, v6.x, v6);
    }
    return ((8w11)[6:0] ++ (8w11)[7:7]);
}
void f11(out h_t p8, in h_t p9, out h_t p10) {
    if (((8w128 - 8w2) == (8w166 >> 8w6))) {
        if ((((8w255 >= 8w64) ? 8w1 : 8w2) >= 8w7)) {
        }
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l12 = 155;
    bit<8> l13 = 175;
    action a15(in bit<16> p14) {
        hd.h.a = (f7(l12) |-| ((hd.h.b)[2:0] ++ (hd.h.b)[7:3]));
        f11(hd.g, hd.h, hd.g);
        bit<8> v16 = hd.s[3].x;
    }
    action a19(out s_t p17, in bit<8> p18) {
        p17.x = ((l12)[5:0] ++ (l12)[7:6]);
        hd.h.b = (((hd.h.a << 8w7) ^ ((hd.h.b == l13) ? 8w0 : hd.s[0].x)) >> 8w128);
        if ((f7(hd.s[(((p17.y != l12) ? hd.h.a : p17.y) & 8w3)].x) >= (16w3237)[11:4])) {
            f4(p17, hd.s[((hd.h.a << 8w9) & 8w3)].x, p17);
            hd.h.a = hd.s[((8w255 & l12) & 8w3)].x;
        }
    }
    action a21(inout bit<16> p20) {
        hd.g.a = f7(hd.h.a);
        hd.s[((p20)[11:4] & 8w3)].x[3:1] = (f7(hd.s[1].x))[2:0];
        hd.w.v = hd.w.v;
    }
    action a23(bit<8> d22) {
        f11(hd.h, hd.h, hd.h);
    }
    table t24 { actions = { a23; } default_action = a23(4); }
    apply {
    sm.egress_spec = 1;
        if ((l12 >= f7(hd.s[((16w53151)[11:4] & 8w3)].x))) {
            if ((!(hd.h.b == hd.h.b))) {
                hd.h.a = ((!t24.apply().hit) ? hd.h.b : f7(hd.h.b));
                exit;
            }
        } else {
            hd.s[3].x[4:3] = (((l12 >= hd.h.b) ? l13 : hd.h.b))[1:0];
            exit;
        }
        a21(hd.w.v);
        hd.w.v = (((bit<16>)((8w128 & 8w7))) |+| (hd.h.a ++ l13));
        hd.s[1].x = (8w0 - hd.s[(f7(hd.g.b) & 8w3)].x);
        t24.apply();
        hd.h.b = ((hd.h.b)[5:0] ++ (hd.h.b)[7:6]);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
