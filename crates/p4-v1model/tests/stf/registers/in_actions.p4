// Registers read and written in actions of a table, index from the action's data.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> k;
    bit<8> v;
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
    register<bit<8>>(16) r;
    action count(bit<8> i) {
        bit<8> t;
        r.read(t, (bit<32>)i);
        t = t + 1;
        r.write((bit<32>)i, t);
        h.h.v = t;
    }
    table t {
        key = {
            h.h.k: exact;
        }
        actions = {
            count;
        }
        const default_action = count(0);
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
