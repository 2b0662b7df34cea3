// A table without keys runs its default action; one without a default does nothing.

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
    action add(bit<8> v) {
        h.h.r = h.h.r + v;
    }
    table t {
        actions = {
            add;
        }
        default_action = add(5);
    }
    table u {
        actions = {
            add;
            NoAction;
        }
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        u.apply();
        if (t.apply().hit) {
            h.h.a = 0xee;
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
