// Instances differ by their constructor's arguments.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta { }

control add(inout bit<8> x)(bit<8> n, bool twice) {
    apply {
        x = x + n;
        if (twice) {
            x = x + n;
        }
    }
}
control both(inout bit<8> x, inout bit<8> y)(bit<8> n) {
    add(n, false) one;
    add(n + 1, true) two;
    apply {
        one.apply(x);
        two.apply(y);
    }
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
    both(5) five;
    both(0x10) sixteen;
    apply {
        sm.egress_spec = 1;
        five.apply(h.h.a, h.h.b);
        sixteen.apply(h.h.b, h.h.r);
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
