// PSA 1.2, "Behavior of packets after egress processing is complete": a drop at egress.

#include "parts/plain.p4"

control Send(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply { send_to_port(ostd, (PortId_t) 2); }
}

control Drop(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
             inout psa_egress_output_metadata_t ostd) {
    apply {
        if (hdr.h.op == 1) {
            egress_drop(ostd);
        }
    }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), Send(), PlainIngressDeparser()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), Drop(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
