// Tables whose actions write what the next condition reads, in chains.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta {
    bool flag;
    bit<8> n;
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
    action raise(bit<8> v) {
        m.flag = true;
        m.n = v;
    }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            raise;
            NoAction;
        }
        default_action = NoAction();
        const entries = {
            1: raise(5);
            5: raise(6);
        }
    }
    table u {
        key = {
            m.n: exact;
            m.flag: exact;
        }
        actions = {
            raise;
            NoAction;
        }
        default_action = NoAction();
        const entries = {
            (5, true): raise(9);
            (0, false): raise(1);
        }
    }
    apply {
        sm.egress_spec = 1;
        if (t.apply().hit && m.flag) {
            if (!u.apply().miss && m.n == 9) {
                h.h.r = m.n;
            }
        } else if (u.apply().hit || m.flag) {
            h.h.r = 0x10 + m.n;
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
