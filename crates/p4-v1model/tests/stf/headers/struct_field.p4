// A header with a struct in it: its fields lie one after another.

#include <core.p4>
#include <v1model.p4>

struct in_t {
    bit<4> x;
    bit<12> y;
}
header h_t {
    bit<8> a;
    in_t s;
    bit<8> z;
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
    apply {
        sm.egress_spec = 1;
        h.h.s.x = h.h.s.x + 1;
        h.h.s.y = h.h.s.y + 1;
        in_t t = h.h.s;
        t.y = 0xfff;
        if (h.h.z == 1) {
            h.h.s = t;
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
