// The pipeline of a fabric switch, in the order of a hardware switch's abstraction (SAI): port and VLAN, bridging or routing,
// next hop, access lists, rewriting. A large program for measurements of speed, and an example of one.
//
//   vlan        by port and tag: the VLAN; a packet of an unknown one is dropped
//   my_mac      by VLAN and destination: frames for the router are routed, others bridged
//   acl         ternary on port, addresses, protocol and ports: permits, denies, sets the DSCP, redirects to a next hop
//   routes      longest prefix by router: a next hop, or a group of them
//   groups      an action selector: a next hop by a hash of the flow
//   next_hops   link addresses, VLAN and port
//   bridge      by VLAN and destination: a port, else the VLAN's multicast group
//   port_out    by port and VLAN: whether the tag is sent
//
// Counters: packets and bytes by VLAN, by entry of the access list and by next hop.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#define WITH_TRANSPORT
#include "lib/headers.p4"

const bit<16> ETHER_TYPE_VLAN = 0x8100;

typedef bit<12> vlan_t;
typedef bit<16> next_hop_t;
typedef bit<16> group_t;

header vlan_tag_t {
    bit<3>  priority;
    bit<1>  drop_eligible;
    vlan_t  id;
    bit<16> ether_type;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_tag_t vlan_tag;
    ipv4_t     ipv4;
    tcp_t      tcp;
    udp_t      udp;
}

struct metadata_t {
    vlan_t     vlan;
    bit<8>     router;
    bit<1>     routed;
    bit<1>     denied;
    bit<1>     tagged;
    next_hop_t next_hop;
    bit<16>    src_port;
    bit<16>    dst_port;
}

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_VLAN : parse_vlan;
            ETHER_TYPE_IPV4 : parse_ipv4;
            default : accept;
        }
    }

    state parse_vlan {
        packet.extract(hdr.vlan_tag);
        transition select(hdr.vlan_tag.ether_type) {
            ETHER_TYPE_IPV4 : parse_ipv4;
            default : accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_UDP) : parse_udp;
            (5, 0, PROTOCOL_TCP) : parse_tcp;
            default : accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        meta.src_port = hdr.udp.src_port;
        meta.dst_port = hdr.udp.dst_port;
        transition accept;
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        meta.src_port = hdr.tcp.src_port;
        meta.dst_port = hdr.tcp.dst_port;
        transition accept;
    }
}

#include "lib/checksum.p4"

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter<vlan_t>(4096, CounterType.packets_and_bytes) per_vlan;
    direct_counter(CounterType.packets_and_bytes) acl_hits;
    direct_counter(CounterType.packets_and_bytes) next_hop_hits;
    action_selector(HashAlgorithm.crc16, 1024, 14) ecmp;

    action drop() {
        mark_to_drop(standard_metadata);
        meta.denied = 1;
    }

    action set_vlan(vlan_t vlan) {
        meta.vlan = vlan;
    }

    table vlan {
        key = {
            standard_metadata.ingress_port : exact;
            hdr.vlan_tag.isValid() : exact;
            hdr.vlan_tag.id : ternary;
        }
        actions = { set_vlan; drop; }
        default_action = drop();
        size = 4096;
    }

    action route(bit<8> router) {
        meta.routed = 1;
        meta.router = router;
    }

    table my_mac {
        key = {
            meta.vlan : exact;
            hdr.ethernet.dst : exact;
        }
        actions = { route; NoAction; }
        default_action = NoAction();
        size = 512;
    }

    action set_next_hop(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    action set_group(group_t group) {
        meta.next_hop = group | 0x8000;
    }

    table routes {
        key = {
            meta.router : exact;
            hdr.ipv4.dst : lpm;
        }
        actions = { set_next_hop; set_group; drop; }
        default_action = drop();
        size = 16384;
    }

    action permit() { }

    action set_dscp(bit<6> dscp) {
        hdr.ipv4.dscp = dscp;
    }

    action redirect(next_hop_t next_hop) {
        meta.next_hop = next_hop;
        meta.routed = 1;
    }

    table acl {
        key = {
            standard_metadata.ingress_port : ternary;
            hdr.ipv4.src : ternary;
            hdr.ipv4.dst : ternary;
            hdr.ipv4.protocol : ternary;
            meta.src_port : ternary;
            meta.dst_port : ternary;
        }
        actions = { permit; drop; set_dscp; redirect; }
        default_action = permit();
        counters = acl_hits;
        size = 1024;
    }

    table groups {
        key = {
            meta.next_hop : exact;
            hdr.ipv4.src : selector;
            hdr.ipv4.dst : selector;
            hdr.ipv4.protocol : selector;
            meta.src_port : selector;
            meta.dst_port : selector;
        }
        actions = { set_next_hop; NoAction; }
        implementation = ecmp;
        size = 512;
    }

    action forward(bit<48> src, bit<48> dst, vlan_t vlan, port_t port) {
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        meta.vlan = vlan;
        standard_metadata.egress_spec = port;
    }

    table next_hops {
        key = { meta.next_hop : exact; }
        actions = { forward; drop; }
        default_action = drop();
        counters = next_hop_hits;
        size = 1024;
    }

    action to_port(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action flood(bit<16> group) {
        standard_metadata.mcast_grp = group;
    }

    table bridge {
        key = {
            meta.vlan : exact;
            hdr.ethernet.dst : exact;
        }
        actions = { to_port; flood; drop; }
        default_action = drop();
        size = 16384;
    }

    apply {
        vlan.apply();
        if (meta.denied == 0) {
            per_vlan.count(meta.vlan);
            my_mac.apply();
            if (meta.routed == 1 && hdr.ipv4.isValid()) {
                if (hdr.ipv4.ttl <= 1 || standard_metadata.checksum_error == 1) {
                    drop();
                } else {
                    routes.apply();
                }
            }
            if (hdr.ipv4.isValid() && meta.denied == 0) {
                acl.apply();
            }
            if (meta.denied == 0) {
                if (meta.routed == 1) {
                    if (meta.next_hop & 0x8000 != 0) {
                        groups.apply();
                    }
                    next_hops.apply();
                } else {
                    bridge.apply();
                }
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    action send_tagged() {
        meta.tagged = 1;
    }

    table port_out {
        key = {
            standard_metadata.egress_port : exact;
            meta.vlan : exact;
        }
        actions = { send_tagged; NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    apply {
        port_out.apply();
        if (meta.tagged == 1) {
            if (!hdr.vlan_tag.isValid()) {
                hdr.vlan_tag.setValid();
                hdr.vlan_tag.priority = 0;
                hdr.vlan_tag.drop_eligible = 0;
                hdr.vlan_tag.ether_type = hdr.ethernet.ether_type;
                hdr.ethernet.ether_type = ETHER_TYPE_VLAN;
            }
            hdr.vlan_tag.id = meta.vlan;
        } else if (hdr.vlan_tag.isValid()) {
            hdr.ethernet.ether_type = hdr.vlan_tag.ether_type;
            hdr.vlan_tag.setInvalid();
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
