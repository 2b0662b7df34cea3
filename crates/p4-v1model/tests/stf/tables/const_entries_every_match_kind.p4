// const entries over every match kind and over keys of every type.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

enum bit<8> E { A = 1, B = 2 }
enum K { X, Y }
struct Headers {
    h_t h;
}

struct Meta {
    bool f;
    E e;
    K k;
    error er;
    int<8> i;
    bit<32> lp;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action set(bit<8> v) {
        h.h.d = v;
    }
    table t {
        key = {
            h.h.a : exact;
            h.h.b : ternary;
            h.h.c : range;
            m.lp : lpm;
            h.h.d : optional;
            m.f: exact;
            m.e: exact;
            m.k: exact;
            sm.parser_error : exact;
            m.i : exact;
            h.h.isValid() : exact;
            h.h.a[3:0] : ternary;
            (h.h.a + 1) : exact @name("sum");
        }
        actions = {
            set;
            NoAction;
        }
        const entries = {
            (1, _, 0..5, default, _, true, E.A, K.Y, error.NoError, -1, true, 0x1 &&& 0x3, 3) : set(4);
            (1, 2 &&& 3, 1 .. 3, 0x0a000000 &&& 0xff000000, 4, true, E.A, K.Y, error.NoError, -1, true, _, 2) : set(5);
            @name("e") @priority(3) (1, 2, _, 5, 4, true, (E)1, K.Y, error.NoError, -8s1, true, _, 2) : NoAction();
        }
    }
    apply {
        sm.egress_spec = 1;
        m.f = true;
        m.e = E.A;
        m.k = K.Y;
        m.i = -1;
        m.lp = 0x0a0a0a0a;
        t.apply();
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
