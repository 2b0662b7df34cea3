// PSA 1.2, "Packet Resubmission": the packet as it arrived comes again, from the same port, with resubmit_meta. A drop comes
// first; resubmission comes before multicast and unicast.

struct bridge_t { bit<8> round; }
#define IM bridge_t
#define RESUBM bridge_t
#include "parts/plain.p4"

parser Parser(packet_in b, out headers_t hdr, inout bridge_t meta, in psa_ingress_parser_input_metadata_t istd,
              in bridge_t resubmit_meta, in empty_t recirculate_meta) {
    state start {
        b.extract(hdr.h);
        transition select(istd.packet_path) {
            PSA_PacketPath_t.RESUBMIT: again;
            default: accept;
        }
    }
    state again {
        meta.round = resubmit_meta.round;
        transition accept;
    }
}

control Rounds(inout headers_t hdr, inout bridge_t meta, in psa_ingress_input_metadata_t istd,
               inout psa_ingress_output_metadata_t ostd) {
    apply {
        hdr.h.a = hdr.h.a + 1;  // a resubmission undoes it
        multicast(ostd, (MulticastGroup_t) 1);
        send_to_port(ostd, (PortId_t) 1);
        if (meta.round < hdr.h.op) {
            ostd.resubmit = true;
            ostd.multicast_group = (MulticastGroup_t) 1;
        }
        hdr.h.b = meta.round;
        hdr.h.c = (bit<8>) (PortIdUint_t) istd.ingress_port
            + (istd.packet_path == PSA_PacketPath_t.RESUBMIT ? 8w0x10 : 8w0);
        if (hdr.h.op == 9) {
            ingress_drop(ostd);
        }
    }
}

control Deparser(packet_out b, out empty_t clone_i2e_meta, out bridge_t resubmit_meta, out empty_t normal_meta,
                 inout headers_t hdr, in bridge_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_resubmit(istd)) {
            resubmit_meta.round = meta.round + 1;
        }
        b.emit(hdr.h);
    }
}

PSA_Switch(
    IngressPipeline(Parser(), Rounds(), Deparser()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), PlainEgress(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
