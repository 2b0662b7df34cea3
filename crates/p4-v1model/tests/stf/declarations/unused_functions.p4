// Functions that nothing uses may call each other and functions that are used.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> inner(in bit<8> x) {
    return x + 1;
}

bit<8> unused(in bit<8> x) {
    return inner(x) * 2;
}

bit<8> unused_too(in bit<8> x) {
    return unused(inner(x)) + unused(x);
}

bit<8> shared(in bit<8> x) {
    return x + 2;
}

bit<8> used(in bit<8> x) {
    return shared(x) + shared(0);
}

bit<8> unused_as_well(in bit<8> x) {
    return unused_too(x) + shared(x);
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
    apply {
        sm.egress_spec = 1;
        h.h.a = used(h.h.a);
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
