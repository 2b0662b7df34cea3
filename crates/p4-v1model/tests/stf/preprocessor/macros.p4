// Macros with and without arguments, in each other, over several lines, and undefined again.

#define WIDTH 8
#define FIELD(name) bit<WIDTH> name;
#define ADD(x, y) ((x) + (y))
#define TWICE(x) ADD(x, x)
#define SET(to, what) \
    to = what; \
    h.h.c = 1;
#include <core.p4>
#include <v1model.p4>

header h_t {
    FIELD(a)
    FIELD(b)
    FIELD(c)
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        SET(h.h.a, TWICE(h.h.a + 1))
        #undef WIDTH
        #define WIDTH 4
        h.h.b = (bit<8>)(bit<WIDTH>)h.h.b;
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
