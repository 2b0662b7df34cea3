// Assigning a valid header to a member makes the others invalid; an invalid one makes that member invalid.

#include <core.p4>
#include <v1model.p4>

header kind_t {
    bit<8> kind;
}
header a_t {
    bit<8> v;
}
header b_t {
    bit<16> v;
}
header_union u_t {
    a_t a;
    b_t b;
}

struct Headers {
    kind_t kind;
    u_t u;
    a_t loose;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.kind);
        transition select(h.kind.kind) {
            1: one;
            2: two;
            default: accept;
        }
    }
    state one {
        b.extract(h.u.a);
        transition accept;
    }
    state two {
        b.extract(h.u.b);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          if (h.kind.kind == 2) {
              h.loose = { 0x0c };
              h.u.a = h.loose;
              h.loose.setInvalid();
          } else if (h.kind.kind == 1) {
              h.u.a = h.loose;
              if (!h.u.isValid()) { h.kind.kind = 0x33; }
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
