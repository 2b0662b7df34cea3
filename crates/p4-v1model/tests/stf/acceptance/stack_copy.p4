// Stack copy.

#include <core.p4>
#include <v1model.p4>
header e_t {
    bit<8> x;
}

struct Headers {
    e_t[4] s;
    e_t[4] t;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition two;
    }
    state two {
        b.extract(h.t.next);
        transition select(h.t.lastIndex) {
            3: accept;
            _: two;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bool eq = h.s == h.t;
        h.s = h.t;
        if (eq || h.s != h.t) h.t[0].x = 0xee;
        e_t[4] l;
        l = h.s;
        l[0] = l[1];
        if (l == h.s) h.t[1].x = 0xdd;
        h.s[2] = h.s[2];
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
