// A control may be constructed with instances of other controls and apply them.

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

control sub_t(inout bit<8> x);

control s1(inout bit<8> x)(bit<8> k) {
    apply {
        x = x + k;
    }
}

control c(inout Headers h)(sub_t a, sub_t b2) {
    apply {
        a.apply(h.h.a);
        b2.apply(h.h.b);
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    s1(10) q;
    c(q, s1(10)) i;
    apply {
        sm.egress_spec = 1;
        i.apply(h);
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
