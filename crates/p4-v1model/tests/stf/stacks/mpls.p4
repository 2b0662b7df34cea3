// Label stacks: pop one label, or push one.

#include <core.p4>
#include <v1model.p4>

header eth_t {
    bit<16> kind;
}
header label_t {
    bit<20> label;
    bit<3> tc;
    bit<1> bottom;
    bit<8> ttl;
}

struct Headers {
    eth_t eth;
    label_t[3] labels;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.eth);
        transition select(h.eth.kind) {
            0x8847: label;
            default: accept;
        }
    }
    state label {
        b.extract(h.labels.next);
        transition select(h.labels.last.bottom) {
            1: accept;
            default: label;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action pop() {
        h.labels.pop_front(1);
        if (!h.labels[0].isValid()) {
            h.eth.kind = 0x0800;
        }
    }
    action push(bit<20> label) {
        bit<1> bottom = h.labels[0].isValid() ? 1w0 : 1;
        h.labels.push_front(1);
        h.labels[0] = { label, 0, bottom, 64 };
        h.eth.kind = 0x8847;
    }
    table t {
        key = {
            h.labels[0].label: exact;
        }
        actions = {
            pop;
            push;
        }
        default_action = pop();
    }
    apply {
        sm.egress_spec = 1;
        t.apply();
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
