// Enum members with computed values: in constants, keys, entries, action data, switch labels and arithmetic.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }
enum Suits { Clubs, Diamonds, }
enum bit<4> Cnt { Apple = 1 + 2, Banana = 4, Cherry = 0xf }
header foo_t {
    Cnt c;
    bit<4> z;
}

struct S {
    Suits s;
    Cnt c;
}

const Cnt K = Cnt.Banana;
const bit<4> kk = Cnt.Apple;

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    S s = { Suits.Diamonds, Cnt.Banana };
    action a(Cnt c) {
        if (c == K) h.h.a = 1;
    }
    table t {
        key = {
            s.c : exact;
            s.s : exact;
        }
        actions = {
            a;
        }
        const default_action = a(Cnt.Banana);
        const entries = {
            (Cnt.Banana, Suits.Diamonds) : a(Cnt.Cherry);
            ((Cnt)4w3, Suits.Clubs) : a((Cnt)4w3);
        }
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        bit<4> q = s.c + 1;
        Cnt w = (Cnt)4w7;
        if (s.c == K && w != Cnt.Apple && Cnt.Apple == 3) { } else {
            h.h.a = 0xee;
        }
        switch (s.c) {
            Cnt.Apple: {
                h.h.a = 3;
            }
            Cnt.Banana: Cnt.Cherry: { }
        }
        switch (s.s) {
            Suits.Clubs: {
                h.h.a = 4;
            }
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
