// mcast_grp sends a replica to each member, with its egress_rid; the metadata is kept.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> port;
    bit<8> rid;
    bit<8> kind;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<8> n;
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
        sm.egress_spec = 9;
        m.n = h.h.a + 1;
        sm.mcast_grp = (bit<16>)h.h.a;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        h.h.a = m.n;
        h.h.port = (bit<8>)sm.egress_port;
        h.h.rid = (bit<8>)sm.egress_rid;
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
