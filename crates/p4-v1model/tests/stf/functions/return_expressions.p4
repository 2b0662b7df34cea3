// return converts a list to the result's struct, tuple or header type; {#} is an invalid header.

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
struct S {
    bit<8> x;
    bit<8> y;
}
S f() {
    return { 1, 2 };
}
S g() {
    return (S){ x = 1, y = 2 };
}
S g2() {
    return { y = 2, x = 1 };
}
tuple<bit<8>, bit<8>> t() {
    return { 1, 2 };
}

bit<8> p_() {
    return (1);
}

bit<8> q() {
    {
        return 1;
    }
}

bit<8> r_(in bool b) {
    if (b) {
        return 1;
    } else {
        return 2;
    }
}
h_t hh() {
    return { 1, 2, 3, 4 };
}
h_t hi() {
    return {#};
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (f() != g() || g2() != f() || f().y != 2 || t()[1] != 2) h.h.a = 0xee;
        h.h = hh();
        if (hi().isValid()) h.h.a = 9;
        h.h.a = q() + r_(true) - p_();
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
