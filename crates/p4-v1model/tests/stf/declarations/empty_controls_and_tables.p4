// Controls, parsers and actions with empty bodies; structs and headers without fields; tables without keys or actions.

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

struct Empty {}
header eh {}
struct W {
    Empty e;
    eh h;
}

struct Meta {
    Empty e;
    W w;
}

control nop() { apply { } }

control nop2(inout Headers h)() {
    apply {
        ;
        ;
        {}
    }
}

parser np(packet_in b) {
    state start {
        transition accept;
    }
} ;

action e() {}
bit<8> unused(in bit<8> x) {
    return x;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    nop() n;
    nop2() n2;
    table unused {
        key = {
            h.h.a : exact;
        }
        actions = {
            NoAction;
        }
    }
    table nokey {
        actions = {
            e;
        }
        const default_action = e();
    }
    table empty_key {
        key = { }
        actions = {
            e;
            NoAction;
        }
        default_action = NoAction;
    }
    table noact { actions = { } }
    apply {
        sm.egress_spec = 1;
        n.apply();
        n2.apply(h);
        nokey.apply();
        empty_key.apply();
        noact.apply();
        e();
        ;
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
