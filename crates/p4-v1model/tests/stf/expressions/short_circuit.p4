// && and || evaluate their right side only where it matters.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> calls;
    bit<8> r;
}

struct Headers {
    h_t h;
}

struct Meta { }

bool yes(inout bit<8> calls, in bit<8> add) {
    calls = calls + add;
    return true;
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
    bit<8> calls = 0;
    apply {
        sm.egress_spec = 1;

          h.h.r = 0;
          if (h.h.a == 1 && yes(calls, 1)) { h.h.r = h.h.r + 1; }
          if (h.h.a == 1 || yes(calls, 2)) { h.h.r = h.h.r + 2; }
          if (yes(calls, 4) || yes(calls, 8)) { h.h.r = h.h.r + 4; }
          if (!yes(calls, 16) && yes(calls, 32)) { h.h.r = h.h.r + 8; }
          h.h.calls = calls;
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
