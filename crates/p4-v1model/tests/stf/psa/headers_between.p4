// PSA 1.2, "Initial packet contents for normal packets": what the ingress deparser does not emit is lost; egress parses what it
// did emit. The two halves may have headers of their own.

#include "parts/plain.p4"

header tag_t { bit<16> value; }

struct tagged_t {
    tag_t tag;
    h_t   h;
}

control Send(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply {
        if (hdr.h.op == 2) {
            hdr.h.setInvalid();
        }
        send_to_port(ostd, (PortId_t) 1);
    }
}

control Deparser(packet_out b, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out empty_t normal_meta,
                 inout headers_t hdr, in empty_t meta, in psa_ingress_output_metadata_t istd) {
    tag_t tag;
    apply {
        tag.setValid();
        tag.value = 0xbeef;
        b.emit(tag);
        b.emit(hdr.h);
    }
}

parser Parser(packet_in b, out tagged_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
              in empty_t normal_meta, in empty_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    state start {
        b.extract(hdr.tag);
        b.extract(hdr.h);
        transition accept;
    }
}

control Swap(inout tagged_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
             inout psa_egress_output_metadata_t ostd) {
    apply {
        hdr.tag.value = hdr.tag.value + 1;
    }
}

control EgressD(packet_out b, out empty_t clone_e2e_meta, out empty_t recirculate_meta, inout tagged_t hdr,
                in empty_t meta, in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { b.emit(hdr); }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), Send(), Deparser()),
    PacketReplicationEngine(),
    EgressPipeline(Parser(), Swap(), EgressD()),
    BufferingQueueingEngine()
) main;
