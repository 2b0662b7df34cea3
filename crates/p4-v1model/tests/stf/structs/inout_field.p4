// A field of a nested struct as an inout argument, and a struct as one.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct in_t {
    bit<8> x;
}
struct out_t {
    in_t i;
    bit<8> y;
}

struct Headers {
    h_t h;
}

struct Meta {
    out_t s;
}

void inc(inout bit<8> v) {
    v = v + 1;
}
void swap(inout out_t s) {
    bit<8> t = s.i.x;
    s.i.x = s.y;
    s.y = t;
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
        m.s.i.x = h.h.a;
        m.s.y = h.h.b;
        inc(m.s.i.x);
        swap(m.s);
        inc(m.s.i.x);
        h.h.a = m.s.i.x;
        h.h.b = m.s.y;
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
