// Keys without @name are named by their expression; a suffix of it will do.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t[2] s;
}

struct Meta {
    bit<8> n;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action set(bit<8> v) {
        h.h.r = v;
    }
    table t {
        key = {
            h.s[1].v: exact;
            m.n: exact;
            h.h.isValid(): exact;
            sm.ingress_port: exact;
        }
        actions = {
            set;
            NoAction;
        }
        default_action = set(0xdd);
    }
    apply {
        sm.egress_spec = 1;
        m.n = h.h.a;
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
