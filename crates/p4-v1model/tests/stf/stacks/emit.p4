// Emitting a stack emits its valid elements in order, gaps or not.

#include <core.p4>
#include <v1model.p4>

header x_t {
    bit<8> v;
}

struct Headers {
    x_t[4] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.s[1].setInvalid();
        h.s[3].setValid();
        h.s[3].v = 0x44;
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
        b.emit(h.s);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
