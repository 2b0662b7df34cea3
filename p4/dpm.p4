// RED with Drop Preference Management, within the limits of P4. Parris, Jeffay, Smith, Borgersen, NOSSDAV 1998.
//
// A drop of a tagged flow removes the flow's oldest queued packet, because its receiver needs the newest. P4 cannot
// remove packets from a queue. But the flow's oldest packet is also its next to leave: therefore ingress accepts the
// arrival and records a debt, and egress drops the flow's next packet and clears the debt. Condemned packets count as
// gone for the averages and the limit, so that RED decides on the same queue as in the paper. What the test on a logical queue
// drops is no sample of the main queue's average.
//
// Not possible in P4:
//   - Advancing: the flow's later packets keep their places, while the paper moves them up. They leave later, by at most the
//     packets between two of the flow's own in the queue; other flows leave earlier by the same amount.
//   - The staleness test: the age of the flow's oldest packet is only known at egress, where it is no longer in the queue.
//   - A random victim above the upper threshold: the packet would have to leave the middle of the queue. Here it is the arrival,
//     or the oldest packet of the arrival's flow.
//   - The other tests on a logical queue (`flow_test` other than `red`), thresholds in bytes, and separation of flows beyond a hash: two flows with the same index
//     share its logical queue, and an index keeps its average when its flow ends.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   tagged       `table_add tagged tag 46 =>`: DSCPs of the tagged flows
//   parameters   `table_set_default dpm set_dpm LIMIT FLOW_MIN FLOW_MAX FLOW_SLOPE MIN MAX SLOPE WEIGHT MAX_P S`, or
//                `table_add dpm set_dpm PORT => ...`: packets; RED parameters of the logical queues and of the main queue as
//                in red.p4. The port's queue itself must hold twice LIMIT.
//
// Native twin: kind = "red-dpm", victim = "arrival", with a `stale_age` that is never reached. Equal decisions lose the same packet. A single
// tagged flow, and traffic without tagged flows (then this is red.p4 with a limit), lose the same packets. With other
// traffic the logical queues differ by the packets that did not advance, and so may the decisions: the number of losses
// agrees within 5 %.

#define V1MODEL_VERSION 20200408
#define WITH_TRANSPORT
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

const bit<32> FLOWS = 1024;

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
    udp_t      udp;
    tcp_t      tcp;
}

struct metadata_t {
    bit<1>  tagged;
    bit<32> flow;
}

#include "lib/parser.p4"
#include "lib/checksum.p4"
#include "lib/forwarding.p4"
#include "lib/red.p4"

