// Only the depth of an expression is limited: 128 operands in shallow parentheses are not too many.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> e;
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
        h.h.e = ((((h.h.a | h.h.b) - (h.h.c ^ h.h.d)) ^ ((h.h.b | h.h.c) - (h.h.d ^ h.h.a)))
                + (((h.h.c | h.h.d) - (h.h.a ^ h.h.b)) ^ ((h.h.d | h.h.a) - (h.h.b ^ h.h.c))))
            + ((((h.h.a - h.h.c) ^ (h.h.d + h.h.a)) + ((h.h.b - h.h.d) ^ (h.h.a + h.h.b)))
                | (((h.h.c - h.h.a) ^ (h.h.b + h.h.c)) + ((h.h.d - h.h.c) ^ (h.h.d + h.h.a))))
            + ((((h.h.b ^ h.h.c) + (h.h.a | h.h.b)) | ((h.h.c ^ h.h.d) + (h.h.b | h.h.c)))
                - (((h.h.d ^ h.h.a) + (h.h.d | h.h.a)) | ((h.h.b ^ h.h.c) + (h.h.a | h.h.b))))
            + ((((h.h.c + h.h.d) | (h.h.a - h.h.c)) - ((h.h.d + h.h.a) | (h.h.b - h.h.a)))
                ^ (((h.h.b + h.h.c) | (h.h.d - h.h.b)) - ((h.h.c + h.h.d) | (h.h.a - h.h.c))))
            + ((((h.h.d | h.h.a) - (h.h.b ^ h.h.c)) ^ ((h.h.b | h.h.c) - (h.h.d ^ h.h.a)))
                + (((h.h.c | h.h.d) - (h.h.a ^ h.h.b)) ^ ((h.h.d | h.h.a) - (h.h.b ^ h.h.c))))
            + ((((h.h.d - h.h.c) ^ (h.h.d + h.h.a)) + ((h.h.b - h.h.d) ^ (h.h.a + h.h.b)))
                | (((h.h.c - h.h.a) ^ (h.h.b + h.h.c)) + ((h.h.d - h.h.b) ^ (h.h.c + h.h.d))))
            + ((((h.h.b ^ h.h.c) + (h.h.a | h.h.b)) | ((h.h.c ^ h.h.d) + (h.h.b | h.h.c)))
                - (((h.h.d ^ h.h.a) + (h.h.c | h.h.d)) | ((h.h.a ^ h.h.b) + (h.h.a | h.h.b))))
            + ((((h.h.c + h.h.d) | (h.h.a - h.h.c)) - ((h.h.d + h.h.a) | (h.h.b - h.h.d)))
                ^ (((h.h.a + h.h.b) | (h.h.c - h.h.b)) - ((h.h.c + h.h.d) | (h.h.a - h.h.c))));
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
