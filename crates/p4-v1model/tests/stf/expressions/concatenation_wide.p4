// Concatenation of fields to 128 bits, and slices of it across the 64-bit word.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<24> a;
    bit<40> b;
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
        bit<128> x = h.h.a ++ h.h.b ++ h.h.b ++ h.h.a;
        h.h.a = x[127:104];
        h.h.b = x[63:24];
        if (x[103:64] != h.h.b) h.h.a = 0;
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
