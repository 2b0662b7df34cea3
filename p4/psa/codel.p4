// CoDel (RFC 8289) at the egress of a PSA switch: a packet that has left its queue is dropped, or marked, if it has waited for
// longer than `target` for an `interval`.
//
// PSA tells egress neither a packet's enqueue time nor the queue's depth. So ingress's time goes along with each packet, and
// the delay is that between the two parsers. What is left behind in the queue is unknown: the RFC's MAXPACKET does not exist,
// and an empty queue ends neither the estimator's window nor the dropping state (as in P4-CoDel).
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   parameters   `table_set_default codel set_codel TARGET INTERVAL ECN`, or `table_add codel set_codel PORT => ...`: µs, µs, 1
//                to mark ECN-capable packets; or `set_p4_codel TARGET INTERVAL ECN` for P4-CoDel's law (lib/p4_codel.p4)
//
// Native twin: kind = "codel", clock = "1 us", control_law = "table" or, with set_p4_codel, "p4-codel", without an ingress delay.
// Identical for each packet with set_p4_codel. With set_codel, a drop may differ where a queue drains to at most MAXPACKET
// bytes and is above target then.

#include <core.p4>
#include <psa.p4>
#include "../lib/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct bridge_t {
    Timestamp_t arrival;
}

struct report_t {}

#include "lib/blocks.p4"
#include "lib/forwarding.p4"
#include "../lib/ecn.p4"
#include "../lib/codel.p4"
#include "../lib/p4_codel.p4"

const bit<32> BACKLOG_UNKNOWN = 0xffffffff;

control Ingress(inout headers_t hdr, inout metadata_t meta, in psa_ingress_input_metadata_t istd,
                inout psa_ingress_output_metadata_t ostd) {
    Forwarding() forwarding;

    apply {
        forwarding.apply(hdr, istd, ostd);
        meta.bridge.arrival = istd.ingress_timestamp;
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, in psa_egress_input_metadata_t istd,
               inout psa_egress_output_metadata_t ostd) {
    CoDel(PORTS) controlled_delay;
    P4CoDel(PORTS) p4_controlled_delay;
    codel_settings_t settings;
    bit<1> marks;
    bit<1> p4_law;

    action set_codel(bit<32> target, bit<32> interval, bit<1> ecn) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = 0;
        marks = ecn;
        p4_law = 0;
    }

    action set_p4_codel(bit<32> target, bit<32> interval, bit<1> ecn) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = 0;
        marks = ecn;
        p4_law = 1;
    }

    table codel {
        key = { istd.egress_port : exact; }
        actions = { set_codel; set_p4_codel; }
        default_action = set_codel(5000, 100000, 0);
        size = 512;
    }

    apply {
        bit<32> port = (PortIdUint_t) istd.egress_port;
        TimestampUint_t now = (TimestampUint_t) istd.egress_timestamp;
        bit<32> delay = (bit<32>) (now - (TimestampUint_t) meta.bridge.arrival);
        codel.apply();
        bool signal;
        if (p4_law == 1) {
            p4_controlled_delay.apply(port, (bit<48>) now, delay, settings, signal);
        } else {
            controlled_delay.apply(port, (bit<48>) now, delay, BACKLOG_UNKNOWN, settings, signal);
        }
        if (signal) {
            bool marked = false;
            if (marks == 1 && hdr.ipv4.isValid()) {
                marked = mark_ce(hdr.ipv4.ecn);
            } else if (marks == 1 && hdr.ipv6.isValid()) {
                marked = mark_ce(hdr.ipv6.ecn);
            }
            if (!marked) {
                egress_drop(ostd);
            }
        }
    }
}

PSA_Switch(
    IngressPipeline(IngressPackets(), Ingress(), IngressPacketsOut()),
    PacketReplicationEngine(),
    EgressPipeline(EgressPackets(), Egress(), EgressPacketsOut()),
    BufferingQueueingEngine()
) main;
