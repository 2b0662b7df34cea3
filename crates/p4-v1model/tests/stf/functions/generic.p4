// A generic function, with its type given and with its type inferred.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta { }

T pick<T>(in bool first, in T x, in T y) {
    if (first) {
        return x;
    }
    return y;
}
void set<T>(out T x, in T y) {
    x = y;
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
        bit<8> a = h.h.a;
        h.h.a = pick<bit<8>>(a == 1, 0x11, 0x22);
        h.h.b = pick(a == 1, h.h.b, 16w0xffff);
        set(h.h.c, a);
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
