// A function whose last statement is a switch with a default, or an if with an else, may return in each of its branches.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct Headers {
    h_t h;
}

struct Meta { }

bit<8> kind(in bit<8> x) {
    switch (x) {
        1:
        2: {
            return 0x12;
        }
        3: {
            if (x == 3) {
                return 0x33;
            } else {
                return 0xee;
            }
        }
        default: {
            return 0xdd;
        }
    }
}

bit<8> part(in bit<8> x) {
    bit<4> low = x[3:0];
    if (low > 2) {
        return (x ++ x)[11:4];
    } else {
        return (bit<8>)low;
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
        h.h.r = kind(h.h.a);
        h.h.s = part(h.h.a);
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
