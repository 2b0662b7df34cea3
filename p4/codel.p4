// CoDel (RFC 8289) at the egress of a switch: a packet that has left its queue is dropped, or marked, if the sojourn
// time has exceeded `target` for an `interval`. The intervals between drops shrink as interval / sqrt(count).
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   parameters   `table_set_default codel set_codel TARGET INTERVAL MAXPACKET ECN`, or `table_add codel set_codel PORT =>
//                ...`: µs, µs, bytes (IP), 1 to mark ECN-capable packets; or `set_p4_codel TARGET INTERVAL ECN` for P4-CoDel's
//                law (lib/p4_codel.p4)
//
// Egress knows the queue's depth in packets, not in bytes, which the RFC's MAXPACKET requires. Therefore each packet
// carries the number of bytes queued for its port up to it, and egress subtracts that from the current number. (Ingress
// and egress share that register, which BMv2 allows.)
//
// Native twin: kind = "codel", clock = "1 us", control_law = "table" or, with set_p4_codel, "p4-codel". Identical for each
// packet, with set_p4_codel in all cases. With set_codel, bytes discarded by a
// full queue count as backlog for the packets that waited at that time, so a drop may differ only if a queue overflows,
// drains to at most MAXPACKET bytes in two or more packets, and is still above target then. Times must be whole µs.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct metadata_t {
    bit<32> queued;  // bytes queued for the port up to and including this packet
}

#include "lib/parser.p4"
#include "lib/checksum.p4"
#include "lib/forwarding.p4"
#include "lib/ecn.p4"
#include "lib/codel.p4"
#include "lib/p4_codel.p4"

register<bit<32>, bit<32>>(PORTS) queued_bytes;

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    apply {
        forwarding.apply(hdr, standard_metadata);
        if (standard_metadata.egress_spec != DROP_PORT) {
            bit<32> port = (bit<32>) standard_metadata.egress_spec;
            queued_bytes.read(meta.queued, port);
            meta.queued = meta.queued + standard_metadata.packet_length - ETHERNET_BYTES;
            queued_bytes.write(port, meta.queued);
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    CoDel(PORTS) controlled_delay;
    P4CoDel(PORTS) p4_controlled_delay;
    codel_settings_t settings;
    bit<1> marks;
    bit<1> p4_law;

    action set_codel(bit<32> target, bit<32> interval, bit<32> maxpacket, bit<1> ecn) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = maxpacket;
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
        key = { standard_metadata.egress_port : exact; }
        actions = { set_codel; set_p4_codel; }
        default_action = set_codel(5000, 100000, 1514, 0);
        size = 512;
    }

    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        bit<32> backlog = 0;
        if (standard_metadata.deq_qdepth != 0) {
            queued_bytes.read(backlog, port);
            backlog = backlog - meta.queued;
        }
        codel.apply();
        bool signal;
        if (p4_law == 1) {
            p4_controlled_delay.apply(port, standard_metadata.egress_global_timestamp,
                                      standard_metadata.deq_timedelta, settings, signal);
        } else {
            controlled_delay.apply(port, standard_metadata.egress_global_timestamp, standard_metadata.deq_timedelta,
                                   backlog, settings, signal);
        }
        if (signal) {
            bool marked = false;
            if (marks == 1 && hdr.ipv4.isValid()) {
                marked = mark_ce(hdr.ipv4.ecn);
            } else if (marks == 1 && hdr.ipv6.isValid()) {
                marked = mark_ce(hdr.ipv6.ecn);
            }
            if (!marked) {
                mark_to_drop(standard_metadata);
            }
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
