// exit in a sub-control ends its callers too, and copies out on the way.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct Headers {
    h_t h;
}

struct Meta { }

control deep(inout bit<8> x) {
    apply {
        x = x + 1;
        if (x == 2) {
            exit;
        }
        x = x + 0x10;
    }
}
control middle(inout bit<8> x, inout bit<8> y) {
    deep() d;
    apply {
        y = 7;
        d.apply(x);
        y = 8;
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
    middle() mid;
    apply {
        sm.egress_spec = 1;
        mid.apply(h.h.a, h.h.b);
        h.h.c = 9;
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
