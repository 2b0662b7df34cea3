// `qid` is the number of the queue in which the packet was: that of its priority, and 0 for a clone.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
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
    apply {
        sm.egress_spec = 1;
        clone(CloneType.I2E, 5);
        sm.priority = (bit<3>)h.h.a;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 1) {
            h.h.a = 0x80 + (bit<8>)sm.qid;
        } else if (sm.qid != (bit<5>)h.h.a) {
            h.h.a = 0xff;
        }
    }
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
