// An assignment to a slice of an element whose index is computed leaves the other bits and elements alone.

#include <core.p4>
#include <v1model.p4>

header c_t {
    bit<8> i;
    bit<8> v;
}

header x_t {
    bit<16> v;
}

struct Headers {
    c_t c;
    x_t[4] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.c);
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.s[(h.c.i + 1) & 3].v[11:4] = h.c.v;
        h.s[h.c.i].v[15:12] = h.s[h.c.i].v[3:0];
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
