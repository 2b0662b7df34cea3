// PSA 1.2, "Packet Cloning": an ingress clone is the packet as it arrived, truncated by its session, with the class of service
// and instances of the session, and clone_i2e_meta. A drop of the packet does not concern it.

struct bridge_t { bit<8> x; }
#define CI2EM bridge_t
#include "parts/plain.p4"

control Send(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply {
        ostd.clone = hdr.h.op != 0;
        ostd.clone_session_id = (CloneSessionId_t) (CloneSessionIdUint_t) hdr.h.op;
        if (hdr.h.a == 0xdd) {
            ingress_drop(ostd);
        } else {
            send_to_port(ostd, (PortId_t) 1);
        }
        hdr.h.a = 0xaa;
    }
}

control Deparser(packet_out b, out bridge_t clone_i2e_meta, out empty_t resubmit_meta, out empty_t normal_meta,
                 inout headers_t hdr, in empty_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_clone_i2e(istd)) {
            clone_i2e_meta.x = hdr.h.op + 0x40;
        }
        b.emit(hdr.h);
    }
}

parser Parser(packet_in b, out headers_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
              in empty_t normal_meta, in bridge_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    state start {
        b.extract(hdr.h);
        transition select(istd.packet_path) {
            PSA_PacketPath_t.CLONE_I2E: cloned;
            default: accept;
        }
    }
    state cloned {
        hdr.h.b = clone_i2e_meta.x;
        transition accept;
    }
}

control Read(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
             inout psa_egress_output_metadata_t ostd) {
    apply {
        if (istd.packet_path == PSA_PacketPath_t.CLONE_I2E) {
            hdr.h.c = (bit<8>) (EgressInstanceUint_t) istd.instance << 4 | (ClassOfServiceUint_t) istd.class_of_service;
        }
    }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), Send(), Deparser()),
    PacketReplicationEngine(),
    EgressPipeline(Parser(), Read(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
