// Stack last select.

#include <core.p4>
#include <v1model.p4>
header e_t {
    bit<1> bos;
    bit<7> x;
}

header h_t {
    bit<8> k;
}

struct Headers {
    h_t h;
    e_t[4] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition l;
    }
    state l {
        b.extract(h.s.next);
        h.h.k = (bit<8>)h.s.lastIndex;
        transition select(h.s.last.bos) {
            1: accept;
            default: l;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error == error.NoError) h.h.k = h.h.k + 0x80;
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