register<bit<32>, bit<32>>(PORTS) depth;             // packets in the port's queue
register<bit<32>, bit<32>>(PORTS) condemned;         // of these, packets that egress will drop
register<bit<48>, bit<32>>(PORTS) empty_since;       // µs: when it became empty, or was last found empty
register<bit<32>, bit<32>>(FLOWS) flow_depth;        // packets of the flow in the queue
register<bit<32>, bit<32>>(FLOWS) debt;              // of these, packets that egress will drop
register<bit<48>, bit<32>>(FLOWS) flow_empty_since;

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    Red(PORTS) main_detection;
    Red(FLOWS) flow_detection;

    bit<32> limit;
    red_settings_t main_settings;
    red_settings_t flow_settings;
    bit<6> dscp;

    action tag() {
        meta.tagged = 1;
    }

    table tagged {
        key = { dscp : exact; }
        actions = { tag; NoAction; }
        default_action = NoAction();
        size = 64;
    }

    action set_dpm(bit<32> most, bit<32> flow_min, bit<32> flow_max, bit<32> flow_slope, bit<32> min_th,
                   bit<32> max_th, bit<32> slope, bit<8> weight, bit<32> max_p, bit<32> s) {
        limit = most;
        main_settings = { min_th, max_th, weight, max_p, slope, 0, s };
        flow_settings = { flow_min, flow_max, weight, max_p, flow_slope, 0, s };
    }

    // 60 packets; 2 and 6 packets for logical queues, 5 and 15 for the main queue; 2^-9, 0.1, 500 bytes at 100 Mbit/s.
    table dpm {
        key = { standard_metadata.egress_spec : exact; }
        actions = { set_dpm; }
        default_action = set_dpm(60, 2, 6, 107374182, 5, 15, 42949673, 9, 429496730, 40000);
        size = 512;
    }

    action find_flow() {
        bit<32> ports = 0;
        if (hdr.udp.isValid()) {
            ports = hdr.udp.src_port ++ hdr.udp.dst_port;
        } else if (hdr.tcp.isValid()) {
            ports = hdr.tcp.src_port ++ hdr.tcp.dst_port;
        }
        if (hdr.ipv4.isValid()) {
            hash(meta.flow, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, ports }, FLOWS);
        } else {
            hash(meta.flow, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv6.src, hdr.ipv6.dst, hdr.ipv6.next_header, ports }, FLOWS);
        }
    }

    apply {
        forwarding.apply(hdr, standard_metadata);
        if (standard_metadata.egress_spec != DROP_PORT) {
            bit<32> port = (bit<32>) standard_metadata.egress_spec;
            bit<48> now = standard_metadata.ingress_global_timestamp;
            bit<32> queued;
            bit<32> doomed;
            bit<48> since;
            dpm.apply();
            dscp = hdr.ipv4.isValid() ? hdr.ipv4.dscp : hdr.ipv6.dscp;
            tagged.apply();

            bool drops = false;
            red_verdict_t verdict;
            bit<32> flow_queued = 0;
            bit<32> owed = 0;
            if (meta.tagged == 1) {
                find_flow();
                flow_depth.read(flow_queued, meta.flow);
                debt.read(owed, meta.flow);
                flow_empty_since.read(since, meta.flow);
                if (flow_queued == owed) {
                    flow_empty_since.write(meta.flow, now);
                }
                flow_detection.apply(meta.flow, flow_queued - owed, now - since, true, flow_settings, verdict);
                drops = verdict != RED_PASS;
            }

            depth.read(queued, port);
            condemned.read(doomed, port);
            empty_since.read(since, port);
            bit<32> remaining = queued |-| doomed;
            if (!drops) {
                if (remaining == 0) {
                    empty_since.write(port, now);
                }
                main_detection.apply(port, remaining, now - since, true, main_settings, verdict);
                drops = verdict != RED_PASS || remaining >= limit;
            }

            if (drops && flow_queued == owed) {
                // It is untagged, or the only packet of its flow.
                mark_to_drop(standard_metadata);
            } else {
                if (drops) {
                    debt.write(meta.flow, owed + 1);
                    condemned.write(port, doomed + 1);
                }
                depth.write(port, queued + 1);
                if (meta.tagged == 1) {
                    flow_depth.write(meta.flow, flow_queued + 1);
                }
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        bit<48> now = standard_metadata.egress_global_timestamp;
        bit<32> left = (bit<32>) standard_metadata.deq_qdepth;
        bit<32> doomed;
        condemned.read(doomed, port);
        depth.write(port, left);
        if (meta.tagged == 1) {
            bit<32> flow_left;
            bit<32> owed;
            flow_depth.read(flow_left, meta.flow);
            debt.read(owed, meta.flow);
            flow_left = flow_left |-| 1;
            flow_depth.write(meta.flow, flow_left);
            if (owed > 0) {
                owed = owed - 1;
                doomed = doomed |-| 1;
                debt.write(meta.flow, owed);
                condemned.write(port, doomed);
                mark_to_drop(standard_metadata);
            }
            if (flow_left == owed) {
                flow_empty_since.write(meta.flow, now);
            }
        }
        if (left == doomed) {
            empty_since.write(port, now);
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
