// Registers, counters and meters, indexed and direct, in one control; a table with a direct counter and a direct meter.

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

struct Meta {
    bit<2> col;
    bit<1> o;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    register<bit<8>>(16) r;
    register<bit<48>>(32w1) q;
    @name("rr") register<int<8>>(4) ri;
    register<bit<1>>(8) one;
    counter(10, CounterType.packets_and_bytes) c;
    meter(5, MeterType.bytes) me;
    direct_counter(CounterType.packets) dc;
    direct_meter<bit<2>>(MeterType.packets) dm;
    action a() {
        dc.count();
        dm.read(m.col);
    }
    action n() { }
    table t {
        key = {
            h.h.a : exact;
        }
        actions = {
            a;
            n;
        }
        counters = dc;
        meters = dm;
        size = 16*4+1;
        default_action = n();
    }
    apply {
        sm.egress_spec = 1;
        bit<8> v;
        r.read(v, 0);
        r.write(0, v+5);
        r.read(h.h.c, 0);
        one.write(1, 1);
        one.read(m.o, (bit<32>)h.h.a);
        h.h.d = 7w0 ++ m.o;
        c.count((bit<32>)h.h.a);
        c.count(3);
        me.execute_meter(2, m.col);
        me.execute_meter<bit<2>>(32w1, m.col);
        t.apply();
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
