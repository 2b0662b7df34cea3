// A sub-parser has its own states, parameters and constructor parameters; a rejection inside rejects outside.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
    x_t y;
}

struct Meta {
    bit<8> sum;
}

parser one(packet_in b, out x_t x, inout bit<8> sum)(bit<8> bias) {
    state start {
        b.extract(x);
        sum = sum + x.v + bias;
        transition select(x.v) {
            0xff: bad;
            default: accept;
        }
    }
    state bad {
        verify(false, error.ParserInvalidArgument);
        transition accept;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    one(1) first;
    one(0x10) second;
    state start {
        b.extract(h.h);
        first.apply(b, h.x, m.sum);
        second.apply(b, h.y, m.sum);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.a = m.sum;
        if (sm.parser_error == error.ParserInvalidArgument) {
            h.h.a = 0xee;
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
