// Functions take and give back structs and headers.

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
    h_t i;
}

struct Meta { }

pair_t turn(in pair_t p) {
    return { p.y, p.x };
}
h_t make(in bit<8> v) {
    h_t h;
    h.setValid();
    h.a = v;
    h.b = v + 1;
    return h;
}
void kill(inout h_t h) {
    h.setInvalid();
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
        pair_t p = turn({ h.h.a, h.h.b });
        h.i = make(p.x);
        if (p.y == 9) {
            kill(h.h);
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
