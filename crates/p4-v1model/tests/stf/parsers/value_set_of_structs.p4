// A value set of structs, matched field by field, with masks where @match says so.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
}

header x_t {
    bit<8> v;
}
struct pair_t {
    @match(exact)
    bit<8> a;
    @match(ternary)
    bit<16> b;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    @name("pairs")
    value_set<pair_t>(4) set;
    state start {
        b.extract(h.h);
        transition select(h.h.a, h.h.b) {
            set: more;
            default: accept;
        }
    }
    state more {
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.x.isValid()) {
            h.x.v = 0xee;
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
