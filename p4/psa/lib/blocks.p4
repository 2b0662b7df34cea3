// The parsers and deparsers of all programs of this folder. Requires `headers_t`, and what packets carry: `bridge_t` from
// ingress to egress, `report_t` with clones and with recirculated packets. WITH_TRANSPORT and WITH_OCTOPUS as in
// ../../lib/packet_states.p4.

struct empty_t {}

struct metadata_t {
    bridge_t bridge;
    report_t report;
}

error { BadChecksum }

parser IngressPackets(packet_in packet, out headers_t hdr, inout metadata_t meta,
                      in psa_ingress_parser_input_metadata_t istd, in empty_t resubmit_meta,
                      in report_t recirculate_meta) {
    InternetChecksum() ipv4_sum;

    state start {
        transition select(istd.packet_path) {
            PSA_PacketPath_t.RECIRCULATE : parse_report;
            default : parse_ethernet;
        }
    }

    state parse_report {
        meta.report = recirculate_meta;
        transition parse_ethernet;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4 : parse_ipv4;
            ETHER_TYPE_IPV6 : parse_ipv6;
            default : accept;
        }
    }

#define IPV4_SUM ipv4_sum
#include "../../lib/packet_states.p4"
#undef IPV4_SUM
}

parser EgressPackets(packet_in packet, out headers_t hdr, inout metadata_t meta,
                     in psa_egress_parser_input_metadata_t istd, in bridge_t normal_meta, in report_t clone_i2e_meta,
                     in report_t clone_e2e_meta) {
    state start {
        transition select(istd.packet_path) {
            PSA_PacketPath_t.CLONE_I2E : parse_ingress_report;
            PSA_PacketPath_t.CLONE_E2E : parse_egress_report;
            default : parse_bridge;
        }
    }

    state parse_ingress_report {
        meta.report = clone_i2e_meta;
        transition parse_ethernet;
    }

    state parse_egress_report {
        meta.report = clone_e2e_meta;
        transition parse_ethernet;
    }

    state parse_bridge {
        meta.bridge = normal_meta;
        transition parse_ethernet;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4 : parse_ipv4;
            ETHER_TYPE_IPV6 : parse_ipv6;
            default : accept;
        }
    }

#include "../../lib/packet_states.p4"
}

control UpdateIpv4(inout headers_t hdr) {
    InternetChecksum() sum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = 0;
            sum.clear();
            sum.add(hdr.ipv4);
            hdr.ipv4.checksum = sum.get();
        }
    }
}

control IngressPacketsOut(packet_out packet, out report_t clone_i2e_meta, out empty_t resubmit_meta,
                          out bridge_t normal_meta, inout headers_t hdr, in metadata_t meta,
                          in psa_ingress_output_metadata_t istd) {
    UpdateIpv4() ipv4_checksum;

    apply {
        clone_i2e_meta = meta.report;
        normal_meta = meta.bridge;
        ipv4_checksum.apply(hdr);
        packet.emit(hdr);
    }
}

control EgressPacketsOut(packet_out packet, out report_t clone_e2e_meta, out report_t recirculate_meta,
                         inout headers_t hdr, in metadata_t meta, in psa_egress_output_metadata_t istd,
                         in psa_egress_deparser_input_metadata_t edstd) {
    UpdateIpv4() ipv4_checksum;

    apply {
        clone_e2e_meta = meta.report;
        recirculate_meta = meta.report;
        ipv4_checksum.apply(hdr);
        packet.emit(hdr);
    }
}
