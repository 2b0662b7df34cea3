// PSA 1.2, "Multicast replication": one copy for each pair of port and instance, all with the same class of service and
// normal_meta. Drop comes first, then resubmission; multicast comes before unicast.

struct bridge_t { bit<8> x; }
#define IM bridge_t
#define NM bridge_t
#include "parts/plain.p4"

control Send(inout headers_t hdr, inout bridge_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply {
        meta.x = hdr.h.a;
        ostd.class_of_service = (ClassOfService_t) 2;
        send_to_port(ostd, (PortId_t) 1);
        if (hdr.h.op != 0) {
            multicast(ostd, (MulticastGroup_t) (MulticastGroupUint_t) hdr.h.op);
        }
        if (hdr.h.op == 8) {
            ingress_drop(ostd);
        }
        if (hdr.h.op == 7) {
            ostd.multicast_group = (MulticastGroup_t) 0x10005;
        }
    }
}

control Deparser(packet_out b, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out bridge_t normal_meta,
                 inout headers_t hdr, in bridge_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_normal(istd)) {
            normal_meta.x = meta.x + 1;
        }
        b.emit(hdr.h);
    }
}

parser Parser(packet_in b, out headers_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
              in bridge_t normal_meta, in empty_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    state start {
        b.extract(hdr.h);
        hdr.h.a = normal_meta.x;
        transition accept;
    }
}

control Read(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
             inout psa_egress_output_metadata_t ostd) {
    apply {
        hdr.h.b = (bit<8>) (EgressInstanceUint_t) istd.instance;
        hdr.h.c = (ClassOfServiceUint_t) istd.class_of_service
            + (istd.packet_path == PSA_PacketPath_t.NORMAL_MULTICAST ? 8w0x10 : 8w0);
    }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), Send(), Deparser()),
    PacketReplicationEngine(),
    EgressPipeline(Parser(), Read(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
