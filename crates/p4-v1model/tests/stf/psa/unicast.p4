// PSA 1.2, "Behavior of packets after ingress processing is complete": drop first, then unicast to a port that exists; and
// "Initial values of packets processed by egress", columns NU and NTP.

#include "parts/plain.p4"

control Send(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply {
        if (hdr.h.op == 1) {
            send_to_port(ostd, (PortId_t) (PortIdUint_t) hdr.h.a);
        } else if (hdr.h.op == 2) {
            send_to_port(ostd, (PortId_t) 1);
            ingress_drop(ostd);
        } else if (hdr.h.op == 3) {
            send_to_port(ostd, (PortId_t) 0xffff);
        } else if (hdr.h.op == 4) {
            send_to_port(ostd, PSA_PORT_CPU);
        } else if (hdr.h.op == 5) {
            ostd.class_of_service = (ClassOfService_t) hdr.h.a;
            send_to_port(ostd, (PortId_t) 1);
        } else if (hdr.h.op == 6) {
            // What ingress reads.
            hdr.h.a = (bit<8>) (PortIdUint_t) istd.ingress_port;
            hdr.h.b = istd.packet_path == PSA_PacketPath_t.NORMAL ? 8w1 : 8w0;
            hdr.h.c = istd.parser_error == error.NoError ? 8w1 : 8w0;
            send_to_port(ostd, (PortId_t) 1);
        }
    }
}

control Read(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
             inout psa_egress_output_metadata_t ostd) {
    apply {
        if (hdr.h.op == 1) {
            hdr.h.b = (bit<8>) (PortIdUint_t) istd.egress_port;
            hdr.h.c = istd.packet_path == PSA_PacketPath_t.NORMAL_UNICAST ? 8w1 : 8w0;
        } else if (hdr.h.op == 4) {
            hdr.h.b = istd.egress_port == PSA_PORT_CPU ? 8w1 : 8w0;
        } else if (hdr.h.op == 5) {
            hdr.h.b = (ClassOfServiceUint_t) istd.class_of_service;
            hdr.h.c = (bit<8>) (EgressInstanceUint_t) istd.instance;
        } else if (hdr.h.op == 7) {
            egress_drop(ostd);
        }
    }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), Send(), PlainIngressDeparser()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), Read(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
