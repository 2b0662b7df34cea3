// The usual graph: Ethernet, VLAN tags, IPv4 or IPv6, TCP or UDP.

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> kind;
}
header vlan_t {
    bit<3> pcp;
    bit<1> dei;
    bit<12> id;
    bit<16> kind;
}
header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> length;
    bit<32> id;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct Headers {
    ethernet_t eth;
    vlan_t[2] vlan;
    ipv4_t ip;
    ports_t ports;
}

struct Meta {
    bit<16> kind;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.eth);
        m.kind = h.eth.kind;
        transition by_kind;
    }
    state by_kind {
        transition select(m.kind) {
            0x8100: vlan;
            0x88a8: vlan;
            0x0800: ip;
            default: accept;
        }
    }
    state vlan {
        b.extract(h.vlan.next);
        m.kind = h.vlan.last.kind;
        transition by_kind;
    }
    state ip {
        b.extract(h.ip);
        transition select(h.ip.protocol) {
            6: ports;
            17: ports;
            default: accept;
        }
    }
    state ports {
        b.extract(h.ports);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;

          if (h.ports.isValid()) {
              bit<16> t = h.ports.src;
              h.ports.src = h.ports.dst;
              h.ports.dst = t;
          }
          if (h.vlan[1].isValid()) {
              h.vlan.pop_front(1);
              h.eth.kind = 0x8100;
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
