// Octopus: drops messages that a newer message of their stream made superfluous. Chen, Tahir, Mittal, In-Network Content
// Adaptation, Algorithm 2. The labels are described in docs/octopus-wire.md.
//
// The decision is made at egress, when a message's first packet leaves the queue, and must consider droppers that are
// still behind it in the queue. Therefore ingress clones the tail of each dropper; the clone, sent at a high priority,
// overtakes the queue, writes the dropper to a table at egress, and ends. A message is dropped if the table has a newer
// dropper with a threshold up to the message's priority. The decision applies to the rest of the message (the current
// drop), and to late packets of the seven messages before.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   sessions     `mirroring_add 101 1 priority=1`: session 100 + P gets the clones of packets for port P, and sends them to
//                that port in a traffic manager with two queues per port: other packets have priority 0. BMv2 gives clones
//                priority 0, the lowest, so that they queue behind the packets that they refer to: nothing is dropped there.
//   parameters   `table_set_default octopus set_octopus BANDWIDTH SLACK`, or `table_add octopus set_octopus PORT => ...`:
//                kbit/s of the port, 0 for the rate that the data plane measures; 1: a message is only dropped after it has
//                waited for its slack
//
// Algorithm 2 has a dequeueRate() of its target. v1model has none; Jettison's extension jettison_dequeue_rate is one: the
// rate at which the port sent in the last 50 ms, without the time in which nothing waited. With another v1model, as BMv2's,
// the measured rate is unknown, which counts as unlimited.
//
// Native twin: kind = "octopus" (slack as here). Identical for each packet if messages with a bitrate_threshold have the
// port for themselves (one stream, no other traffic), streams do not collide (at most 1024 at a time; two streams with the
// same index overwrite each other's state, and drop less), no message number of a stream is missing, and no dropper's tail
// finds its queue full (its clone still reports it). Not in P4: the max-min share of each stream, and
// `whole_message_only`.

#define V1MODEL_VERSION 20200408
#define WITH_TRANSPORT
#define WITH_OCTOPUS
#include <core.p4>
#include <v1model.p4>
#include "lib/headers.p4"

#include "lib/octopus.p4"

const bit<32> SESSIONS = 100;

struct headers_t {
    ethernet_t         ethernet;
    ipv4_t             ipv4;
    ipv6_t             ipv6;
    udp_t              udp;
    tcp_t              tcp;
    octopus_datagram_t octopus;
}

struct metadata_t {}

#include "lib/parser.p4"
#include "lib/checksum.p4"
#include "lib/forwarding.p4"
#include "lib/octopus_verdict.p4"

// Rate of the port in kbit/s, all ones if it is unknown.
bit<32> dequeue_rate(in standard_metadata_t standard_metadata) {
#ifdef JETTISON_V1MODEL
    return standard_metadata.jettison_dequeue_rate;
#else
    return 0xffffffff;
#endif
}

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;

    apply {
        forwarding.apply(hdr, standard_metadata);
        if (standard_metadata.egress_spec != DROP_PORT && hdr.octopus.isValid()
            && hdr.octopus.position[1:1] == 1 && hdr.octopus.drop_flag == 1) {
            clone(CloneType.I2E, SESSIONS + (bit<32>) standard_metadata.egress_spec);
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    OctopusVerdict() verdict;
    bit<24> bandwidth;
    bit<1> waits;

    action set_octopus(bit<24> kbit, bit<1> slack) {
        bandwidth = kbit;
        waits = slack;
    }

    table octopus {
        key = { standard_metadata.egress_port : exact; }
        actions = { set_octopus; }
        default_action = set_octopus(0, 0);
        size = 512;
    }

    apply {
        bit<1> superfluous = 0;
        if (hdr.octopus.isValid()) {
            octopus.apply();
            bit<32> available = bandwidth != 0 ? (bit<32>) bandwidth : dequeue_rate(standard_metadata);
            verdict.apply(hdr, standard_metadata.instance_type == INGRESS_CLONE, available,
                          standard_metadata.deq_timedelta, waits, superfluous);
        }
        if (superfluous == 1 || standard_metadata.instance_type == INGRESS_CLONE) {
            mark_to_drop(standard_metadata);
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
