// Headers and stacks in the metadata: extracted there, they are not emitted.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

struct Headers {
    h_t h;
}

struct Meta {
    h_t peek;
    h_t[2] s;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(m.peek);
        b.extract(m.s.next);
        b.extract(m.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (m.peek.isValid() && m.s[1].isValid()) {
            h.h.a = m.peek.a + m.s[1].a;
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
