// CoDel++: slices, strict priorities, CoDel at egress, and feedback from egress to ingress. Doan, Scheinert, Nguyen,
// Fitzek et al., Interplay between priority queues and controlled delay in programmable data planes.
//
// Ingress looks up a packet's slice by its source, the slice's priority and threshold, and the egress port by slice and
// ingress port (three tables). It drops the packet if the last reported depth of its queue exceeds the threshold. Egress
// writes the queue's depth and delay to registers that ingress reads, and runs CoDel.
//
// Control plane:
//   slices       `table_add source_slice set_slice 10.0.1.0/24 => 1`; other sources have slice 0. IPv4 only.
//   priorities   `table_add slice_priority set_priority 1 => 2 64`: v1model's priority, of which the highest number is served
//                first, and the depth in packets above which arrivals are dropped (524287: never). Slices without an entry:
//                `table_set_default slice_priority set_priority 0 64`. A port must have as many queues as there are
//                priorities.
//   ports        `table_add ipv4_lpm send 10.1.0.0/16 => 3`, as in the other programs; for packets with a route,
//                `table_add slice_port send 1 0 => 3` (slice, ingress port, egress port) takes precedence
//   parameters   `table_set_default codel set_codel TARGET INTERVAL MAXPACKET ON PORT_STATE FROM_PARSER`, or `table_add
//                codel set_codel PORT => ...`: µs, µs, bytes (IP); whether CoDel is enabled; state per queue (0) or per port
//                (1); delay measured from the queue (0) or from the parser (1); or `set_p4_codel TARGET INTERVAL PORT_STATE
//                FROM_PARSER` for P4-CoDel's law (lib/p4_codel.p4)
//
// Native twin: kind = "codel++", clock = "1 us", control_law = "table" or, with set_p4_codel, "p4-codel", and the same tables
// (native priority p of n is n - 1 - p here), and depth = "queue". Identical for each packet except for overflowing queues as in codel.p4. With FROM_PARSER the delay
// excludes the time before v1model's timestamp.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

const bit<32> QUEUES = 4096;  // 512 ports with 8 priorities

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct metadata_t {
    bit<16> slice;
    bit<3>  priority;
    bit<32> queued;  // bytes queued for the queue up to and including this packet
}

#include "lib/parser.p4"
#include "lib/checksum.p4"
#include "lib/forwarding.p4"
#include "lib/codel.p4"
#include "lib/p4_codel.p4"

// State of each queue reported by egress.
register<bit<19>, bit<32>>(QUEUES) queue_depth;  // packets left behind by the last departure
register<bit<32>, bit<32>>(QUEUES) queue_delay;  // its sojourn time in µs
register<bit<32>, bit<32>>(QUEUES) queued_bytes;

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    bit<19> threshold;

    action set_slice(bit<16> slice) {
        meta.slice = slice;
    }

    table source_slice {
        key = { hdr.ipv4.src : lpm; }
        actions = { set_slice; }
        default_action = set_slice(0);
        size = 1024;
    }

    action set_priority(bit<3> priority, bit<19> depth) {
        meta.priority = priority;
        threshold = depth;
    }

    table slice_priority {
        key = { meta.slice : exact; }
        actions = { set_priority; }
        default_action = set_priority(0, 64);
        size = 1024;
    }

    action send(port_t port) {
        standard_metadata.egress_spec = port;
    }

    table slice_port {
        key = { meta.slice : exact; standard_metadata.ingress_port : exact; }
        actions = { send; NoAction; }
        default_action = NoAction();
        size = 1024;
    }

    apply {
        forwarding.apply(hdr, standard_metadata);
        if (hdr.ipv4.isValid()) {
            source_slice.apply();
        }
        slice_priority.apply();
        if (standard_metadata.egress_spec != DROP_PORT) {
            slice_port.apply();
            bit<32> queue = (bit<32>) (standard_metadata.egress_spec ++ meta.priority);
            bit<19> depth;
            queue_depth.read(depth, queue);
            if (depth > threshold) {
                mark_to_drop(standard_metadata);
            } else {
                standard_metadata.priority = meta.priority;
                queued_bytes.read(meta.queued, queue);
                meta.queued = meta.queued + standard_metadata.packet_length - ETHERNET_BYTES;
                queued_bytes.write(queue, meta.queued);
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    CoDel(QUEUES) controlled_delay;
    P4CoDel(QUEUES) p4_controlled_delay;
    codel_settings_t settings;
    bit<1> on;
    bit<1> p4_law;
    bit<1> one_state;
    bit<1> whole_delay;

    action set_codel(bit<32> target, bit<32> interval, bit<32> maxpacket, bit<1> runs, bit<1> port_state,
                     bit<1> from_parser) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = maxpacket;
        on = runs;
        p4_law = 0;
        one_state = port_state;
        whole_delay = from_parser;
    }

    action set_p4_codel(bit<32> target, bit<32> interval, bit<1> port_state, bit<1> from_parser) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = 0;
        on = 1;
        p4_law = 1;
        one_state = port_state;
        whole_delay = from_parser;
    }

    table codel {
        key = { standard_metadata.egress_port : exact; }
        actions = { set_codel; set_p4_codel; }
        default_action = set_codel(5000, 100000, 1514, 1, 0, 0);
        size = 512;
    }

    apply {
        codel.apply();
        bit<32> queue = (bit<32>) (standard_metadata.egress_port ++ meta.priority);
        bit<32> delay = standard_metadata.deq_timedelta;
        if (whole_delay == 1) {
            delay = (bit<32>) (standard_metadata.egress_global_timestamp
                               - standard_metadata.ingress_global_timestamp);
        }
        queue_depth.write(queue, standard_metadata.deq_qdepth);
        queue_delay.write(queue, delay);
        if (on == 1) {
            bit<32> backlog = 0;
            if (standard_metadata.deq_qdepth != 0) {
                queued_bytes.read(backlog, queue);
                backlog = backlog - meta.queued;
            }
            bit<32> of = one_state == 1 ? (bit<32>) standard_metadata.egress_port : queue;
            bool signal;
            if (p4_law == 1) {
                p4_controlled_delay.apply(of, standard_metadata.egress_global_timestamp, delay, settings, signal);
            } else {
                controlled_delay.apply(of, standard_metadata.egress_global_timestamp, delay, backlog, settings, signal);
            }
            if (signal) {
                mark_to_drop(standard_metadata);
            }
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
