// The shift amount may have another width than the value; its own width is where the amount wraps.

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

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> a = 1;
        bit<3> s = 7;
        bit<8> r = a << s;
        if (r != 128) h.h.a = 0xee;
        r = a << (s + 1);
        if (r != 1) h.h.a = 0xdd;
        r = 8w128 >> s;
        if (r != 1) h.h.a = 0xcc;
        int<8> i = -128;
        if (i >> s != -1) h.h.a = 0xbb;
        bit<16> k = (bit<16>)a << 15;
        if (k != 32768) h.h.a = 0xaa;
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
