// A meter of two rates (RFC 2698): green while both buckets have tokens, then yellow, then red.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> i;
    bit<8> colour;
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
    meter(4, MeterType.packets) m1;
    apply {
        sm.egress_spec = 1;
        bit<2> c;
        m1.execute_meter((bit<32>)h.h.i, c);
        h.h.colour = (bit<8>)c;
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
