// An action called from the program gets its directionless parameters from the call.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
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
    action set(bit<8> x, bit<16> y) {
        h.h.a = x;
        h.h.b = y;
    }
    action chain() {
        set(0x10, 0x2030);
        h.h.a = h.h.a + 1;
    }
    apply {
        sm.egress_spec = 1;
        if (h.h.a == 0) {
            set(h.h.a + 5, 16w0xffff);
        } else {
            chain();
        }
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
