// select over enums with and without a width, bool, new types, signed ranges and slices.

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
enum bit<8> E { A = 1, B = 2 }
enum K { X, Y }
type bit<8> N;

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        K k = K.Y;
        bool q = true;
        E e = (E)h.h.a;
        N n = (N)h.h.b;
        transition select(k, q, e, n, h.h.c ++ h.h.d, h.h.a[3:0], (int<8>)h.h.a) {
            (K.X, _, _, _, _, _, _): reject;
            (K.Y, true, E.A, (N)2, 0x0300 .. 0x0304, 0x1 &&& 0x1, -2 .. 3): good;
            default: reject;
        }
    }
    state good {
        h.h.d = 10;
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error != error.NoError) sm.egress_spec = 2;
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
