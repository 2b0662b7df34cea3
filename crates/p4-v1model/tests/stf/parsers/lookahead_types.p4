// lookahead of structs, headers, tuples and bool.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct L {
    bit<8> p;
    bit<8> q;
}

header l_t {
    bit<8> p;
    bit<8> q;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        L l = b.lookahead<L>();
        l_t k = b.lookahead<l_t>();
        tuple<bit<8>, bit<8>> t = b.lookahead<tuple<bit<8>, bit<8>>>();
        bool z = b.lookahead<bool>();
        b.extract(h.h);
        h.h.a = l.q;
        h.h.b = k.p;
        if (!k.isValid() || t[1] != 2 || z) h.h.c = 0xee;
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
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
