// An egress clone carries the headers as egress left them, and goes through egress again.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> kind;
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
        h.h.a = h.h.a + 1;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        h.h.a = h.h.a + 0x10;
        if (sm.instance_type == 0) {
            clone(CloneType.E2E, 32w6);
        }
        h.h.kind = (bit<8>)sm.instance_type;
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
