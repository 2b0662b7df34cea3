// A stack in a struct within the headers: next, last and lastIndex work there too.

#include <core.p4>
#include <v1model.p4>
header e_t {
    bit<8> x;
}

header h_t {
    bit<8> a;
}

struct In {
    e_t[2] s;
    h_t q;
}

struct Headers {
    h_t h;
    In i;
    e_t last;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.i.s.next);
        b.extract(h.i.s.next);
        b.extract(h.i.q);
        transition select(h.i.s.lastIndex, h.i.s.last.x) {
            (1, 3): more;
        }
    }
    state more {
        b.extract(h.last);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        In t = h.i;
        h.i = t;
        if (t.s[1].x != 3 || t.s[2 - 1] != h.i.s[1]) h.h.a = 9;
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
