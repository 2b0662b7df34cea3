// Slices on both sides; an assignment to a slice leaves the other bits alone.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<16> a;
    bit<16> b;
    bit<32> c;
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

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          h.h.a[7:0] = h.h.a[15:8];
          h.h.b[11:4] = 8w0xee;
          h.h.c = h.h.c[7:0] ++ h.h.c[31:8];
          h.h.d[0:0] = 1w1;
          h.h.d[7:7] = h.h.d[3:3];
          h.h.d[6:5] = h.h.c[23:8][9:8];
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
