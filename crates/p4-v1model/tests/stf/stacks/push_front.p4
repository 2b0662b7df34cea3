// push_front(n) moves elements up by n; the first n become invalid, the last n are lost.

#include <core.p4>
#include <v1model.p4>

header c_t {
    bit<8> n;
}
header x_t {
    bit<8> v;
}

struct Headers {
    c_t c;
    x_t[3] s;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.c);
        b.extract(h.s.next);
        b.extract(h.s.next);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          if (h.c.n == 1) {
              h.s.push_front(1);
              h.s[0].setValid();
              h.s[0].v = 0xee;
          } else if (h.c.n == 2) {
              h.s.push_front(2);
          } else if (h.c.n == 3) {
              h.s.push_front(3);
          } else if (h.c.n == 4) {
              h.s.push_front(1);
              h.s.push_front(1);
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
