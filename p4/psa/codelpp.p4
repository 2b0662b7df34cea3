// CoDel++ (Doan, Scheinert, Nguyen, Fitzek et al., Interplay between priority queues and controlled delay in programmable data
// planes) in PSA, by delay: slices, strict priorities, CoDel at egress, and feedback from egress to ingress.
//
// PSA has no queue depth, and ingress cannot read what egress writes. So a slice's threshold is a delay. A packet that left its
// queue later than that by x µs sends a clone to ingress, through PSA_PORT_RECIRCULATE, and for x µs ingress drops what is for
// that queue: as long as the queue needs to come down to the threshold. Further packets report only after that time.
//
// Control plane:
//   slices       `table_add source_slice set_slice 10.0.1.0/24 => 1`; other sources have slice 0. IPv4 only.
//   priorities   `table_add slice_priority set_priority 1 => 2 20000`: the class of service, of which the highest number is
//                served first, and the delay in µs above which arrivals are dropped (4294967295: never). Slices without an
//                entry: `table_set_default slice_priority set_priority 0 40000`
//   ports        `table_add ipv4_lpm send 10.1.0.0/16 => 3`; for packets with a route, `table_add slice_port send 1 0 => 3`
//                (slice, ingress port, egress port) takes precedence
//   session      `mirroring_add 1 PSA_PORT_RECIRCULATE truncate=64`: without it there is no feedback
//   parameters   `table_set_default codel set_codel TARGET INTERVAL ON PORT_STATE`, or `table_add codel set_codel PORT => ...`:
//                µs, µs; whether CoDel is enabled; state per queue (0) or per port (1); or `set_p4_codel TARGET INTERVAL
//                PORT_STATE` for P4-CoDel's law
//
// Native twin: kind = "codel++", clock = "1 us", control_law = "p4-codel" with set_p4_codel and without thresholds: identical for
// each packet. Thresholds of the native twin are depths. With set_codel, the differences are those of psa/codel.p4.

#include <core.p4>
#include <psa.p4>
#include "../lib/headers.p4"

const CloneSessionId_t TO_INGRESS = (CloneSessionId_t) 1;
const bit<32> BACKLOG_UNKNOWN = 0xffffffff;
const bit<32> QUEUES = 4096;  // 512 ports with 8 classes

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct bridge_t {
    Timestamp_t arrival;
    bit<32>     queue;      // port and class
    bit<32>     threshold;  // µs
}

struct report_t {
    bit<32> queue;
    bit<32> excess;         // µs above the threshold
}

#include "lib/blocks.p4"
#include "lib/forwarding.p4"
#include "../lib/codel.p4"
#include "../lib/p4_codel.p4"

control Ingress(inout headers_t hdr, inout metadata_t meta, in psa_ingress_input_metadata_t istd,
                inout psa_ingress_output_metadata_t ostd) {
    Forwarding() forwarding;
    Register<TimestampUint_t, bit<32>>(QUEUES) closed_until;
    bit<16> slice;
    ClassOfServiceUint_t class;

    action set_slice(bit<16> number) {
        slice = number;
    }

    table source_slice {
        key = { hdr.ipv4.src : lpm; }
        actions = { set_slice; }
        default_action = set_slice(0);
        size = 1024;
    }

    action set_priority(ClassOfServiceUint_t priority, bit<32> delay) {
        class = priority;
        meta.bridge.threshold = delay;
    }

    table slice_priority {
        key = { slice : exact; }
        actions = { set_priority; }
        default_action = set_priority(0, 40000);
        size = 1024;
    }

    action send(PortId_t port) {
        send_to_port(ostd, port);
    }

    table slice_port {
        key = { slice : exact; istd.ingress_port : exact; }
        actions = { send; NoAction; }
        default_action = NoAction();
        size = 1024;
    }

    apply {
        TimestampUint_t now = (TimestampUint_t) istd.ingress_timestamp;
        if (istd.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            closed_until.write(meta.report.queue, now + (TimestampUint_t) meta.report.excess);
        } else {
            forwarding.apply(hdr, istd, ostd);
            slice = 0;
            if (hdr.ipv4.isValid()) {
                source_slice.apply();
            }
            slice_priority.apply();
            if (!ostd.drop) {
                slice_port.apply();
                meta.bridge.arrival = istd.ingress_timestamp;
                meta.bridge.queue = (PortIdUint_t) ostd.egress_port << 3 | (bit<32>) class;
                if (now < closed_until.read(meta.bridge.queue)) {
                    ingress_drop(ostd);
                }
                ostd.class_of_service = (ClassOfService_t) class;
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, in psa_egress_input_metadata_t istd,
               inout psa_egress_output_metadata_t ostd) {
    CoDel(QUEUES) controlled_delay;
    P4CoDel(QUEUES) p4_controlled_delay;
    Register<TimestampUint_t, bit<32>>(QUEUES) reported_until;
    codel_settings_t settings;
    bit<1> on;
    bit<1> p4_law;
    bit<1> one_state;

    action set_codel(bit<32> target, bit<32> interval, bit<1> runs, bit<1> port_state) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = 0;
        on = runs;
        p4_law = 0;
        one_state = port_state;
    }

    action set_p4_codel(bit<32> target, bit<32> interval, bit<1> port_state) {
        settings.target = target;
        settings.interval = interval;
        settings.maxpacket = 0;
        on = 1;
        p4_law = 1;
        one_state = port_state;
    }

    table codel {
        key = { istd.egress_port : exact; }
        actions = { set_codel; set_p4_codel; }
        default_action = set_codel(5000, 100000, 1, 0);
        size = 512;
    }

    apply {
        // A clone comes by here on its way to ingress.
        if (istd.packet_path != PSA_PacketPath_t.CLONE_E2E) {
            codel.apply();
            bit<32> queue = meta.bridge.queue;
            TimestampUint_t now = (TimestampUint_t) istd.egress_timestamp;
            bit<32> delay = (bit<32>) (now - (TimestampUint_t) meta.bridge.arrival);
            if (delay > meta.bridge.threshold && now >= reported_until.read(queue)) {
                meta.report.queue = queue;
                meta.report.excess = delay - meta.bridge.threshold;
                reported_until.write(queue, now + (TimestampUint_t) meta.report.excess);
                ostd.clone = true;
                ostd.clone_session_id = TO_INGRESS;
            }
            if (on == 1) {
                bit<32> of = one_state == 1 ? (PortIdUint_t) istd.egress_port : queue;
                bool signal;
                if (p4_law == 1) {
                    p4_controlled_delay.apply(of, (bit<48>) now, delay, settings, signal);
                } else {
                    controlled_delay.apply(of, (bit<48>) now, delay, BACKLOG_UNKNOWN, settings, signal);
                }
                if (signal) {
                    egress_drop(ostd);
                }
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
