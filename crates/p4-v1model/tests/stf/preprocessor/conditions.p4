// #if, #ifdef, #ifndef, #elif, #else, defined(), nested.

#define VERSION 3
#define EMPTY
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
        #if VERSION > 3
        h.h.a = 1;
        #elif VERSION == 3 && defined(EMPTY) && !defined(OTHER)
        h.h.a = 2;
        #else
        h.h.a = 3;
        #endif
        #ifdef OTHER
        this is not P4 at all
        #ifdef EMPTY
        nor is this "
        #endif
        #else
        # ifndef EMPTY
        h.h.b = 1;
        # else
        h.h.b = 2; /* a comment
        #if in a comment
        */
        # endif
        #endif
        #if (VERSION << 1) + 1 == 7 || UNKNOWN
        h.h.c = 7;
        #endif
        #if 0
        h.h.d = 1;
        #elif 1
        h.h.d = 2;
        #elif 1
        h.h.d = 3;
        #endif
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
