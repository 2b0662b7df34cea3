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

const bit<16> OCTOPUS_PORT = 4433;
const bit<8> OCTOPUS_DATA = 1;
const bit<4> OCTOPUS_VERSION = 1;
const bit<32> SESSIONS = 100;
const bit<32> STREAMS = 1024;
const bit<32> LEVELS = 8;

typedef bit<29> message_t;  // compared by serial arithmetic (RFC 1982)

// First 20 bytes of a data packet: the sequence header and the Octopus header.
header octopus_datagram_t {
    bit<8>    kind;
    bit<8>    flags;
    bit<16>   index;
    bit<32>   sequence;
    bit<4>    version;
    bit<2>    position;  // 0 first, 1 middle, 2 last, 3 solo
    message_t message;
    bit<3>    priority;
    bit<1>    drop_flag;
    bit<3>    threshold;
    bit<24>   bitrate_threshold;
    bit<9>    slack;
    bit<16>   stream;
    bit<5>    reserved;
}

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

// Rate of the port in kbit/s, all ones if it is unknown.
bit<32> dequeue_rate(in standard_metadata_t standard_metadata) {
#ifdef JETTISON_V1MODEL
    return standard_metadata.jettison_dequeue_rate;
#else
    return 0xffffffff;
#endif
}

bool is_before(in message_t a, in message_t b) {
    message_t ahead = b - a;
    return ahead != 0 && ahead < 1 << 28;
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
    // Owner of the stream's index. The state of another stream is ignored.
    register<bit<32>, bit<32>>(STREAMS) owner;
    // Newest dropper that applies to a message of this priority. Bit 29 says whether there is one.
    register<bit<30>, bit<32>>(STREAMS * LEVELS) droppers;
    // Newest decided message of the stream, with bit 29 as above, and the decisions for it (bit 0) and the seven
    // messages before: 1 means dropped.
    register<bit<30>, bit<32>>(STREAMS) judged;
    register<bit<8>, bit<32>>(STREAMS) dropped;

    bit<32> stream;
    bit<32> place;
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

    action find_stream() {
        if (hdr.ipv4.isValid()) {
            hash(stream, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv4.src, hdr.ipv4.dst, hdr.udp.src_port, hdr.udp.dst_port, hdr.octopus.stream },
                 64w0x100000000);
        } else {
            hash(stream, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv6.src, hdr.ipv6.dst, hdr.udp.src_port, hdr.udp.dst_port, hdr.octopus.stream },
                 64w0x100000000);
        }
        place = stream & (STREAMS - 1);
        bit<32> whose;
        owner.read(whose, place);
        if (whose != stream) {
            owner.write(place, stream);
            judged.write(place, 0);
            dropped.write(place, 0);
            for (bit<32> level = 0; level < LEVELS; level = level + 1) {
                droppers.write(place * LEVELS + level, 0);
            }
        }
    }

    // A dropper's tail has arrived: it applies to messages of its threshold's priority and above.
    action take_in() {
        bit<30> known;
        for (bit<32> level = (bit<32>) hdr.octopus.threshold; level < LEVELS; level = level + 1) {
            droppers.read(known, place * LEVELS + level);
            if (known[29:29] == 0 || is_before(known[28:0], hdr.octopus.message)) {
                droppers.write(place * LEVELS + level, 1w1 ++ hdr.octopus.message);
            }
        }
    }

    // Decides whether a new message is superfluous.
    action judge(out bit<1> superfluous) {
        bit<30> dropper;
        droppers.read(dropper, place * LEVELS + (bit<32>) hdr.octopus.priority);
        bit<32> available = bandwidth != 0 ? (bit<32>) bandwidth : dequeue_rate(standard_metadata);
        superfluous = 0;
        if (dropper[29:29] == 1 && is_before(hdr.octopus.message, dropper[28:0])) {
            superfluous = 1;
        } else if ((bit<32>) hdr.octopus.bitrate_threshold > available) {
            superfluous = 1;
        }
        if (waits == 1 && standard_metadata.deq_timedelta < (bit<32>) hdr.octopus.slack * 1000) {
            superfluous = 0;
        }
    }

    apply {
        if (hdr.octopus.isValid()) {
            octopus.apply();
            find_stream();
            if (standard_metadata.instance_type == INGRESS_CLONE) {
                take_in();
            } else {
                bit<30> newest;
                bit<8> drops;
                bit<1> superfluous;
                judged.read(newest, place);
                dropped.read(drops, place);
                message_t back = newest[28:0] - hdr.octopus.message;
                message_t ahead = hdr.octopus.message - newest[28:0];
                if (newest[29:29] == 1 && (ahead == 0 || is_before(hdr.octopus.message, newest[28:0]))) {
                    // Already decided, or late. For messages that are too old it is unknown whether they have begun to leave.
                    superfluous = back < 8 ? (drops >> back)[0:0] : 1w0;
                } else {
                    judge(superfluous);
                    drops = newest[29:29] == 1 && ahead < 8 ? drops << ahead : 0;
                    judged.write(place, 1w1 ++ hdr.octopus.message);
                    dropped.write(place, drops | (bit<8>) superfluous);
                }
                if (superfluous == 1) {
                    mark_to_drop(standard_metadata);
                }
            }
        }
        if (standard_metadata.instance_type == INGRESS_CLONE) {
            mark_to_drop(standard_metadata);
        }
    }
}

V1Switch(PacketParser(), VerifyIpv4(), Ingress(), Egress(), UpdateIpv4(), PacketDeparser()) main;
