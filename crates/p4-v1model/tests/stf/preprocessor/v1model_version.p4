// V1MODEL_VERSION 20200408: counters, registers and meters take the type of their index.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> i;
    bit<16> v;
    bit<16> old;
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
    register<bit<16>, bit<8>>(16) r;
    counter<bit<8>>(16, CounterType.packets) c;
    apply {
        sm.egress_spec = 1;
        PortId_t port = sm.ingress_port;
        r.read(h.h.old, h.h.i);
        r.write(h.h.i, h.h.v);
        c.count(h.h.i);
        if (port != 0) {
            h.h.i = 0xff;
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
