// Headers in structs in the headers struct; emitting a struct emits its headers in order.

#include <core.p4>
#include <v1model.p4>

header x_t {
    bit<8> v;
}
struct inner_t {
    x_t a;
    x_t b;
}

struct Headers {
    inner_t one;
    inner_t two;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.two.b);
        b.extract(h.one.a);
        b.extract(h.one.b);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        h.two.a = h.one.b;
        h.one.a.setInvalid();
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
