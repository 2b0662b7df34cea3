// Fields of 3, 13, 33 and 7 bits wrap at their own width and are packed without gaps.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<3> a;
    bit<13> b;
    bit<33> c;
    bit<7> d;
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

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.a = h.h.a + 1;
        h.h.b = h.h.b + 1;
        h.h.c = h.h.c + 1;
        h.h.d = h.h.d + 1;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply { }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
