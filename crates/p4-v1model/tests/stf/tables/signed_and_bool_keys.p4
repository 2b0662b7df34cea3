// Keys of type int<W>, bool and a serializable enum.

#include <core.p4>
#include <v1model.p4>

enum bit<4> Kind {
    A = 3
}
header h_t {
    int<8> a;
    bool b;
    bit<3> pad;
    Kind k;
    bit<8> r;
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
    action set(bit<8> v) {
        h.h.r = v;
    }
    table t {
        key = {
            h.h.a: exact;
            h.h.b: exact;
            h.h.k: exact;
        }
        actions = {
            set;
            NoAction;
        }
        default_action = NoAction();
        const entries = {
            (-5, true, Kind.A): set(1);
            (-5, false, (Kind)4w7): set(2);
        }
    }
    table u {
        key = {
            h.h.a: exact;
            h.h.b: exact;
        }
        actions = {
            set;
            NoAction;
        }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
        u.apply();
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
