// The end of a program whose control `C` at ingress is tested; the other blocks are plain.

PSA_Switch(
    IngressPipeline(PlainIngressParser(), C(), PlainIngressDeparser()),
    PacketReplicationEngine(),
    EgressPipeline(PlainEgressParser(), PlainEgress(), PlainEgressDeparser()),
    BufferingQueueingEngine()
) main;
