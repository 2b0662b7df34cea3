// @name of a table, its keys and actions is the name that the control plane uses; a leading dot makes it absolute.

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
    @name("bar.act") action s(bit<8> v) {
        h.h.d = v;
    }
    @name(".foo.tab") table t {
        key = {
            h.h.a : exact @name("key1");
            h.h.b + 0 : exact @name("k2.f");
        }
        actions = {
            s;
            NoAction;
        }
        default_action = NoAction;
    }
    apply {
        sm.egress_spec = 1;
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
