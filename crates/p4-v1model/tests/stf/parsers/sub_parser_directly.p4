// A sub-parser applied by its type's name; its locals and the caller's are apart.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
    x_t y;
}

struct Meta { }

parser two(packet_in b, out x_t x, out x_t y) {
    bit<8> n = 2;
    state start {
        b.extract(x);
        n = n - 1;
        transition select(n) {
            0: accept;
            default: more;
        }
    }
    state more {
        y = x;
        transition start;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> n = 5;
    state start {
        b.extract(h.h);
        two.apply(b, h.x, h.y);
        h.h.a = n;
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
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
