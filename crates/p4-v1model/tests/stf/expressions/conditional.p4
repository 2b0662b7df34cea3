// ?: evaluates only the side that is chosen, and nests to the right.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
    bit<8> calls;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> count(inout bit<8> calls, in bit<8> result) {
    calls = calls + 1;
    return result;
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
    bit<8> calls = 0;
    apply {
        sm.egress_spec = 1;
        h.h.r = h.h.a == 0 ? count(calls, 10) : h.h.a == 1 ? count(calls, 20) + count(calls, 1) : 30;
        h.h.calls = calls;
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
