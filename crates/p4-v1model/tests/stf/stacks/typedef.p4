// A typedef of a stack as a field and a parameter type; size; extract by index.

#include <core.p4>
#include <v1model.p4>
header e_t {
    bit<8> x;
}

typedef e_t[4] st_t;
typedef bit<8> b8;
typedef b8 b9;
struct Headers {
    st_t s;
}

struct Meta { }
const b9 nine = 9;

control c(inout st_t s) {
    apply {
        s[0].x = s[0].x;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.s[0]);
        b.extract(h.s[1]);
        b.extract(h.s[2]);
        b.extract(h.s[3]);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    c() i;
    apply {
        sm.egress_spec = 1;
        i.apply(h.s);
        if (h.s.size != 4) h.s[0].x = 0;
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
