// A loop over the elements of a stack by index.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> sum;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t[3] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.h.sum = 0;
        for (bit<8> i in 8w0 .. 2) {
            if (h.s[i].isValid()) {
                h.h.sum = h.h.sum + h.s[i].v;
                h.s[i].v = i;
            }
        }
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
