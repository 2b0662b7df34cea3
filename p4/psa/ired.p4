// iRED: ingress Random Early Detection (de Almeida, Matos, Pasquini, Papagianni, Verdi, CNSM 2022, Algorithms 1 and 2) in PSA,
// by delay.
//
// PSA has no queue depth. Egress averages the queueing delay of departing packets instead, which at a constant rate is the
// backlog over the rate. Between two thresholds it clones the packet with a probability, above the upper one always (Algorithm
// 1). The clone goes to PSA_PORT_RECIRCULATE and so to ingress, sets the drop flag of the port that it refers to, and ends.
// The next packet that ingress would send to that port is dropped, and the flag cleared (Algorithm 2). One clone session
// serves all ports, and no clone waits in a queue with packets.
//
// Delays are in µs; the average and the thresholds are in tenths, because P4 has no fractions. PSA's Random has constant
// bounds, 0 and 65535 here.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   session      `mirroring_add 1 PSA_PORT_RECIRCULATE truncate=64`; without it there are no clones. Truncation spares the
//                recirculation port; the clone's headers are enough.
//   parameters   `table_set_default ired set_ired MIN MAX EWMA SQUARED NUMERATOR`, or `table_add ired set_ired PORT => ...`:
//                thresholds in tenths of a µs; 0 averages with the previous packet's delay, 1 with the average so far; 0 keeps
//                the probability, 1 squares it at each packet between the thresholds; a packet is cloned if the register
//                (initially NUMERATOR, at most 65535) exceeds the random number
//
// Native twin: none by delay. At a link of constant rate with packets of one size, kind = "ired" with thresholds of as many
// packets as pass in the delay drops about as many packets, not the same ones: the depth is that at the enqueue time.

#include <core.p4>
#include <psa.p4>
#include "../lib/headers.p4"

const CloneSessionId_t TO_INGRESS = (CloneSessionId_t) 1;
const bit<32> REGISTER_FULL = 65535;

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
}

struct bridge_t {
    Timestamp_t arrival;
}

struct report_t {
    PortId_t port;  // the port that a clone refers to
}

#include "lib/blocks.p4"
#include "lib/forwarding.p4"

control Ingress(inout headers_t hdr, inout metadata_t meta, in psa_ingress_input_metadata_t istd,
                inout psa_ingress_output_metadata_t ostd) {
    Forwarding() forwarding;
    Register<bit<1>, bit<32>>(PORTS) drop_flag;

    apply {
        if (istd.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            drop_flag.write((PortIdUint_t) meta.report.port, 1);
        } else {
            forwarding.apply(hdr, istd, ostd);
            meta.bridge.arrival = istd.ingress_timestamp;
            if (!ostd.drop) {
                bit<32> port = (PortIdUint_t) ostd.egress_port;
                if (drop_flag.read(port) == 1) {
                    drop_flag.write(port, 0);
                    ingress_drop(ostd);
                }
            }
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, in psa_egress_input_metadata_t istd,
               inout psa_egress_output_metadata_t ostd) {
    Register<bit<32>, bit<32>>(PORTS) old;          // the previous delay in µs, or the average so far in tenths
    Register<bit<32>, bit<32>>(PORTS) probability;  // 0: not started, which counts as the numerator
    Random<bit<32>>(0, REGISTER_FULL) random;

    bit<32> port = (PortIdUint_t) istd.egress_port;
    bit<32> min_th;
    bit<32> max_th;
    bit<1> ewma;
    bit<1> squared;
    bit<32> numerator;
    bit<32> average;

    action set_ired(bit<32> min, bit<32> max, bit<1> is_ewma, bit<1> is_squared, bit<32> first) {
        min_th = min;
        max_th = max;
        ewma = is_ewma;
        squared = is_squared;
        numerator = first;
    }

    table ired {
        key = { istd.egress_port : exact; }
        actions = { set_ired; }
        default_action = set_ired(50000, 100000, 0, 0, 256);
        size = 512;
    }

    action average_delay() {
        bit<32> delay =
            (bit<32>) ((TimestampUint_t) istd.egress_timestamp - (TimestampUint_t) meta.bridge.arrival);
        average = old.read(port);
        if (ewma == 1) {
            average = average / 2 + delay * 5;
            old.write(port, average);
        } else {
            average = average * 5 + delay * 5;
            old.write(port, delay);
        }
    }

    action flip(out bool heads) {
        bit<32> value = numerator;
        bit<32> drawn = random.read();
        if (squared == 1) {
            value = probability.read(port);
            if (value == 0) {
                value = numerator;
            }
            bit<32> square = value * value;
            probability.write(port, square > REGISTER_FULL ? REGISTER_FULL : square);
        }
        heads = value > drawn;
    }

    apply {
        // A clone comes by here on its way to ingress.
        if (istd.packet_path != PSA_PacketPath_t.CLONE_E2E) {
            bool wanted = false;
            ired.apply();
            average_delay();
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
                meta.report.port = istd.egress_port;
                ostd.clone = true;
                ostd.clone_session_id = TO_INGRESS;
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
