// digest accepts a struct, a list, a named list and metadata, with and without its type argument; the packet passes unchanged.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct D {
    bit<8> x;
    bit<16> y;
}

struct Headers {
    h_t h;
}

struct Meta {
    bit<9> port;
    D d;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        digest<D>(1, {h.h.a, 16w5});
        digest(1, { x = 8w3, y = 16w4 });
        digest(1, m.d);
        D d = { x = 1, y = 2 };
        digest(1, d);
        digest<D>(1, { x = h.h.a, y = 7 });
        digest(32w1024, { h.h.a, h.h.b });
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
