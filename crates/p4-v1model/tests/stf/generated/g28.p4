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
bit<8> f4(inout bit<16> p1) {
    return ((16w11667 + 16w46168))[11:4];
    if (((-8w255) == (-8w118))) {
        bit<16> v2 = ((bit<16>)(8w3));
    } else {
        for (bit<8> i3 in 8w0..8w3) {
            continue;
        }
    }
    p1 = p1;
    return (-(8w1 << 8w255));
}
bit<8> f7(inout s_t p5) {
    p5.x = p5.y;
    switch ((8w7 & 8w7)) {
        0: {
            switch (((((8w3 == p5.x) ? p5.x : p5.y) - 8w7) & 8w7)) {
                3: {
                    bit<8> v6 = 8w7;
                }
                4: {
                    p5 = p5;
                }
                default: {
                    return (p5.y >> 8w4);
                }
            }
        }
        5: {
            if (((16w56035)[11:4] == ((p5.x)[1:0] ++ (p5.x)[7:2]))) {
            } else {
                return p5.x;
            }
        }
        default: {
            p5.x[0:0] = ((((p5.y != p5.x) ? p5.y : 8w3) >> 8w11))[0:0];
        }
    }
    p5.y = (p5.y | ((p5.x == p5.y) ? ((p5.x < p5.x) ? p5.x : p5.y) : 8w7));
    return ((p5.x)[2:0] ++ (p5.x)[7:3]);
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l8 = 227;
    bit<8> l9 = 8;
    action a12(inout bit<8> p10, in bit<16> p11) {
        hd.h.a = hd.s[1].x;
    }
    action a15(out bit<8> p13, inout s_t p14) {
        exit;
        s_t v16 = p14;
        switch ((l9 & 8w7)) {
            5: {
                hd.g.setValid();
                hd.w.v = ((bit<16>)(f7(p14)));
            }
            2: {
                if (((!(hd.s[2].x == 8w0)) && hd.g.isValid())) {
                    p14 = v16;
                }
                hd.g.setValid();
            }
            default: {
                f7(p14);
                p14 = (s_t){ f4(hd.w.v), hd.s[0].x };
                if ((!(v16.x == p14.x))) {
                }
                if (((p14.y | hd.s[3].x) < f4(hd.w.v))) {
                    f4(hd.w.v);
                    a12(p14.x, ((bit<16>)(v16.x)));
                    f7(p14);
                    f7(p14);
                }
            }
        }
    }
    action a17() {
        a12(hd.h.b, ((bit<16>)(hd.s[3].x)));
        l9 = ((((bit<16>)(8w3)) |+| (16w24486 * hd.w.v)))[11:4];
    }
    table t18 { key = { ((((8w255 < 8w0) ? hd.s[(f4(hd.w.v) & 8w3)].x : hd.h.a) >> ((8w255 < 8w1) ? hd.s[(hd.h.a & 8w3)].x : l9)) & 8w3) : exact @name("k"); } actions = { a17; } default_action = a17(); const entries = { 0 : a17(); 2 : a17(); } }
    apply {
    sm.egress_spec = 1;
        t18.apply();
        t18.apply();
        hd.w.v = ((bit<16>)((f4(hd.w.v) << 8w6)));
        exit;
        hd.g.setValid();
        if ((hd.h.a == (hd.h.b >> 8w1))) {
            t18.apply();
            a12(hd.h.b, ((bit<16>)(hd.h.a)));
            a12(hd.s[((hd.s[3].x + l9) & 8w3)].x, ((bit<16>)(8w255)));
        }
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
