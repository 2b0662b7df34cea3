// Generic structs with their types given.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
}

struct pair<T, U> {
    T x;
    U y;
}
struct box<T> {
    pair<T, bool> inner;
}

struct Headers {
    h_t h;
}

struct Meta {
    pair<bit<8>, bit<16>> p;
    box<bit<8>> q;
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
        m.p = { h.h.a, h.h.b };
        m.q.inner = { m.p.x + 1, true };
        h.h.a = m.q.inner.y ? m.q.inner.x : 0;
        pair<bit<16>, bit<8>> r = { y = h.h.a, x = m.p.y + 1 };
        h.h.b = r.x;
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
