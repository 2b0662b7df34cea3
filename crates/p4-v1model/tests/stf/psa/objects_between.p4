// Objects at the top level, in both halves, as constructor parameters, and a sub-control: allowed here, though a portable program
// keeps each object within one control (PSA 1.2, "Restrictions on where externs may be used").

#include "parts/plain.p4"

Register<bit<8>, bit<8>>(1) shared;

control Add(inout bit<8> x)(Register<bit<8>, bit<8>> register, bit<8> step) {
    apply {
        x = register.read(0) + step;
        register.write(0, x);
    }
}

control C(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    Add(shared, 1) add;

    apply {
        add.apply(hdr.h.a);
        send_to_port(ostd, (PortId_t) 1);
    }
}

control E(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
          inout psa_egress_output_metadata_t ostd) {
    Add(shared, 0x10) add;

    apply {
        add.apply(hdr.h.b);
    }
}

PSA_Switch(
    IngressPipeline(PlainIngressParser(), C(), PlainIngressDeparser()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), E(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
