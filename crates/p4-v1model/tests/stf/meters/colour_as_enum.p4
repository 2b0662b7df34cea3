// A colour cast to an enum of the program; a meter without rates is green; a direct meter of bytes.

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

enum bit<8> Color { GREEN = 0, YELLOW = 1, RED = 2 }

struct Meta {
    Color c;
    bit<2> d;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    meter(4, MeterType.packets) me;
    direct_meter<bit<2>>(MeterType.bytes) dm;
    action a() {
        dm.read(m.d);
    }
    table t {
        key = {
            h.h.a : exact;
        }
        actions = {
            a;
        }
        meters = dm;
        default_action = a;
    }
    apply {
        sm.egress_spec = 1;
        bit<8> x = 2;
        m.d = 2;
        me.execute_meter(0, x);
        t.apply();
        m.c = (Color)x;
        if (m.c == Color.GREEN && m.d == 0) h.h.d = 0xaa;
        if (m.c == Color.RED) mark_to_drop(sm);
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
