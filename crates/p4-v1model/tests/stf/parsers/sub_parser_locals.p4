// A sub-parser's local variables start anew in each call.

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
    h_t g;
}

struct Meta { }

parser sub(packet_in b, out h_t o, inout bit<8> n)(bit<8> k) {
    bit<8> loc = 1;
    state start {
        b.extract(o);
        n = n + k + loc;
        loc = loc + 1;
        transition select(o.a) {
            5: fin;
            default: accept;
        }
    }
    state fin {
        o.d = 0x99;
        transition accept;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    sub(2) s1;
    bit<8> n = 0;
    state start {
        s1.apply(b, h.h, n);
        transition two;
    }
    state two {
        s1.apply(b, h.g, n);
        transition select(n) {
            6: accept;
            default: reject;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error != error.NoError) sm.egress_spec = 2;
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
