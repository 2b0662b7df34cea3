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
s_t f3(out bit<8> p1, inout bit<8> p2) {
    return (s_t){ (-p1), ((p2 >= 8w3) ? p1 : p2) };
}
bit<8> f6(in bit<8> p4) {
    bit<8> v5 = (-(16w29306)[11:4]);
    return ((-8w255) >> 8w7);
}
control C10(out bit<16> p7, inout bit<16> p8, inout bit<8> p9) {
    bit<8> l11 = 29;
    bit<8> l12 = 0;
    action a14(inout bit<8> p13) {
        l12 = ((l11)[5:0] ++ (l11)[7:6]);
        f6(8w2);
        l11 = 8w3;
    }
    action a17(inout bit<16> p15, out h_t p16) {
        exit;
        if (((8w255 |+| l12) >= (p9 + 8w2))) {
            f3(p9, l11);
            l11 = ((l12)[5:0] ++ (l12)[7:6]);
        }
        l12 = (((l12 - l12) | f6(8w0)) << 8w6);
    }
    action a19(bit<8> d18) {
        l11[6:0] = (((8w2 |+| l12) - ((8w1)[6:0] ++ (8w1)[7:7])))[6:0];
        f6(f6(d18));
    }
    table t20 { actions = { a19; } default_action = a19(112); }
    apply {
        p9 = f6(f6(((l12 != l12) ? p9 : l12)));
        f6(f6(p9));
        f3(p9, l11);
        p8 = 16w37004;
        t20.apply();
    }
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l21 = 212;
    bit<8> l22 = 87;
    C10() inst23;
    action a25(in bit<8> p24) {
        hd.w.v = hd.w.v;
        hd.h.a[0:0] = (f6(((hd.h.a)[6:0] ++ (hd.h.a)[7:7])))[0:0];
        hd.h.a = (hd.g.isValid() ? 8w0 : f6(8w1));
    }
    action a29(out bit<8> p26, inout bit<8> p27, inout bit<16> p28) {
        bit<16> v30 = ((bit<16>)(f6(8w128)));
        if (((hd.s[0].x << hd.h.a) >= p26)) {
            hd.g.setInvalid();
            f6((hd.h.a - hd.h.b));
            for (bit<8> i31 in 8w0..8w2) {
                f3(p26, hd.h.a);
                return;
                hd.g.setValid();
            }
            switch (((((hd.h.a != l22) ? hd.h.b : hd.s[(hd.h.a & 8w3)].x) << 8w8) & 8w7)) {
                0: {
                    f6(l21);
                    f6((hd.s[((hd.s[((hd.h.a & hd.s[((p27 ^ hd.h.b) & 8w3)].x) & 8w3)].x |+| 8w3) & 8w3)].x & p26));
                }
                3: {
                    f3(hd.g.b, hd.s[0].x);
                }
                default: {
                    a25((8w1 * hd.s[(hd.h.b & 8w3)].x));
                    f3(hd.h.b, p26);
                }
            }
        } else {
            for (bit<8> i32 in 8w0..8w1) {
                hd.w.v = ((bit<16>)((((8w2 != 8w128) ? hd.h.b : l21) |+| (hd.s[1].x ^ hd.h.b))));
                v30 = 16w47339;
                break;
            }
            p27 = hd.h.a;
        }
    }
    action a33() {
        a25(8w226);
        if (((8w2 |+| hd.h.a) == (hd.h.b | hd.s[(hd.h.b & 8w3)].x))) {
            hd.h.a[3:2] = (((8w109 == l22) ? 8w3 : f6(hd.s[((hd.h.b * hd.s[(((hd.h.a >= 8w2) ? 8w255 : l22) & 8w3)].x) & 8w3)].x)))[1:0];
        } else {
            f3(hd.h.b, hd.s[0].x);
            a29(hd.h.b, l21, hd.w.v);
            l21 = f6(((l22 * 8w1) << f6(hd.h.b)));
        }
        hd.h.b = 8w3;
    }
    table t34 { key = { (f6(8w2) & 8w3) : exact @name("k"); } actions = { a33; } default_action = a33(); const entries = { 3 : a33(); 0 : a33(); } }
    apply {
    sm.egress_spec = 1;
        hd.g.a = f6((((bit<16>)(hd.h.a)))[11:4]);
        a25((hd.h.a >> l21));
        if (((l22 |-| l21) != f6(l22))) {
            a29(hd.s[0].x, hd.h.a, hd.w.v);
            hd.h.a = f6(f6(((hd.h.a)[0:0] ++ (hd.h.a)[7:1])));
            a29(hd.s[(((hd.h.a != hd.h.b) ? 8w68 : hd.h.b) & 8w3)].x, hd.h.b, hd.w.v);
        }
        l21[2:0] = (((8w3 == l21) ? (hd.w.v)[11:4] : (hd.s[(f6(hd.h.a) & 8w3)].x ^ hd.s[3].x)))[2:0];
        f6((hd.w.v)[11:4]);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
