// lookahead reads without consuming, also headers and fields that follow the first.

#include <core.p4>
#include <v1model.p4>

header short_t {
    bit<8> kind;
}
header long_t {
    bit<8> kind;
    bit<16> v;
}
struct peek_t {
    bit<8> first;
    bit<4> second;
}

struct Headers {
    short_t s;
    long_t l;
}

struct Meta {
    bit<4> second;
    bit<16> v;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        peek_t peek = b.lookahead<peek_t>();
        m.second = peek.second;
        transition select(peek.first) {
            1: short;
            2: long;
            default: accept;
        }
    }
    state short {
        b.extract(h.s);
        transition accept;
    }
    state long {
        long_t l = b.lookahead<long_t>();
        m.v = l.v;
        b.extract(h.l);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.l.isValid()) {
            h.l.v = m.v + (bit<16>)m.second;
        } else if (h.s.isValid()) {
            h.s.kind = (bit<8>)m.second;
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
