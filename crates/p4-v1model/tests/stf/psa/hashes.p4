// PSA 1.2, "Hashes", "Checksums": values of the check string "123456789", in one call or in steps; base and maximum.

#include "parts/plain.p4"

struct check_t {
    bit<40> first;
    bit<32> second;
}

header result_t {
    bit<16> crc16;
    bit<32> crc32;
    bit<16> sum;
    bit<32> in_steps;
    bit<16> crc16_in_steps;
    bit<32> identity;
    bit<8>  based;
    bit<32> target;
}

struct results_t {
    h_t      h;
    result_t result;
}

parser P(packet_in b, out results_t hdr, inout empty_t meta, in psa_ingress_parser_input_metadata_t istd,
         in empty_t resubmit_meta, in empty_t recirculate_meta) {
    state start {
        b.extract(hdr.h);
        transition accept;
    }
}

control C(inout results_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc16;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Hash<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) ones;
    Hash<bit<32>>(PSA_HashAlgorithm_t.IDENTITY) identity;
    Hash<bit<8>>(PSA_HashAlgorithm_t.CRC16) narrow;
    Hash<bit<32>>(PSA_HashAlgorithm_t.TARGET_DEFAULT) target;

    apply {
        check_t check = { 0x3132333435, 0x36373839 };
        hdr.result.setValid();
        hdr.result.crc16 = crc16.get_hash(check);
        hdr.result.crc32 = crc32.get_hash({ check.first, check.second });
        hdr.result.sum = ones.get_hash(32w0x0001f203 ++ 32w0xf4f5f6f7);
        hdr.result.identity = identity.get_hash(24w0x123456);
        // 0xbb3d % 10 = 47933 % 10
        hdr.result.based = narrow.get_hash(8w0x20, check, 8w10);
        hdr.result.target = target.get_hash(check);
        send_to_port(ostd, (PortId_t) 1);
    }
}

control D(packet_out b, out empty_t clone_i2e_meta, out empty_t resubmit_meta, out empty_t normal_meta,
          inout results_t hdr, in empty_t meta, in psa_ingress_output_metadata_t istd) {
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) steps;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.CRC16) steps16;

    apply {
        // Without `clear`, the value begins empty for each packet.
        steps.update(40w0x3132333435);
        steps.update({ 16w0x3637, 8w0x38 });
        steps.update(8w0x39);
        hdr.result.in_steps = steps.get();
        steps16.update(8w0xff);
        steps16.clear();
        steps16.update(72w0x313233343536373839);
        hdr.result.crc16_in_steps = steps16.get();
        b.emit(hdr);
    }
}

PSA_Switch(
    IngressPipeline(P(), C(), D()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), PlainEgress(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
