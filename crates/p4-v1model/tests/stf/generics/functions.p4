// Several type parameters, inferred from arguments and results.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta { }

U second<T, U>(in T x, in U y) {
    return y;
}
void swap<T>(inout T x, inout T y) {
    T t = x;
    x = y;
    y = t;
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
        h.h.b = second(h.h.a, h.h.b + 1);
        swap(h.h.a, h.h.c);
        h.h.a = second<bit<16>, bit<8>>(h.h.b, h.h.a) + second(true, 8w1);
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
