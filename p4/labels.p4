// Labels of fixed layout in RTP header extensions: PDU set marking (3GPP TS 26.522 §4.2) and short video frame marking (RFC 9626
// §3.2) become DSCPs, by which a later queue may be chosen. IPv4 forwarding by longest prefix beside it.
//
// Read is the first element of a one-byte extension (RFC 8285 §4.2) of an RTP packet without contributing sources, in a UDP
// datagram of IPv4 without options. Other packets are forwarded unchanged, but for time to live and header checksum.
//
// Control plane:
//   routes       `table_add ipv4_lpm send 10.0.0.0/8 => 1`
//   formats      `table_add extensions pdu_set 4 =>` or `table_add extensions frame_marking 4 =>`: what the identifier 4 is
//   DSCPs        `table_add label_dscp mark 0 => 34`: that of priority 0 (highest) to 7
//
// Native twin: the classifier of the disciplines' parameter `classify`. Identical: the priorities. The stateful fields (numbers of
// messages, droppers) and the other formats, whose layout varies, are not in P4.

#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>

typedef bit<9> port_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<2> RTP_VERSION = 2;
const bit<16> ONE_BYTE_ELEMENTS = 0xbede;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header udp_t {
    bit<16> src_port;
    bit<16> dst_port;
    bit<16> length;
    bit<16> checksum;
}

// RTP, the head of its extension, and the head and first byte of the first element.
header rtp_t {
    bit<2>  version;
    bit<1>  padding;
    bit<1>  extension;
    bit<4>  sources;
    bit<1>  marker;
    bit<7>  payload_type;
    bit<16> sequence;
    bit<32> timestamp;
    bit<32> ssrc;
    bit<16> profile;
    bit<16> words;
    bit<4>  id;
    bit<4>  length;  // minus one
    bit<4>  flags;   // PDU set: E, two reserved bits, D; frame marking: S, E, I, D
    bit<4>  low;     // PDU set: PSI; frame marking: zeros
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    udp_t      udp;
    rtp_t      rtp;
}

struct metadata_t {}

parser PacketParser(packet_in packet,
                    out headers_t hdr,
                    inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4 : parse_ipv4;
            default : accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_UDP) : parse_udp;
            default : accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.length) {
            0 .. 25 : accept;
            default : look_for_rtp;
        }
    }

    // A datagram that is too short ends the parser with an error, which leaves the header invalid.
    state look_for_rtp {
        transition select(packet.lookahead<rtp_t>().version, packet.lookahead<rtp_t>().extension,
                          packet.lookahead<rtp_t>().sources, packet.lookahead<rtp_t>().profile) {
            (RTP_VERSION, 1, 0, ONE_BYTE_ELEMENTS) : parse_rtp;
            default : accept;
        }
    }

    state parse_rtp {
        packet.extract(hdr.rtp);
        transition accept;
    }
}

control VerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action send(port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    bit<3> priority = 0;
    bool is_labelled = false;

    // PSI 1 to 15 are priorities 0 to 7; PSI 0 is none. Lengths of 3, 5, 6 and 8 bytes.
    action pdu_set() {
        bool fits = hdr.rtp.length == 2 || hdr.rtp.length == 4 || hdr.rtp.length == 5 || hdr.rtp.length == 7;
        is_labelled = fits && hdr.rtp.low > 0;
        bit<4> importance = hdr.rtp.low - 1;
        priority = importance[3:1];
    }

    // A discardable frame has priority 1, others 0.
    action frame_marking() {
        is_labelled = hdr.rtp.length == 0 && hdr.rtp.low == 0;
        priority = 2w0 ++ hdr.rtp.flags[0:0];
    }

    action none() {}

    table extensions {
        key = { hdr.rtp.id : exact; }
        actions = { pdu_set; frame_marking; none; }
        default_action = none();
        size = 16;
    }

    action mark(bit<6> dscp) {
        hdr.ipv4.dscp = dscp;
    }

    table label_dscp {
        key = { priority : exact; }
        actions = { mark; none; }
        default_action = none();
        size = 8;
    }

    table ipv4_lpm {
        key = { hdr.ipv4.dst : lpm; }
        actions = { send; drop; }
        default_action = drop();
        size = 65536;
    }

    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.version == 4 && hdr.ipv4.ihl == 5 && hdr.ipv4.ttl > 1
            && standard_metadata.checksum_error == 0) {
            ipv4_lpm.apply();
            // RTCP has payload types 64 to 95 (RFC 5761 §4).
            if (hdr.rtp.isValid() && hdr.rtp.words > 0 && (hdr.rtp.payload_type < 64 || hdr.rtp.payload_type > 95)) {
                extensions.apply();
                if (is_labelled) {
                    label_dscp.apply();
                }
            }
        } else {
            drop();
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {}
}

control ComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(PacketParser(), VerifyChecksum(), Ingress(), Egress(), ComputeChecksum(), Deparser()) main;
