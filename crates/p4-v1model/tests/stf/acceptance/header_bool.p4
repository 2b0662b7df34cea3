// Header bool.

#include <core.p4>
#include <v1model.p4>
struct in_t {
    bit<3> q;
    bool z;
}

header h_t {
    bool a;
    bool b;
    bit<2> c;
    in_t i;
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
        h.h.a = !h.h.a;
        if (h.h.b) h.h.c = 2;
        h.h.i.z = false;
        bool t = h.h.a;
        h.h.a = t;
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
