// Unions as parameters, and members lent to calls.

#include <core.p4>
#include <v1model.p4>

header a_t {
    bit<8> v;
}
header b_t {
    bit<16> v;
}
header_union u_t {
    a_t a;
    b_t b;
}
header k_t {
    bit<8> k;
}

struct Headers {
    k_t k;
    u_t u;
}

struct Meta { }

void widen(inout u_t u) {
    if (u.a.isValid()) {
        bit<8> v = u.a.v;
        u.b.setValid();
        u.b.v = (bit<16>)v;
    }
}
void bump(inout bit<16> v) {
    v = v + 1;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.k);
        transition select(h.k.k) {
            1: one;
            default: two;
        }
    }
    state one {
        b.extract(h.u.a);
        transition accept;
    }
    state two {
        b.extract(h.u.b);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        widen(h.u);
        if (h.u.b.isValid()) {
            bump(h.u.b.v);
        }
        if (h.u.a.isValid()) {
            h.k.k = 0xff;
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
