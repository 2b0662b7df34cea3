// Octopus (Chen, Tahir, Mittal, In-Network Content Adaptation, Algorithm 2) in PSA: drops messages that a newer message of their
// stream made superfluous. ../octopus.p4 explains how; the decision is the same text, lib/octopus_verdict.p4.
//
// Ingress clones the tail of each dropper with a higher class of service. The clone overtakes the queue, tells egress of the
// dropper, and ends. A packet's delay is that between the two parsers.
//
// PSA tells egress nothing of its port's rate: a bandwidth is a parameter, and without it the rate counts as unlimited.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   sessions     `mirroring_add 101 1 priority=1`: session 100 + P gets the clones of packets for port P, with class of service
//                1; other packets have class 0. The port has two queues.
//   parameters   `table_set_default octopus set_octopus BANDWIDTH SLACK`, or `table_add octopus set_octopus PORT => ...`:
//                kbit/s of the port, 0 for unlimited; 1: a message is only dropped after it has waited for its slack
//
// Native twin: kind = "octopus", under the conditions of ../octopus.p4, with a bandwidth or without bitrate thresholds.

#define WITH_TRANSPORT
#define WITH_OCTOPUS
#include <core.p4>
#include <psa.p4>
#include "../lib/headers.p4"
#include "../lib/octopus.p4"

const CloneSessionIdUint_t SESSIONS = 100;

struct headers_t {
    ethernet_t         ethernet;
    ipv4_t             ipv4;
    ipv6_t             ipv6;
    udp_t              udp;
    tcp_t              tcp;
    octopus_datagram_t octopus;
}

struct bridge_t {
    Timestamp_t arrival;
}

struct report_t {}

#include "lib/blocks.p4"
#include "lib/forwarding.p4"
#include "../lib/octopus_verdict.p4"

control Ingress(inout headers_t hdr, inout metadata_t meta, in psa_ingress_input_metadata_t istd,
                inout psa_ingress_output_metadata_t ostd) {
    Forwarding() forwarding;

    apply {
        forwarding.apply(hdr, istd, ostd);
        meta.bridge.arrival = istd.ingress_timestamp;
        if (!ostd.drop && hdr.octopus.isValid() && hdr.octopus.position[1:1] == 1 && hdr.octopus.drop_flag == 1) {
            ostd.clone = true;
            ostd.clone_session_id =
                (CloneSessionId_t) (SESSIONS + (CloneSessionIdUint_t) (PortIdUint_t) ostd.egress_port);
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, in psa_egress_input_metadata_t istd,
               inout psa_egress_output_metadata_t ostd) {
    OctopusVerdict() verdict;
    bit<24> bandwidth;
    bit<1> waits;

    action set_octopus(bit<24> kbit, bit<1> slack) {
        bandwidth = kbit;
        waits = slack;
    }

    table octopus {
        key = { istd.egress_port : exact; }
        actions = { set_octopus; }
        default_action = set_octopus(0, 0);
        size = 512;
    }

    apply {
        bool is_clone = istd.packet_path == PSA_PacketPath_t.CLONE_I2E;
        bit<1> superfluous = 0;
        if (hdr.octopus.isValid()) {
            octopus.apply();
            bit<32> available = bandwidth != 0 ? (bit<32>) bandwidth : 0xffffffff;
            bit<32> delay =
                (bit<32>) ((TimestampUint_t) istd.egress_timestamp - (TimestampUint_t) meta.bridge.arrival);
            verdict.apply(hdr, is_clone, available, delay, waits, superfluous);
        }
        if (superfluous == 1 || is_clone) {
            egress_drop(ostd);
        }
    }
}

PSA_Switch(
    IngressPipeline(IngressPackets(), Ingress(), IngressPacketsOut()),
    PacketReplicationEngine(),
    EgressPipeline(EgressPackets(), Egress(), EgressPacketsOut()),
    BufferingQueueingEngine()
) main;
