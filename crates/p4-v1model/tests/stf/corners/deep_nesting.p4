// Twelve levels of controls, blocks and conditions.

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

control c0(inout bit<8> x) {
    apply {
        if (x[0:0] == 1) {
            x = x ^ 1;
            x = x + 0x80;
        } else {
            x = x + 1;
        }
    }
}
control c1(inout bit<8> x) {
    apply {
        if (x[1:1] == 1) {
            x = x ^ 2;
            c0.apply(x);
        } else {
            c0.apply(x);
            x = x + 1;
        }
    }
}
control c2(inout bit<8> x) {
    apply {
        if (x[2:2] == 1) {
            x = x ^ 4;
            c1.apply(x);
        } else {
            c1.apply(x);
            x = x + 1;
        }
    }
}
control c3(inout bit<8> x) {
    apply {
        if (x[3:3] == 1) {
            x = x ^ 8;
            c2.apply(x);
        } else {
            c2.apply(x);
            x = x + 1;
        }
    }
}
control c4(inout bit<8> x) {
    apply {
        if (x[4:4] == 1) {
            x = x ^ 16;
            c3.apply(x);
        } else {
            c3.apply(x);
            x = x + 1;
        }
    }
}
control c5(inout bit<8> x) {
    apply {
        if (x[5:5] == 1) {
            x = x ^ 32;
            c4.apply(x);
        } else {
            c4.apply(x);
            x = x + 1;
        }
    }
}

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
    apply {
        sm.egress_spec = 1;
        c5.apply(h.h.a);
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
