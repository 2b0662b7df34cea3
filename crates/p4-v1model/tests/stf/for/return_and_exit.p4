// return and exit leave loops.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> n;
    bit<8> r;
    bit<8> s;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> find(in bit<8> n) {
    for (bit<8> i = 1; i < 20; i = i + 1) {
        if (i * i == n) {
            return i;
        }
    }
    return 0xff;
}

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
    apply {
        sm.egress_spec = 1;
        h.h.r = find(h.h.n);
        for (bit<8> i = 0; i < 3; i = i + 1) {
            h.h.s = i;
            if (h.h.r == 5 && i == 1) {
                exit;
            }
        }
        h.h.s = h.h.s + 0x10;
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
