// Actions and tables of one name in two controls are different objects.

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

control c1(inout bit<8> x) {
    action set(bit<8> v) {
        x = v;
    }
    table t {
        actions = {
            set;
        }
        default_action = set(10);
    }
    apply {
        t.apply();
    }
}

control c2(inout bit<8> x) {
    action set(bit<8> v) {
        x = v;
    }
    table t {
        actions = {
            set;
        }
        default_action = set(11);
    }
    apply {
        t.apply();
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
    c1() i;
    c2() j;
    apply {
        sm.egress_spec = 1;
        i.apply(h.h.a);
        j.apply(h.h.b);
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
