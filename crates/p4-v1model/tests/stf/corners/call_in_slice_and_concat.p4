// Calls inside slices, casts, concatenations and conditionals.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> r;
    bit<8> s;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
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
        h.h.r = next(h.h.a)[3:0] ++ (bit<4>)next(h.h.a) ++ (next(h.h.a) == 3 ? next(h.h.a) : 8w0xff);
        h.h.s = (next(h.h.a) + 1)[7:4] ++ 4w0;
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
