// What a sub-parser extracted before it rejected stays extracted where it is applied once; the caller does not go on.

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
error { Bad }

parser sub(packet_in b, out h_t o, out bit<8> n) {
    state start {
        b.extract(o);
        n = 1;
        verify(o.a == 9, error.Bad);
        transition accept;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> n;
    state start {
        sub.apply(b, h.h, n);
        b.extract(h.g);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error != error.Bad) sm.egress_spec = 2;
        if (h.h.isValid()) h.h.a = 0x33;
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
