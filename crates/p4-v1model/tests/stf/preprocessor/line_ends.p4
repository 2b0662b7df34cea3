// Lines that end with CR LF.
#define ONE \
    1

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
    bit<8> b;
    bit<4> c;
    bit<4> d;
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
        h.h.a = h.h.a * 3 + ONE;
        h.h.b = 255 - h.h.b;
        h.h.c = 4w9 + h.h.c;
        h.h.d = h.h.d - 1;
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