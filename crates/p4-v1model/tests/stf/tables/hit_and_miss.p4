// apply().hit and .miss, also within conditions.

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
    action set(bit<8> v) {
        h.h.r = v;
    }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            set;
            NoAction;
        }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 1;

          if (t.apply().hit) {
              h.h.s = 1;
          } else {
              h.h.s = 2;
          }
          if (h.h.a != 9 && t.apply().miss) {
              h.h.s = h.h.s + 0x10;
          }
          bool hit = t.apply().hit;
          if (!hit || h.h.r == 5) {
              h.h.s = h.h.s + 0x20;
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
