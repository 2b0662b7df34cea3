// A member of an enum with a width as a stack index, with and without a cast.

#include <core.p4>
#include <v1model.p4>
header e_t {
    bit<8> x;
}

enum bit<2> I { One = 1, Two = 2 }
type bit<8> ix;
struct Headers {
    e_t[4] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.s.next);
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
        h.s[(bit<2>)I.One].x = 0xaa;
        h.s[I.Two].x = 0xbb;
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
