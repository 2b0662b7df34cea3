// RED: Random Early Detection (Floyd & Jacobson 1993; gentle: Floyd 2000). Drops, or marks, arrivals with a probability
// that grows with the average queue in packets.
//
// Ingress decides, as in the paper, and needs the current queue length. Egress writes the number of packets that each departure
// leaves behind to a register, and ingress adds the packets sent since. (They share that register, which BMv2 allows.)
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   parameters   `table_set_default red set_red MIN MAX WEIGHT MAX_P SLOPE GENTLE_SLOPE S ECN`, or `table_add red set_red
//                PORT => ...`: packets; packets; w_q = 2^-WEIGHT; probability times 2^32; MAX_P / (MAX - MIN); 0, or
//                gentle: (2^32 - MAX_P) / MAX; transmission time of a small packet in ns (500 bytes at 100 Mbit/s: 40000); 1
//                to mark ECN-capable packets, also above MAX
//
// Native twin: kind = "red", w_q = 2^-WEIGHT, s = S, thresholds in packets. The same numbers are drawn at the same
// packets. The averages differ by less than 2^(WEIGHT - 32) packets, which changes no decision in 100,000 arrivals (a
// test); after an idle time, which ends at a whole µs here, they differ by about 10^-3 packets until the queue has been
// long again. Packets that a full queue discards count as queued until the next departure. Not in P4: queues in bytes;
// `mark_above_max = false`; `victim = "random"`, since no packet can leave from the middle of a queue.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct metadata_t {}

#include "lib/parser.p4"
#include "lib/checksum.p4"
#include "lib/forwarding.p4"
#include "lib/ecn.p4"
#include "lib/red.p4"

register<bit<32>, bit<32>>(PORTS) depth;        // packets in the port's queue
register<bit<48>, bit<32>>(PORTS) empty_since;  // µs: when it became empty, or was last found empty

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    Red(PORTS) early_detection;
    red_settings_t settings;
    bit<1> marks;

    action set_red(bit<32> min_th, bit<32> max_th, bit<8> weight, bit<32> max_p, bit<32> slope,
                   bit<32> gentle_slope, bit<32> s, bit<1> ecn) {
        settings.min_th = min_th;
        settings.max_th = max_th;
        settings.weight = weight;
        settings.max_p = max_p;
        settings.slope = slope;
        settings.gentle_slope = gentle_slope;
        settings.s = s;
        marks = ecn;
    }

    // 5 and 15 packets, 2^-9, 0.02, 500 bytes at 100 Mbit/s.
    table red {
        key = { standard_metadata.egress_spec : exact; }
        actions = { set_red; }
        default_action = set_red(5, 15, 9, 85899346, 8589935, 0, 40000, 0);
        size = 512;
    }

    apply {
        forwarding.apply(hdr, standard_metadata);
        if (standard_metadata.egress_spec != DROP_PORT) {
            bit<32> port = (bit<32>) standard_metadata.egress_spec;
            bit<48> now = standard_metadata.ingress_global_timestamp;
            bit<32> waiting;
            bit<48> since;
            red_verdict_t verdict;
            depth.read(waiting, port);
            empty_since.read(since, port);
            if (waiting == 0) {
                empty_since.write(port, now);
            }
            red.apply();
            early_detection.apply(port, waiting, now - since, true, settings, verdict);
            bool goes = verdict == RED_PASS;
            if (!goes && marks == 1) {
                if (hdr.ipv4.isValid()) {
                    goes = mark_ce(hdr.ipv4.ecn);
                } else {
                    goes = mark_ce(hdr.ipv6.ecn);
                }
            }
            if (goes) {
                depth.write(port, waiting + 1);
            } else {
                mark_to_drop(standard_metadata);
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        depth.write(port, (bit<32>) standard_metadata.deq_qdepth);
        if (standard_metadata.deq_qdepth == 0) {
            empty_since.write(port, standard_metadata.egress_global_timestamp);
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
