// PSA 1.2, "Packet Recirculation": a packet for PSA_PORT_RECIRCULATE goes through egress, and comes again as the egress deparser
// left it, with recirculate_meta. So do multicast copies and clones for that port.

struct bridge_t { bit<8> round; }
#define IM bridge_t
#define EM bridge_t
#define RECIRCM bridge_t
#include "parts/plain.p4"

parser Parser(packet_in b, out headers_t hdr, inout bridge_t meta, in psa_ingress_parser_input_metadata_t istd,
              in empty_t resubmit_meta, in bridge_t recirculate_meta) {
    state start {
        b.extract(hdr.h);
        transition select(istd.packet_path) {
            PSA_PacketPath_t.RECIRCULATE: again;
            default: accept;
        }
    }
    state again {
        meta.round = recirculate_meta.round;
        transition accept;
    }
}

control Rounds(inout headers_t hdr, inout bridge_t meta, in psa_ingress_input_metadata_t istd,
               inout psa_ingress_output_metadata_t ostd) {
    apply {
        hdr.h.a = hdr.h.a + 1;
        if (istd.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            hdr.h.b = istd.ingress_port == PSA_PORT_RECIRCULATE ? meta.round : 8w0xff;
            send_to_port(ostd, (PortId_t) 1);
        } else if (hdr.h.op == 1) {
            send_to_port(ostd, PSA_PORT_RECIRCULATE);
        } else if (hdr.h.op == 2) {
            multicast(ostd, (MulticastGroup_t) 1);
        } else if (hdr.h.op == 3 || hdr.h.op == 4) {
            // The packet as it arrived comes again; of the packet itself nothing is left.
            ostd.clone = true;
            ostd.clone_session_id = (CloneSessionId_t) (CloneSessionIdUint_t) hdr.h.op;
        } else {
            send_to_port(ostd, (PortId_t) 2);
        }
    }
}

control Count(inout headers_t hdr, inout bridge_t meta, in psa_egress_input_metadata_t istd,
              inout psa_egress_output_metadata_t ostd) {
    apply {
        hdr.h.c = hdr.h.c + 1;
        meta.round = hdr.h.op + 0x40;
        if (hdr.h.op == 5 && hdr.h.b == 0 && istd.packet_path != PSA_PacketPath_t.CLONE_E2E) {
            ostd.clone = true;
            ostd.clone_session_id = (CloneSessionId_t) 3;
        }
    }
}

control Deparser(packet_out b, out empty_t clone_e2e_meta, out bridge_t recirculate_meta, inout headers_t hdr,
                 in bridge_t meta, in psa_egress_output_metadata_t istd,
                 in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        if (psa_recirculate(istd, edstd)) {
            recirculate_meta = meta;
        }
        b.emit(hdr.h);
    }
}

PSA_Switch(
    IngressPipeline(Parser(), Rounds(), PlainIngressDeparser()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), Count(), Deparser()),
    BufferingQueueingEngine()
) main;
