// iRED: ingress Random Early Detection. De Almeida, Matos, Pasquini, Papagianni, Verdi, CNSM 2022, Algorithms 1 and 2.
//
// Egress averages the queue depth at the enqueue time of departing packets. Between two thresholds it clones the packet
// with a probability, above the upper one always (Algorithm 1). The clone is sent to ingress, sets the drop flag of the
// port that it refers to, and ends. The next packet that ingress would send to that port is dropped, and the flag
// cleared (Algorithm 2).
//
// Depths are in packets; the average and the thresholds are in tenths, because P4 has no fractions.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   sessions     `mirroring_add 101 1`: session 100 + P gets the clones for port P. To P itself, through its queue:
//                `clone_path = "through-queue"`; or to a port without a backlog, `clone_path = "direct"`. Without a
//                session there are no clones.
//   parameters   `table_set_default ired set_ired MIN MAX EWMA SQUARED NUMERATOR RANGE`, or `table_add ired set_ired
//                PORT => ...`: thresholds in tenths of a packet; 0 averages with the previous packet's depth, 1 with the
//                average so far; 0 keeps the probability, 1 squares it at each packet between the thresholds; a packet
//                is cloned if the register (initially NUMERATOR, at most 65535) exceeds a random number from 0 to RANGE.
//
// With WITH_REPORTS, the digest `queue_report_t` reports each port's queue once per REPORT_INTERVAL (microseconds), for a
// controller that sets the parameters (python/jettison/examples/threshold_loop.py).
//
// Native twin: kind = "ired" without `culprit`; MIN = 10 (buffer / 2 - n), MAX = 2 MIN. Identical for each packet: the
// arithmetic is the same, and one number is drawn from the port's stream per packet between the thresholds. A clone that
// uses another port occupies it for the clone's transmission time, which the native direct path does not model:
// identical as long as no other clone arrives in that time.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

const bit<32> SESSIONS = 100;
const bit<8> OF_CLONES = 1;
const bit<32> REGISTER_FULL = 65535;

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct metadata_t {
    @field_list(OF_CLONES)
    port_t reported;  // the port that a clone refers to
}

#include "lib/parser.p4"
#include "lib/checksum.p4"
#include "lib/forwarding.p4"
#ifdef WITH_REPORTS
#include "lib/reports.p4"
#endif

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    register<bit<1>, port_t>(PORTS) drop_flag;

    apply {
        if (standard_metadata.instance_type == RECIRCULATED) {
            drop_flag.write(meta.reported, 1);
            mark_to_drop(standard_metadata);
        } else {
            forwarding.apply(hdr, standard_metadata);
            if (standard_metadata.egress_spec != DROP_PORT) {
                port_t port = standard_metadata.egress_spec;
                bit<1> flag;
                drop_flag.read(flag, port);
                if (flag == 1) {
                    drop_flag.write(port, 0);
                    mark_to_drop(standard_metadata);
                }
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    register<bit<32>, port_t>(PORTS) old;          // the previous depth in packets, or the average so far in tenths
    register<bit<32>, port_t>(PORTS) probability;  // 0: not started, which counts as the numerator

#ifdef WITH_REPORTS
    Reports(PORTS, REPORT_INTERVAL) reports;
#endif

    port_t port = standard_metadata.egress_port;
    bit<32> min_th;
    bit<32> max_th;
    bit<1> ewma;
    bit<1> squared;
    bit<32> numerator;
    bit<32> most;
    bit<32> average;

    action set_ired(bit<32> min, bit<32> max, bit<1> is_ewma, bit<1> is_squared, bit<32> first, bit<32> largest) {
        min_th = min;
        max_th = max;
        ewma = is_ewma;
        squared = is_squared;
        numerator = first;
        most = largest;
    }

    table ired {
        key = { standard_metadata.egress_port : exact; }
        actions = { set_ired; }
        default_action = set_ired(280, 560, 0, 0, 2, 511);
        size = 512;
    }

    action average_depth() {
        bit<32> depth = (bit<32>) standard_metadata.enq_qdepth;
        old.read(average, port);
        if (ewma == 1) {
            average = average / 2 + depth * 5;
            old.write(port, average);
        } else {
            average = average * 5 + depth * 5;
            old.write(port, depth);
        }
    }

    action flip(out bool heads) {
        bit<32> value = numerator;
        bit<32> drawn;
        random(drawn, 0, most);
        if (squared == 1) {
            probability.read(value, port);
            if (value == 0) {
                value = numerator;
            }
            bit<32> square = value * value;
            probability.write(port, square > REGISTER_FULL ? REGISTER_FULL : square);
        }
        heads = value > drawn;
    }

    apply {
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            recirculate_preserving_field_list(OF_CLONES);
        } else {
            bool wanted = false;
#ifdef WITH_REPORTS
            reports.apply(standard_metadata);
#endif
            ired.apply();
            average_depth();
            if (average < min_th) {
                if (squared == 1) {
                    probability.write(port, 0);
                }
            } else if (average <= max_th) {
                flip(wanted);
            } else {
                wanted = true;
            }
            if (wanted) {
                meta.reported = standard_metadata.egress_port;
                clone_preserving_field_list(CloneType.E2E, SESSIONS + (bit<32>) port, OF_CLONES);
            }
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
