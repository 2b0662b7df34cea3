// A table of egress that looks at egress_port.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
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
        sm.egress_spec = (bit<9>)h.h.a;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action mark(bit<8> v) {
        h.h.r = v;
    }
    action drop() {
        mark_to_drop(sm);
    }
    table outward {
        key = {
            sm.egress_port: exact;
        }
        actions = {
            mark;
            drop;
        }
        default_action = drop();
    }
    apply {
        outward.apply();
    }
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
