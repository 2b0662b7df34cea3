// The options of IPv4: ihl says how long they are.

#include <core.p4>
#include <v1model.p4>

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> length;
    bit<32> rest;
    bit<64> more;
    bit<32> dst;
}
header options_t {
    varbit<320> data;
}
header udp_t {
    bit<16> port;
}

struct Headers {
    ipv4_t ip;
    options_t options;
    udp_t udp;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.ip);
        transition select(h.ip.ihl) {
            0 .. 4: accept;
            5: udp;
            default: options;
        }
    }
    state options {
        b.extract(h.options, (bit<32>)(((bit<16>)h.ip.ihl - 5) * 32));
        transition udp;
    }
    state udp {
        b.extract(h.udp);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          h.udp.port = h.udp.port + 1;
          if (h.options.isValid()) {
              h.options.setInvalid();
              h.ip.ihl = 5;
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
