// PI2: PI improved with a square (De Schepper, Bondarenko, Tsang, Briscoe, CoNEXT 2016; RFC 9332 appendix A). A
// proportional-integral controller adjusts p' so that the queueing delay settles at a target. Classic packets are
// dropped (or marked) if p' exceeds two random numbers, which gives its square; ECT(1) is marked with probability K p'.
//
// A data plane has no timer. The first packet that leaves after an update was due executes it: that packet was at the
// head of the queue when the update was due, so its waiting time at that time is known; if it had not arrived yet, the
// queue was empty. Updates that found an empty queue, or the same head, are executed together.
//
// Probabilities have 48 fractional bits. Gains are changes of p' per µs of delay in that unit: 1 Hz is 281474977.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   parameters   `table_set_default pi2 set_pi2 TARGET T_UPDATE ALPHA BETA K P_MAX ECN`, or `table_add pi2 set_pi2 PORT =>
//                ...`: µs; µs; gains as above; an integer; the maximum p' for Classic packets (the root of p_cmax),
//                48 fractional bits; 1 to mark ECN-capable packets
//
// Native twin: kind = "pi2", at = "dequeue", delay = "sojourn". The same numbers are drawn at the same packets. They are
// compared with a p' that is higher by at most 1 µs of ALPHA for each update since it was last 0 or 1, and 1 µs of BETA
// (arrival times are truncated to a µs): 3.1e-7 per update and 3.1e-6 with the defaults. A draw decides differently with
// that probability. The divisions by T_UPDATE, once per update, are possible in BMv2 but not in hardware.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

const bit<49> ONE = 1 << 48;
const bit<48> MOST_UPDATES = 0xffff;  // executed together: more than needed to move p' from 1 to 0

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

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    apply {
        forwarding.apply(hdr, standard_metadata);
    }
}

// A number of µs or of updates, for the arithmetic of an update.
int<64> signed(in bit<48> number) {
    return (int<64>) (bit<64>) number;
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    register<bit<49>, port_t>(PORTS) p_prime;
    register<bit<48>, port_t>(PORTS) next_update;  // µs; 0: no update so far
    register<bit<48>, port_t>(PORTS) last_delay;   // µs, at the last update

    port_t port = standard_metadata.egress_port;
    bit<48> now = standard_metadata.egress_global_timestamp;
    bit<48> target;
    bit<48> t_update;
    bit<32> alpha;
    bit<32> beta;
    bit<8> k;
    bit<49> p_max;
    bit<1> marks;
    bit<49> p;
    bit<48> due;

    action set_pi2(bit<32> delay, bit<32> interval, bit<32> integral, bit<32> proportional, bit<8> coupling,
                   bit<49> most, bit<1> ecn) {
        target = (bit<48>) delay;
        t_update = (bit<48>) interval;
        alpha = integral;
        beta = proportional;
        k = coupling;
        p_max = most;
        marks = ecn;
    }

    // 20 ms, 32 ms, 0.3125 Hz, 3.125 Hz, 2, 1/2, ECN.
    table pi2 {
        key = { standard_metadata.egress_port : exact; }
        actions = { set_pi2; }
        default_action = set_pi2(20000, 32000, 87960930, 879609302, 2, 1 << 47, 1);
        size = 512;
    }

    // Changes p' by `alpha_sum` times alpha and `beta_sum` times beta, within 0 and 1.
    action move(in int<64> alpha_sum, in int<64> beta_sum) {
        int<64> moved = (int<64>) (bit<64>) p + alpha_sum * (int<64>) (bit<64>) alpha
            + beta_sum * (int<64>) (bit<64>) beta;
        if (moved < 0) {
            p = 0;
        } else if (moved > (int<64>) (bit<64>) ONE) {
            p = ONE;
        } else {
            p = (bit<49>) (bit<64>) moved;
        }
    }

    // Executes the updates from `due` to now.
    action update() {
        bit<48> came = now - (bit<48>) standard_metadata.deq_timedelta;
        bit<48> all = (now - due) / t_update + 1;
        bit<48> found_empty = came < due ? 0 : (came - due) / t_update + 1;
        bit<48> waited = all - found_empty;
        bit<48> last;
        last_delay.read(last, port);
        bit<48> latest = due + (all - 1) * t_update;
        if (found_empty > 0) {
            if (found_empty > MOST_UPDATES) {
                found_empty = MOST_UPDATES;
            }
            move(-signed(found_empty * target), -signed(last));
            last = 0;
        }
        if (waited > 0) {
            // Delays from `came` to `latest`, one interval less for each earlier update.
            bit<48> delay = latest - came;
            bit<48> less = t_update * (waited * (waited - 1) / 2);
            move(signed(waited) * (signed(delay) - signed(target)) - signed(less), signed(delay) - signed(last));
            last = delay;
        }
        p_prime.write(port, p);
        last_delay.write(port, last);
        next_update.write(port, latest + t_update);
    }

    // True with the given probability. A certain outcome draws no number.
    action flip(in bit<64> probability, out bool heads) {
        heads = probability >= (bit<64>) ONE;
        if (probability != 0 && !heads) {
            bit<48> drawn;
            random(drawn, 0, 0xffffffffffff);
            heads = (bit<64>) drawn < probability;
        }
    }

    apply {
        pi2.apply();
        p_prime.read(p, port);
        next_update.read(due, port);
        if (due == 0) {
            due = t_update;
        }
        if (now >= due) {
            update();
        }

        bit<2> ecn = 0;
        if (marks == 1 && hdr.ipv4.isValid()) {
            ecn = hdr.ipv4.ecn;
        } else if (marks == 1 && hdr.ipv6.isValid()) {
            ecn = hdr.ipv6.ecn;
        }
        bool signal;
        if (ecn == 1) {
            flip((bit<64>) k * (bit<64>) p, signal);
        } else {
            bit<64> p_classic = (bit<64>) (p < p_max ? p : p_max);
            flip(p_classic, signal);
            if (signal) {
                flip(p_classic, signal);
            }
        }
        if (signal && ecn == 0) {
            mark_to_drop(standard_metadata);
        } else if (signal && hdr.ipv4.isValid()) {
            mark_ce(hdr.ipv4.ecn);
        } else if (signal) {
            mark_ce(hdr.ipv6.ecn);
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
