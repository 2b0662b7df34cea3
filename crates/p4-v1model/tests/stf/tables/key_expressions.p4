// Keys may be any expression: sums, slices, isValid(), booleans; @name gives them names.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition select(h.h.a) {
            0x80 &&& 0x80: more;
            default: accept;
        }
    }
    state more {
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action set(bit<8> v) {
        h.h.r = v;
    }
    table t {
        key = {
            h.h.a + h.h.b: exact @name("sum");
            h.h.a[3:0]: exact @name("low");
            h.x.isValid(): exact @name("h.x.$valid$");
            h.h.b == 1: exact @name("is_one");
        }
        actions = {
            set;
            NoAction;
        }
        default_action = set(0xdd);
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
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
