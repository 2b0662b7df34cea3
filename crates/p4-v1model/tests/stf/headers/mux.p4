// ?: of headers and structs: validity is chosen with the rest.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

header x_t {
    bit<8> v;
}
struct s_t {
    bit<8> p;
    bit<8> q;
}

struct Headers {
    h_t h;
    x_t x;
    x_t y;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    s_t s;
    s_t t;
    s_t u;
    apply {
        sm.egress_spec = 1;
        s = { 1, 2 };
        t = { 3, 4 };
        u = h.h.a == 1 ? s : t;
        x_t z = { 0x77 };
        h.y = h.h.a == 1 ? z : (h.h.a == 2 ? h.x : h.y);
        h.h.a = u.p + u.q;
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
