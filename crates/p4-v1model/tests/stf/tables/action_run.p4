// switch on action_run: the action that ran, whether by an entry or by default; fall-through to the next body.

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
    action one() {
        h.h.r = 1;
    }
    action two(bit<8> v) {
        h.h.r = v;
    }
    action three() { }
    action four() { }
    table t {
        key = {
            h.h.a: exact;
        }
        actions = {
            one;
            two;
            three;
            four;
            NoAction;
        }
        default_action = four();
    }
    apply {
        sm.egress_spec = 1;

          h.h.s = 0;
          switch (t.apply().action_run) {
              one: {
                  h.h.s = 0x10;
                  if (h.h.r == 1) {
                      h.h.s = 0x11;
                  }
              }
              two:
              three: { h.h.s = 0x20; }
              four: { h.h.s = 0x40; }
              default: { h.h.s = 0xdd; }
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
