// typedef is another name; type makes a new type that needs a cast.

#include <core.p4>
#include <v1model.p4>

typedef bit<8> byte_t;
typedef bit<16> two_t;
type bit<8> port_t;
header h_t {
    byte_t a;
    port_t b;
}

struct Headers {
    h_t h;
}

struct Meta { }

const byte_t ONE = 1;
const port_t FIRST = (port_t)8w9;

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

          byte_t x = h.h.a + ONE;
          two_t y = x ++ (byte_t)h.h.b;
          port_t q = h.h.b;
          h.h.a = y[11:4];
          h.h.b = q == FIRST ? (port_t)8w0xaa : q;
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
