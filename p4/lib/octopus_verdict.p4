// Octopus's decision for one packet at a time as it leaves its queue (Algorithm 2). Requires `headers_t` and octopus.p4.

#include "registers.p4"

bool is_before(in message_t a, in message_t b) {
    message_t ahead = b - a;
    return ahead != 0 && ahead < 1 << 28;
}

control OctopusVerdict(in headers_t hdr,
                       in bool is_report,      // a clone of a dropper's tail: it tells of the dropper
                       in bit<32> available,   // kbit/s; all ones if unknown
                       in bit<32> waited,      // µs in the queue
                       in bit<1> waits,        // whether a message is only dropped after it has waited for its slack
                       out bit<1> superfluous) {
    // Owner of the stream's index. The state of another stream is ignored.
    REGISTER(bit<32>)(STREAMS) owner;
    // Newest dropper that applies to a message of this priority. Bit 29 says whether there is one.
    REGISTER(bit<30>)(STREAMS * LEVELS) droppers;
    // Newest decided message of the stream, with bit 29 as above, and the decisions for it (bit 0) and the seven
    // messages before: 1 means dropped.
    REGISTER(bit<30>)(STREAMS) judged;
    REGISTER(bit<8>)(STREAMS) dropped;

    bit<32> stream;
    bit<32> place;

#ifdef _PSA_P4_
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
#endif

    action find_stream() {
        if (hdr.ipv4.isValid()) {
#ifdef _PSA_P4_
            stream = crc32.get_hash(
                { hdr.ipv4.src, hdr.ipv4.dst, hdr.udp.src_port, hdr.udp.dst_port, hdr.octopus.stream });
#else
            hash(stream, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv4.src, hdr.ipv4.dst, hdr.udp.src_port, hdr.udp.dst_port, hdr.octopus.stream },
                 64w0x100000000);
#endif
        } else {
#ifdef _PSA_P4_
            stream = crc32.get_hash(
                { hdr.ipv6.src, hdr.ipv6.dst, hdr.udp.src_port, hdr.udp.dst_port, hdr.octopus.stream });
#else
            hash(stream, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv6.src, hdr.ipv6.dst, hdr.udp.src_port, hdr.udp.dst_port, hdr.octopus.stream },
                 64w0x100000000);
#endif
        }
        place = stream & (STREAMS - 1);
        bit<32> whose;
        READ(owner, place, whose);
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
            READ(droppers, place * LEVELS + level, known);
            if (known[29:29] == 0 || is_before(known[28:0], hdr.octopus.message)) {
                droppers.write(place * LEVELS + level, 1w1 ++ hdr.octopus.message);
            }
        }
    }

    // Decides whether a new message is superfluous.
    action judge() {
        bit<30> dropper;
        READ(droppers, place * LEVELS + (bit<32>) hdr.octopus.priority, dropper);
        superfluous = 0;
        if (dropper[29:29] == 1 && is_before(hdr.octopus.message, dropper[28:0])) {
            superfluous = 1;
        } else if ((bit<32>) hdr.octopus.bitrate_threshold > available) {
            superfluous = 1;
        }
        if (waits == 1 && waited < (bit<32>) hdr.octopus.slack * 1000) {
            superfluous = 0;
        }
    }

    apply {
        superfluous = 0;
        find_stream();
        if (is_report) {
            take_in();
        } else {
            bit<30> newest;
            bit<8> drops;
            READ(judged, place, newest);
            READ(dropped, place, drops);
            message_t back = newest[28:0] - hdr.octopus.message;
            message_t ahead = hdr.octopus.message - newest[28:0];
            if (newest[29:29] == 1 && (ahead == 0 || is_before(hdr.octopus.message, newest[28:0]))) {
                // Already decided, or late. For messages that are too old it is unknown whether they have begun to leave.
                superfluous = back < 8 ? (drops >> back)[0:0] : 1w0;
            } else {
                judge();
                drops = newest[29:29] == 1 && ahead < 8 ? drops << ahead : 0;
                judged.write(place, 1w1 ++ hdr.octopus.message);
                dropped.write(place, drops | (bit<8>) superfluous);
            }
        }
    }
}
