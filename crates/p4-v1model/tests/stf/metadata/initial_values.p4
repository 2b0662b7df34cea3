// Metadata starts with 0, false, the first enum member and invalid headers; the parser may write it.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct S {
    bit<8> x;
}

enum E { A, B }
struct Headers {
    h_t h;
}

struct Meta {
    S s;
    tuple<bit<8>, bool> t;
    E e;
    bit<8> z;
    h_t hm;
    h_t[2] st;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        m.z = 5;
        m.s.x = 2;
        m.st.next.setValid();
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (m.z != 5 || m.s != { 2 } || m.e != E.A || m.t[1] || m.hm.isValid() || !m.st[0].isValid()) h.h.a = 0xee;
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
