// A list expression as an in argument, a struct returned and used at once.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> sum(in pair_t p) {
    return p.x + p.y;
}
pair_t twist(in pair_t p) {
    return { x = p.y, y = p.x };
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
        h.h.b = twist({ h.h.a, h.h.b }).x + sum({ y = 1, x = 2 });
        h.h.a = twist((pair_t){ 1, 2 }).y;
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
