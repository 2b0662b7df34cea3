// Controls that verify and update checksums may contain any other statements; a verify whose condition is false sets no error.

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

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply {
        bit<8> x = h.h.a;
        if (x == 1) {
            h.h.d = 9;
        }
        verify_checksum(h.h.isValid() && x == 2, { h.h.a }, 16w0, HashAlgorithm.csum16);
    }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.checksum_error == 1) h.h.a = 9;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) {
    apply {
        h.h.d = h.h.d + 1;
        if (h.h.d == 10) { } else {
            h.h.a = 3;
        }
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
