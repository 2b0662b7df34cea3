// A leading dot names the global declaration that a local one hides.

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
action nn() {}
bit<8> ff() {
    return 1;
}

const bit<8> gg = 1;
struct SS {
    bit<8> x;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> gg = 5;
    .SS sss;
    table t {
        actions = {
            .NoAction;
            .nn;
        }
        default_action = .nn();
    }
    apply {
        sm.egress_spec = 1;
        .nn();
        h.h.a = .ff();
        if (.gg != 1) h.h.a = 2;
        t.apply();
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
