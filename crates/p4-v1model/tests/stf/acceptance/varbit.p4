// Varbit.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> l;
}

header v_t {
    varbit<64> v;
}

struct Headers {
    h_t h;
    v_t v;
    v_t w;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.v, (bit<32>)h.h.l * 8);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.w = h.v;
        if (h.w == h.v && h.w.v == h.v.v) {} else h.h.l = 0xee;
        if (h.h.l == 0) h.w.setInvalid();
        if (sm.parser_error == error.HeaderTooShort) sm.egress_spec = 2;
        if (sm.parser_error == error.PacketTooShort) sm.egress_spec = 3;
        if (sm.parser_error != error.NoError) {
            if (h.v.isValid()) h.h.l = 0xcc;
        }
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
