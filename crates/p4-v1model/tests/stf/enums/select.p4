// A serializable enum chooses a parser state and a table entry.

#include <core.p4>
#include <v1model.p4>

enum bit<16> Kind {
    ONE = 0x0101,
    TWO = 0x0202
}
header h_t {
    Kind k;
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
        transition select(h.h.k) {
            Kind.ONE: one;
            Kind.TWO: accept;
            _: accept;
        }
    }
    state one {
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action set(bit<8> v) {
        h.x.v = v;
    }
    action two() {
        h.h.k = Kind.ONE;
    }
    table t {
        key = {
            h.h.k: exact;
        }
        actions = {
            set;
            two;
            NoAction;
        }
        const entries = {
            Kind.ONE: set(0x11);
            Kind.TWO: two();
        }
        default_action = NoAction;
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
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
