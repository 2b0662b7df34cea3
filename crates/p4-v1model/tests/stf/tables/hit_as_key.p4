// A key applies another table: the result of its lookup selects the entry. Entries are written as lists.

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

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action set(bit<8> value) {
        h.h.b = value;
    }
    action count() {
        h.h.a = h.h.a + 1;
    }
    table first {
        key = { h.h.a : exact; }
        actions = { count; NoAction; }
        const entries = {
            {1} : count();
            {5} : count();
        }
        default_action = NoAction();
    }
    table second {
        key = {
            first.apply().hit : exact @name("hit");
            h.h.a : ternary;
        }
        actions = { set; }
        const entries = {
            {true, 2} : set(0x11);
            (true, _) : set(0x22);
        }
        default_action = set(0x33);
    }
    apply {
        sm.egress_spec = 2;
        second.apply();
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
