// A stack is copied as a whole, with the validity of each element.

#include <core.p4>
#include <v1model.p4>

header x_t {
    bit<8> v;
}

struct Headers {
    x_t[2] a;
    x_t[2] b;
}

struct Meta {
    bit<8> dummy;
}

void twist(inout x_t[2] s) {
    x_t t = s[0];
    s[0] = s[1];
    s[1] = t;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.a.next);
        b.extract(h.a.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.b = h.a;
        h.b[0].v = 0x77;
        h.a[1].setInvalid();
        twist(h.a);
        twist(h.b);
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
