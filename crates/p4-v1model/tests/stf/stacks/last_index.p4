// lastIndex is the index of the last element that was extracted; last reads it.

#include <core.p4>
#include <v1model.p4>

header c_t {
    bit<8> n;
    bit<8> last;
    bit<8> sum;
}
header x_t {
    bit<8> v;
}

struct Headers {
    c_t c;
    x_t[4] s;
}

struct Meta {
    bit<8> left;
    bit<32> last;
    bit<8> sum;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.c);
        m.left = h.c.n;
        transition select(m.left) {
            0: accept;
            default: more;
        }
    }
    state more {
        b.extract(h.s.next);
        m.left = m.left - 1;
        m.last = h.s.lastIndex;
        m.sum = m.sum + h.s.last.v;
        transition select(m.left) {
            0: accept;
            default: more;
        }
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.c.last = (bit<8>)m.last;
        h.c.sum = m.sum;
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
