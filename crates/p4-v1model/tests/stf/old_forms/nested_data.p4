// resubmit and clone3 with lists of structs, and with the standard metadata.

#define V1MODEL_VERSION 20180101
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct in_t {
    bit<8> x;
    bit<8> y;
}

struct Headers {
    h_t h;
}

struct Meta {
    in_t s;
    bit<8> z;
}

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
        if (m.s.x == 0) {
            m.s = { 5, 6 };
            m.z = 7;
            resubmit({ sm, m.s });
        } else {
            h.h.a = m.s.x;
            h.h.b = m.s.y;
            h.h.c = m.z;
        }
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
