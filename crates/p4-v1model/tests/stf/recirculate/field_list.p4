// A recirculated packet is what the deparser made of it, parsed again.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
}

struct Meta {
    @field_list(1)
    bit<8> kept;
    bit<8> lost;
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
        if (sm.instance_type == 4) {
            h.h.b = m.kept;
            h.h.c = m.lost + 4;
            sm.egress_spec = 2;
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        if (h.h.a == 1) {
            h.h.a = h.h.a + 1;
            h.x.setValid();
            h.x.v = 0x77;
            m.kept = 8;
            m.lost = 9;
            recirculate_preserving_field_list(1);
        }
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
