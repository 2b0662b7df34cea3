// Functions call functions; calls are arguments of calls.

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

bit<8> twice(in bit<8> x) {
    return x + x;
}
bit<8> four(in bit<8> x) {
    return twice(twice(x));
}
void add(inout bit<8> x, in bit<8> y) {
    x = x + four(y) + twice(x);
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
        add(h.h.a, twice(h.h.a) + 1);
        h.h.r = four(four(1)) + twice(twice(h.h.a[1:0] ++ 6w0));
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
