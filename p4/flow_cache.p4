// A cache of flows: forwarding by exact match on addresses and protocol, whose entries a controller makes on demand.
//
// A packet of a flow without an entry goes to the CPU port with its ingress port. The controller adds an entry, which ends when
// no packet has hit it for its timeout, and sends the packet on: with `port` it leaves there, with `again` it passes the
// tables. Link addresses are not changed.
//
// Control plane: `table_add flows send SRC DST PROTOCOL => PORT`; without a controller, packets of other flows are lost.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

const port_t CPU_PORT = 510;

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    @padding bit<7> unused;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<1> again;  // whether to look the packet up again instead
    @padding bit<6> unused;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    ethernet_t   ethernet;
    ipv4_t       ipv4;
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        transition select(standard_metadata.ingress_port) {
            CPU_PORT : parse_packet_out;
            default : parse_ethernet;
        }
    }

    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_ethernet;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4 : parse_ipv4;
            default : accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control VerifyNothing(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    direct_counter(CounterType.packets_and_bytes) hits;

    action send(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action ask() {
        standard_metadata.egress_spec = CPU_PORT;
    }

    table flows {
        key = {
            hdr.ipv4.src : exact;
            hdr.ipv4.dst : exact;
            hdr.ipv4.protocol : exact;
        }
        actions = { send; ask; }
        default_action = ask();
        counters = hits;
        support_timeout = true;
        size = 65536;
    }

    apply {
        if (hdr.packet_out.isValid() && hdr.packet_out.again == 0) {
            standard_metadata.egress_spec = hdr.packet_out.egress_port;
        } else if (hdr.ipv4.isValid()) {
            flows.apply();
        } else {
            mark_to_drop(standard_metadata);
        }
        hdr.packet_out.setInvalid();
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.egress_port == CPU_PORT) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = standard_metadata.ingress_port;
        }
    }
}

control ComputeNothing(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control PacketDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(PacketParser(), VerifyNothing(), Ingress(), Egress(), ComputeNothing(), PacketDeparser()) main;
