// transition reject ends parsing without an error of its own; what was extracted stays.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition select(h.h.a) {
            1: reject;
            default: more;
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
            h.h.a = 0xee;
        }
        if (sm.parser_error != error.NoError) {
            h.h.a = 0xff;
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
