// The parser of all programs. Requires `headers_t` with `ethernet`, `ipv4`, `ipv6` (with WITH_TRANSPORT also `udp`,
// `tcp`), and `metadata_t`. With WITH_OCTOPUS it also parses the Octopus headers after UDP.

parser PacketParser(packet_in packet,
                    out headers_t hdr,
                    inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4 : parse_ipv4;
            ETHER_TYPE_IPV6 : parse_ipv6;
            default : accept;
        }
    }

#include "packet_states.p4"
}
