// Masks over 128 bits and a range over a slice of a wide field.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<128> a;
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
    action s(bit<8> v) {
        h.h.b = v;
    }
    table t {
        key = {
            h.h.a : ternary;
            h.h.a[127:96] : range;
        }
        actions = {
            s;
        }
        const entries = {
            (0x1 &&& 0x3, 0 .. 5) : s(1);
            (0x20010db8_00000000_00000000_00000000 &&& 0xffffffff_00000000_00000000_00000000, 0x20000000 .. 0x2fffffff) : s(2);
            (_, _) : s(3);
        }
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
