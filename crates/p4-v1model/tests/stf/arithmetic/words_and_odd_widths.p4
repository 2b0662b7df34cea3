// Carries of 128, 65, 64 and 63 bits stop at the width, whatever the words of the machine.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<128> a;
    bit<128> b;
    bit<65> c;
    bit<63> d;
    bit<64> e;
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
        h.h.a = h.h.a + h.h.b;
        h.h.c = h.h.c + h.h.c;
        h.h.d = h.h.d + 1;
        h.h.e = h.h.e * 2 + 0x12;
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
