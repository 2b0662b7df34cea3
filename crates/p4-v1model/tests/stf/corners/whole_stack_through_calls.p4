// A stack lent to an action that pushes and writes; the validity of all elements comes back.

#include <core.p4>
#include <v1model.p4>

header c_t {
    bit<8> n;
}
header x_t {
    bit<8> v;
}

struct Headers {
    c_t c;
    x_t[3] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.c);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action push(inout x_t[3] s, in bit<8> v) {
        s.push_front(1);
        s[0] = { v };
        if (v == 9) {
            s[2].setInvalid();
            exit;
        }
    }
    apply {
        sm.egress_spec = 1;
        push(h.s, h.c.n);
        h.c.n = 0xee;
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
