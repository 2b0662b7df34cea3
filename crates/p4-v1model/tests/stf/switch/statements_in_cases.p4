// Cases and the default may change validity, assign slices, exit, return and switch again; a constant may be switched over.

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

control second(inout Headers h) {
    apply {
        switch (h.h.b) {
            1: {
                h.h.c = 1;
            }
            default: {
                switch (h.h.a) {
                    5: {
                        h.x.v = 0x55;
                    }
                    6: {
                        h.y.setValid();
                        h.y.v = 0x66;
                    }
                    default: {
                        return;
                    }
                }
                h.h.c = 2;
            }
        }
        switch (h.h.a) {
            6: {
                h.h.c = 6;
            }
            default: {
                h.x.setInvalid();
                h.y.setValid();
                h.y.v = h.x.isValid() ? 8w0 : 0x77;
            }
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
    second() inner;
    apply {
        sm.egress_spec = 1;
        inner.apply(h);
        bit<8> again = h.h.a;
        switch (again) {
            1: {
                h.x.setInvalid();
            }
            2: {
                h.y.setValid();
                h.y.v = 0x22;
            }
            3: {
                h.h.b[7:4] = 3;
            }
            4: { }
            default: {
                h.h.b[3:0] = 0xd;
                exit;
            }
        }
        switch (8w5) {
            4: {
                h.h.c = 0xee;
            }
            5: {
                h.h.c = h.h.c + 1;
            }
        }
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
