// ## joins tokens, # makes a string, __LINE__ and nested arguments.

#define CAT(a, b) a ## b
#define FIELD(n) CAT(field, n)
#define TEXT(x) #x
#define SUM(...) ADD3(__VA_ARGS__)
#define ADD3(x, y, z) ((x) + (y) + (z))
#define COMMA(x) x, x
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> field1;
    bit<8> CAT(fie, ld2);
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> f(in bit<8> x, in bit<8> y) {
    return x + y;
}

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
        log_msg(TEXT(a b));
        h.h.field1 = SUM(h.h.field1, (h.h.field2), 1);
        h.h.CAT(field, 2) = f(COMMA(3));
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
