// Parsers, externs, package types and control types that nothing uses are accepted.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }

control Foo_(inout bit<8> x);
package Other(Foo_ f);
package P2<T>(T t);

parser Unused<H>(packet_in b, out H h);
extern Ext {
    Ext(bit<8> x);
    bit<8> get(in bit<8> y);
    void set<T>(in T t);
    abstract bit<8> cb(in bit<8> z);
}

extern Ext2<T> {
    Ext2();
    T get();
}

extern bit<8> fn<T>(in T x);

parser never_applied(packet_in b, @optional in bit<8> x, out bit<8> y) {
    state start {
        y = x;
        transition accept;
    }
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
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
