// Comparisons, shifts and slices of bit<160>.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<160> a;
    bit<160> b;
    bit<160> left;
    bit<160> right;
    bit<32> middle;
    bit<8> order;
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

          h.h.left = h.h.a << 68;
          h.h.right = h.h.a >> 100;
          h.h.middle = h.h.a[95:64];
          h.h.order = h.h.a < h.h.b ? 8w1 : (h.h.a == h.h.b ? 8w2 : 3);
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
