// Blocks that do nothing but parse, send and emit, for programs that test the others. A program may define the macros.

#include <core.p4>
#include <psa.p4>

header h_t {
    bit<8> op;
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct headers_t { h_t h; }

struct empty_t {}

#ifndef IM
#define IM empty_t
#endif
#ifndef EM
#define EM empty_t
#endif
#ifndef NM
#define NM empty_t
#endif
#ifndef CI2EM
#define CI2EM empty_t
#endif
#ifndef CE2EM
#define CE2EM empty_t
#endif
#ifndef RESUBM
#define RESUBM empty_t
#endif
#ifndef RECIRCM
#define RECIRCM empty_t
#endif

parser PlainIngressParser(packet_in b, out headers_t hdr, inout IM meta, in psa_ingress_parser_input_metadata_t istd,
                          in RESUBM resubmit_meta, in RECIRCM recirculate_meta) {
    state start {
        b.extract(hdr.h);
        transition accept;
    }
}

control PlainIngressDeparser(packet_out b, out CI2EM clone_i2e_meta, out RESUBM resubmit_meta, out NM normal_meta,
                             inout headers_t hdr, in IM meta, in psa_ingress_output_metadata_t istd) {
    apply { b.emit(hdr.h); }
}

parser PlainEgressParser(packet_in b, out headers_t hdr, inout EM meta, in psa_egress_parser_input_metadata_t istd,
                         in NM normal_meta, in CI2EM clone_i2e_meta, in CE2EM clone_e2e_meta) {
    state start {
        b.extract(hdr.h);
        transition accept;
    }
}

control PlainEgress(inout headers_t hdr, inout EM meta, in psa_egress_input_metadata_t istd,
                    inout psa_egress_output_metadata_t ostd) {
    apply {}
}

control PlainEgressDeparser(packet_out b, out CE2EM clone_e2e_meta, out RECIRCM recirculate_meta, inout headers_t hdr,
                            in EM meta, in psa_egress_output_metadata_t istd,
                            in psa_egress_deparser_input_metadata_t edstd) {
    apply { b.emit(hdr.h); }
}
