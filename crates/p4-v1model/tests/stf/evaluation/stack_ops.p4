// Stack ops.

#include <core.p4>
#include <v1model.p4>
header e_t {
    bit<8> x;
}

header h_t {
    bit<8> k;
}

struct Headers {
    h_t h;
    e_t[3] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.h.k == 1) {
            h.s.push_front(1);
            h.s[0].setValid();
            h.s[0].x = 0xf1;
        }
        if (h.h.k == 2) {
            h.s.pop_front(1);
        }
        if (h.h.k == 3) {
            h.s.push_front(5);
        }
        if (h.h.k == 4) {
            h.s.pop_front(5);
        }
        if (h.h.k == 5) {
            h.s.push_front(1);
        }
        if (h.h.k == 6) {
            h.s.push_front(2);
            h.s[1] = {0xaa};
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
