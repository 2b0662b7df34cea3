// The parser sees the ingress port and the length, and may choose the way out.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> port;
    bit<32> length;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        h.h.port = (bit<16>)sm.ingress_port;
        sm.egress_spec = 4;
        h.h.length = b.length();
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        if (sm.packet_length != h.h.length) {
            h.h.a = 0xff;
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
