// V1MODEL_VERSION 20200408: indices of 4 and 9 bits, also computed ones, for registers, counters and meters.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
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

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    register<bit<8>, bit<4>>(16) r;
    counter<bit<9>>(512, CounterType.bytes) c;
    meter<PortId_t>(512, MeterType.packets) me;
    apply {
        sm.egress_spec = 1;
        r.write(3, 5);
        r.read(h.h.c, h.h.d[3:0] - 1);
        c.count(sm.ingress_port);
        me.execute_meter(sm.ingress_port, h.h.d);
        h.h.d = 1;
        PortId_t q = sm.ingress_port;
        sm.egress_spec = (PortId_t)1;
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
