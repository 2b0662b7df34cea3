// PSA 1.2, "Initial values of packets processed by ingress" and "... by egress": parser_error is that of the pass's own parser. A
// parser that rejects ends; the control runs all the same.

#include "parts/plain.p4"

error { Odd }

header more_t { bit<8> x; }

struct wide_t {
    h_t    h;
    more_t more;
}

parser IngressP(packet_in b, out wide_t hdr, inout empty_t meta, in psa_ingress_parser_input_metadata_t istd,
                in empty_t resubmit_meta, in empty_t recirculate_meta) {
    state start {
        b.extract(hdr.h);
        verify(hdr.h.op != 9, error.Odd);
        transition accept;
    }
}

control Send(inout wide_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
             inout psa_ingress_output_metadata_t ostd) {
    apply {
        if (istd.parser_error == error.Odd) {
            hdr.h.a = 0x0d;
        } else if (istd.parser_error == error.PacketTooShort) {
            hdr.h = { 1, 2, 3, 4 };
        }
        send_to_port(ostd, (PortId_t) 1);
    }
}

control IngressD(packet_out b, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out empty_t normal_meta,
                 inout wide_t hdr, in empty_t meta, in psa_ingress_output_metadata_t istd) {
    apply { b.emit(hdr.h); }
}

parser EgressP(packet_in b, out wide_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
               in empty_t normal_meta, in empty_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    state start {
        b.extract(hdr.h);
        b.extract(hdr.more);
        transition accept;
    }
}

control Read(inout wide_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
             inout psa_egress_output_metadata_t ostd) {
    apply {
        if (istd.parser_error == error.PacketTooShort) {
            hdr.h.c = 0xee;
        } else if (istd.parser_error == error.NoError) {
            hdr.h.c = 0x11;
        }
    }
}

control EgressD(packet_out b, out empty_t clone_e2e_meta, out empty_t recirculate_meta, inout wide_t hdr,
                in empty_t meta, in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { b.emit(hdr); }
}

PSA_Switch(
    IngressPipeline(IngressP(), Send(), IngressD()),
    PacketReplicationEngine(),
    EgressPipeline(EgressP(), Read(), EgressD()),
    BufferingQueueingEngine()
) main;
