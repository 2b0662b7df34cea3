// Fields of the list are kept with the value that they have at the end of ingress, others are zero.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta {
    @field_list(1)
    bit<8> kept;
    bit<8> lost;
    @field_list(2, 1)
    bit<8> both;
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
        m.kept = 1;
        m.lost = 2;
        m.both = 3;
        clone_preserving_field_list(CloneType.I2E, 32w5, 1);
        m.kept = 4;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        h.h.a = m.kept;
        h.h.b = m.lost;
        h.h.c = m.both;
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
