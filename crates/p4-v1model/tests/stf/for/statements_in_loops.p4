// A loop may apply tables, call, change validity, assign slices and leave by break, continue, return or exit at once.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

header x_t {
    bit<8> v;
}

struct Headers {
    h_t h;
    x_t x;
    x_t y;
}

struct Meta { }

void add(inout bit<8> x, in bit<8> y) {
    x = x + y;
}

control once(inout bit<8> x) {
    apply {
        for (bit<8> i in 8w1 .. 3) {
            x = x + 0x20;
            return;
        }
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.x);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    once() first;
    action count() {
        h.h.b = h.h.b + 1;
    }
    table t {
        actions = {
            count;
        }
        default_action = count();
    }
    apply {
        sm.egress_spec = 1;
        if (h.h.a == 0) {
            for (bit<8> i in 8w0 .. 3) {
                t.apply();
                add(h.h.c, i);
                h.x.setInvalid();
                h.h.c[7:7] = 1;
                h.y.setValid();
                h.y.v = i;
            }
        } else {
            for (bit<8> i in 8w0 .. 3) {
                h.h.b = h.h.b + 1;
                break;
            }
            for (bit<8> i in 8w0 .. 3) {
                h.h.c = h.h.c + 1;
                continue;
            }
            if (h.h.a == 1) {
                for (bit<8> i = 0; i < 9; i = i + 1) {
                    h.h.b = h.h.b + 0x10;
                    if (i < 4) {
                        h.h.c = h.h.c + 0x10;
                    } else {
                        break;
                    }
                }
            } else {
                first.apply(h.h.b);
                for (bit<8> i in 8w1 .. 3) {
                    h.h.c = h.h.c + 0x40;
                    exit;
                }
            }
        }
        h.h.a = 0xaa;
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
