// Arguments of actions by name, in a call and in a default action; of constructors and functions too.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }
bit<8> f(in bit<8> x, in bit<8> y = 2) {
    return x - y;
}

action act(out bit<8> o, in bit<8> x, bit<8> k) {
    o = x + k;
}

control c(inout bit<8> x)(bit<8> k) {
    apply {
        x = k;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    c(k = 5) i;
    action b2(bit<8> p, bit<8> q) {
        h.h.d = p + q;
    }
    table t {
        actions = {
            b2;
        }
        default_action = b2(q = 3, p = 4);
    }
    apply {
        sm.egress_spec = 1;
        i.apply(x = h.h.b);
        act(x = f(y = 1, x = 2), o = h.h.c, k = 5);
        h.h.a = f(3);
        t.apply();
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
