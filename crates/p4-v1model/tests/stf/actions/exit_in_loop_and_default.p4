// exit reached through a loop or through the default of a switch ends all that called the action.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
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
    action stop(inout bit<8> x) {
        x = x + 0x40;
        exit;
    }
    action by_loop(bit<8> rounds) {
        for (bit<8> i in 8w1 .. 3) {
            h.h.b = h.h.b + 1;
            if (i == rounds) {
                stop(h.h.b);
            }
            h.h.b = h.h.b + 0x10;
        }
    }
    action by_default(inout bit<8> x) {
        switch (h.h.a) {
            8: {
                x = x + 8;
            }
            default: {
                stop(x);
                x = 0;
            }
        }
        x = x + 1;
    }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            by_loop;
        }
        const entries = {
            0: by_loop(0);
        }
        default_action = by_loop(2);
    }
    apply {
        sm.egress_spec = 1;
        if (h.h.a < 8) {
            t.apply();
        } else {
            by_default(h.h.b);
        }
        h.h.c = 0xff;
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
