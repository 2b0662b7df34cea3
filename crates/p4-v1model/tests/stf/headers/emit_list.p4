// emit accepts a list of headers, single stack elements and conditions around it.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
    h_t g;
    h_t[2] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.g);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        bool c = h.h.isValid();
        b.emit(h.s[0]);
        if (c && true) {
            b.emit({ h.h, h.g });
        } else {
            b.emit(h.s[1]);
        }
        b.emit(h.s[1]);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
