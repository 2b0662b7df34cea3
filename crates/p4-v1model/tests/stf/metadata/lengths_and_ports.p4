// packet_length, ports and instance_type as ingress and egress see them; timestamps run on.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<32> length;
    bit<8> kind;
    bit<8> later;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<48> t;
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
        h.h.length = sm.packet_length;
        m.t = sm.ingress_global_timestamp;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        h.h.kind = (bit<8>)sm.instance_type + (bit<8>)(sm.packet_length != h.h.length ? 1w1 : 0);
        h.h.later = sm.egress_global_timestamp >= m.t ? 8w1 : 0;
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
