// Loops with an annotation, with a cast in the range, and with break and continue without braces.

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

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> s = 0;
        for (bit<8> i = 0; i < 6; i = i + 1) {
            s = s + i;
        }
        h.h.a = s;
        s = 0;
        for (bit<8> i in 1..3) {
            s += i;
        }
        h.h.b = s;
        s = 0;
        for (bit<8> i = 0, bit<8> j = 10; i < 5; i = i + 1, j = j - 1) {
            if (i == 1) continue;
            if (i == 4) break;
            s = s + j;
        }
        h.h.c = s + 5;
        @unroll for (bit<8> q in (bit<8>)0 .. 2) {
            for (bit<8> r in 0..1) {
                if (r == 1) break;
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
