// A shift by the width or more gives 0, or the sign for int<W> to the right.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> by;
    bit<8> left;
    bit<8> right;
    int<8> signed_right;
    bit<8> nine;
    bit<16> wide;
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
    apply {
        sm.egress_spec = 1;

          h.h.left = h.h.a << h.h.by;
          h.h.right = h.h.a >> h.h.by;
          h.h.signed_right = (int<8>)h.h.a >> h.h.by;
          h.h.nine = h.h.a << 9;
          h.h.wide = (bit<16>)h.h.a << h.h.by;
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
