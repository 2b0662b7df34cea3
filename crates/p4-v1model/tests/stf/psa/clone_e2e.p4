// PSA 1.2, "Packet Cloning": an egress clone is the packet as the egress deparser left it, truncated, with clone_e2e_meta. It
// is made even if the packet is dropped. Session 0 goes to the controller (PSA_CLONE_SESSION_TO_CPU).

struct bridge_t { bit<8> x; }
#define CE2EM bridge_t
#define EM bridge_t
#include "parts/plain.p4"

control Send(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply { send_to_port(ostd, (PortId_t) 1); }
}

parser Parser(packet_in b, out headers_t hdr, inout bridge_t meta, in psa_egress_parser_input_metadata_t istd,
              in empty_t normal_meta, in empty_t clone_i2e_meta, in bridge_t clone_e2e_meta) {
    state start {
        b.extract(hdr.h);
        meta.x = clone_e2e_meta.x;
        transition accept;
    }
}

control Clone(inout headers_t hdr, inout bridge_t meta, in psa_egress_input_metadata_t istd,
              inout psa_egress_output_metadata_t ostd) {
    apply {
        if (istd.packet_path == PSA_PacketPath_t.CLONE_E2E) {
            hdr.h.c = meta.x;
        } else {
            ostd.clone = true;
            ostd.clone_session_id = (CloneSessionId_t) (CloneSessionIdUint_t) hdr.h.op;
            hdr.h.a = 0xaa;
            meta.x = hdr.h.op + 0x40;
            if (hdr.h.b == 0xdd) {
                egress_drop(ostd);
            }
        }
    }
}

control Deparser(packet_out b, out bridge_t clone_e2e_meta, out empty_t recirculate_meta, inout headers_t hdr,
                 in bridge_t meta, in psa_egress_output_metadata_t istd,
                 in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        if (psa_clone_e2e(istd)) {
            clone_e2e_meta = meta;
        }
        b.emit(hdr.h);
    }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), Send(), PlainIngressDeparser()),
    PacketReplicationEngine(),
    EgressPipeline(Parser(), Clone(), Deparser()),
    BufferingQueueingEngine()
) main;
