// PSA 1.2, "Incremental checksum" and "Implementation of the InternetChecksum extern": check in the parser, update by difference
// in the deparser, and a state that goes from one block to another.

#include <core.p4>
#include <psa.p4>

error { Sum }

header data_t {
    bit<16> address;
    bit<16> more;
    bit<16> sum;
    bit<16> seen;
}

struct headers_t { data_t data; }

struct meta_t {
    bit<16> before;
    bit<16> state;
}

struct empty_t {}

parser P(packet_in b, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd,
         in empty_t resubmit_meta, in empty_t recirculate_meta) {
    InternetChecksum() ck;

    state start {
        b.extract(hdr.data);
        ck.clear();
        ck.add({ hdr.data.address, hdr.data.more });
        ck.add(hdr.data.sum);
        ck.add(b.lookahead<bit<32>>());
        meta.state = ck.get_state();
        verify(ck.get() == 0, error.Sum);
        transition accept;
    }
}

control C(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    apply {
        meta.before = hdr.data.address;
        hdr.data.address = 0xc0a8;
        hdr.data.seen = istd.parser_error == error.NoError ? 16w0x600d : 16w0x0bad;
        send_to_port(ostd, (PortId_t) 1);
    }
}

control D(packet_out b, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out meta_t normal_meta,
          inout headers_t hdr, in meta_t meta, in psa_ingress_output_metadata_t istd) {
    InternetChecksum() ck;

    apply {
        // RFC 1624: the sum without the old address, with the new one; the payload is not needed.
        ck.set_state(~hdr.data.sum);
        ck.subtract(meta.before);
        ck.add(hdr.data.address);
        hdr.data.sum = ck.get();
        normal_meta = meta;
        b.emit(hdr);
    }
}

parser EP(packet_in b, out headers_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
          in meta_t normal_meta, in empty_t clone_i2e_meta, in empty_t clone_e2e_meta) {
    InternetChecksum() ck;

    state start {
        b.extract(hdr.data);
        ck.set_state(normal_meta.state);
        ck.subtract({ normal_meta.before });
        ck.add(hdr.data.address);
        transition accept;
    }
}

control EC(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) {
    apply {}
}

control ED(packet_out b, out empty_t clone_e2e_meta, out empty_t recirculate_meta, inout headers_t hdr, in empty_t meta,
           in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply { b.emit(hdr); }
}

PSA_Switch(
    IngressPipeline(P(), C(), D()),
    PacketReplicationEngine(),
    EgressPipeline(EP(), EC(), ED()),
    BufferingQueueingEngine()
) main;
