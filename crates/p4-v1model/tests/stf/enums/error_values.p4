// Errors are values: they are stored and compared.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta {
    error e;
}

error {
    Odd,
    Even
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        m.e = error.Even;
        transition select(h.h.a[0:0]) {
            1: odd;
            default: accept;
        }
    }
    state odd {
        m.e = error.Odd;
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.r = m.e == error.Odd ? 8w1 : m.e == error.Even ? 8w2 : 3;
        if (sm.parser_error != error.NoError) {
            h.h.r = 9;
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
