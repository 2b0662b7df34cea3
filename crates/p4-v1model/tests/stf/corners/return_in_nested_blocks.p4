// return from deep within blocks leaves the rest of the control, not of its caller.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
}

struct Headers {
    h_t h;
}

struct Meta { }

control c(inout bit<8> x, inout bit<8> y) {
    apply {
        {
            if (x == 1) {
                {
                    y = 1;
                    return;
                }
            } else if (x == 2) {
                y = 2;
            } else {
                return;
            }
        }
        y = y + 0x10;
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
    c() inst;
    apply {
        sm.egress_spec = 1;
        inst.apply(h.h.a, h.h.b);
        h.h.a = 0xaa;
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
