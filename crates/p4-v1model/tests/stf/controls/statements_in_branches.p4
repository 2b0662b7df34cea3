// Either branch of a condition may loop, switch, change validity, assign a slice, reset a variable or exit.

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

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        b.extract(h.x);
        b.extract(h.y);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.h.a[0:0] == 1) {
            for (bit<8> i in 8w1 .. 3) {
                h.h.b = h.h.b + i;
            }
            switch (h.h.c) {
                1: {
                    h.h.c = 0x11;
                }
            }
            x_t fresh;
            h.y = fresh;
        } else {
            for (bit<8> i in 8w1 .. 4) {
                h.h.b = h.h.b + i;
            }
            switch (h.h.c) {
                1: {
                    h.h.c = 0x22;
                }
            }
        }
        if (h.h.a[1:1] == 1) {
            h.h.b[7:4] = 0xf;
        } else {
            h.h.b[7:4] = 0xe;
            h.x.setInvalid();
        }
        if (h.h.a[2:2] == 1) {
            h.x.setValid();
        } else {
            h.y.setValid();
            h.y.v = 0x77;
        }
        if (h.h.a[3:3] == 1) {
            h.h.c = h.h.c + 1;
        } else {
            exit;
        }
        h.h.c = h.h.c + 2;
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
