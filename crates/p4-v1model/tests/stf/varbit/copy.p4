// A header with a varbit can be assigned: length and bits are copied.

#include <core.p4>
#include <v1model.p4>

header fix_t {
    bit<8> len;
}
header var_t {
    varbit<32> data;
}

struct Headers {
    fix_t fix;
    var_t v;
    var_t w;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.fix);
        b.extract(h.v, (bit<32>)h.fix.len);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.w = h.v;
        if (h.w == h.v) {
            h.fix.len = 0xee;
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
