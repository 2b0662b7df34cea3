// == of stacks, structs with headers, and varbits.

#include <core.p4>
#include <v1model.p4>

header x_t {
    bit<8> v;
}
header v_t {
    varbit<16> d;
}
header r_t {
    bit<8> r;
}

struct Headers {
    r_t r;
    x_t[2] s;
    x_t[2] t;
    v_t v;
    v_t w;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.r);
        b.extract(h.s.next);
        b.extract(h.t.next);
        b.extract(h.v, 8);
        b.extract(h.w, 8);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.r.r = 0;
        if (h.s == h.t) {
            h.r.r = h.r.r | 1;
        }
        if (h.v == h.w) {
            h.r.r = h.r.r | 2;
        }
        if (h.v.d == h.w.d) {
            h.r.r = h.r.r | 4;
        }
        h.t[1].setValid();
        h.t[1].v = 0;
        if (h.s != h.t) {
            h.r.r = h.r.r | 8;
        }
        h.t[1].setInvalid();
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
