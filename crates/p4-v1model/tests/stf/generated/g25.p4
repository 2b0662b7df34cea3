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
bit<8> f5(out s_t p1, inout bit<16> p2, out bit<16> p3) {
    if (((-p1.x) != ((p1.y)[4:0] ++ (p1.y)[7:5]))) {
        p1.y = (((p1.x |+| p1.x) |+| p1.x) & (-(p1.y |-| p1.x)));
    }
    switch ((((8w109)[2:0] ++ (8w109)[7:3]) & 8w7)) {
        2: {
            bit<8> v4 = (p3)[11:4];
        }
        4: {
            if (((p1.y & 8w231) < (-8w128))) {
                p1.x = p1.x;
                return ((8w1)[0:0] ++ (8w1)[7:1]);
            }
        }
        default: {
            p1.x[2:0] = ((((p1.x < p1.y) ? p1.y : p1.x) - 8w128))[2:0];
        }
    }
    if (((-p1.y) == (-8w127))) {
    }
    return (-((p1.x)[4:0] ++ (p1.x)[7:5]));
}
void f9(out bit<8> p6) {
    if ((((p6 == p6) && (p6 < 8w128)) && (p6 == p6))) {
        if (((8w128 |+| 8w1) != p6)) {
        }
    }
    if ((((p6 != p6) ? 8w1 : p6) == 8w248)) {
        p6 = ((p6)[2:0] ++ (p6)[7:3]);
        if ((((p6 >= p6) || (p6 != p6)) && (!(p6 < 8w0)))) {
        }
    } else {
        p6[2:0] = ((p6 - (p6 | p6)))[2:0];
        for (bit<8> i7 in 8w0..8w2) {
        }
        bit<8> v8 = (8w7 - (16w15288)[11:4]);
    }
    p6 = (p6 ^ (8w7 |+| (p6 & 8w61)));
}
control ingress(inout Headers hd, inout Meta m, inout standard_metadata_t sm) {
    bit<8> l10 = 252;
    bit<8> l11 = 224;
    action a13(out bit<8> p12) {
        f9(hd.s[3].x);
        f9(l11);
        bit<8> v14 = 8w7;
    }
    action a17(out s_t p15, out h_t p16) {
        return;
        a13(hd.g.a);
    }
    action a19(bit<8> d18) {
        if ((((hd.h.a)[5:0] ++ (hd.h.a)[7:6]) == 8w7)) {
        }
        f9(l11);
    }
    table t20 { key = { (8w7 & 8w3) : exact @name("k"); } actions = { a19; } default_action = a19(35); const entries = { 2 : a19(21); 3 : a19(221); } }
    action a21() {
        a13(hd.g.b);
        exit;
    }
    table t22 { key = { ((hd.h.a - (l11 & hd.h.b)) & 8w3) : exact @name("k"); } actions = { a21; } default_action = a21(); const entries = { 1 : a21(); 2 : a21(); } }
    apply {
    sm.egress_spec = 1;
        t22.apply();
        a13(hd.g.b);
        l10 = 8w7;
        t20.apply();
        t22.apply();
        t22.apply();
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control update(inout Headers h, inout Meta m) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
