// Clone, resubmit, recirculate, truncate and drop are accepted in their forms of both versions of v1model.

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
    @field_list(1, 2) bit<9> port;
    @field_list(0) bit<8> d;
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
        if (h.h.a == 9) {
            clone(CloneType.I2E, 5);
            clone(CloneType.I2E, 32w5);
            clone3(CloneType.I2E, 5, { m.port, sm });
            clone3<tuple<bit<8>>>(CloneType.I2E, 32w100, { h.h.a });
            clone_preserving_field_list(CloneType.I2E, 5, 1);
            resubmit_preserving_field_list(8w1);
            resubmit({m.port});
            resubmit(m);
            resubmit<Meta>(m);
            truncate(32w10);
            truncate((bit<32>)64);
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        if (h.h.a == 9) {
            clone(CloneType.E2E, 1);
            clone3(CloneType.E2E, 1, {sm.ingress_port, m.d});
            recirculate(m);
            recirculate({m.d, m.port});
            recirculate_preserving_field_list(2);
            recirculate<tuple<bit<8>, bit<9>>>({m.d, m.port});
            mark_to_drop();
        }
    }
}

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
