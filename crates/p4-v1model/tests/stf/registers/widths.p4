// Registers of 1, 48 and 128 bits; one register for ingress and egress each.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<128> a;
    bit<48> b;
    bit<8> c;
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
    register<bit<128>>(2) wide;
    register<bit<1>>(2) flag;
    apply {
        sm.egress_spec = 1;
        bit<128> t;
        bit<1> f;
        wide.read(t, 1);
        flag.read(f, 1);
        wide.write(1, h.h.a);
        flag.write(1, 1);
        h.h.a = t;
        h.h.c = (bit<8>)f;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    register<bit<48>>(1) r;
    apply {
        bit<48> t;
        r.read(t, 0);
        r.write(0, h.h.b);
        h.h.b = t;
    }
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
