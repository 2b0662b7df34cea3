// A varbit between fixed fields: the fixed ones keep their place around it.

#include <core.p4>
#include <v1model.p4>

header mix_t {
    bit<4> a;
    varbit<16> v;
    bit<4> z;
}
header fix_t {
    bit<8> len;
}

struct Headers {
    fix_t fix;
    mix_t x;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.fix);
        b.extract(h.x, (bit<32>)h.fix.len);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.x.a = h.x.a + 1;
        h.x.z = h.x.z + 1;
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
