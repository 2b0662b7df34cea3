// Addition, subtraction and saturation of bit<1> and int<1>.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<1> a;
    bit<1> b;
    bit<1> c;
    bit<1> d;
    int<1> e;
    bit<1> f;
    bit<2> g;
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
        h.h.a = h.h.a + h.h.b;
        h.h.b = h.h.b |+| h.h.c;
        h.h.c = h.h.c - h.h.d;
        h.h.d = 1w0 - h.h.d;
        if (h.h.e < 0) {
            h.h.e = -1;
        }
        h.h.f = h.h.f |-| 1;
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
