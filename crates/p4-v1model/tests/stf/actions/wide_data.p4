// Action data of more than 64 bits, and several parameters.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> k;
    bit<128> a;
    bit<9> b;
    bit<7> c;
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
    action set(bit<128> x, bit<9> y, bit<7> z) {
        h.h.a = x;
        h.h.b = y;
        h.h.c = z;
    }
    table t {
        key = {
            h.h.k: exact;
        }
        actions = {
            set;
        }
        default_action = set(1, 2, 3);
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
