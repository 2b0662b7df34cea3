control none(inout headers hdr, inout metadata meta) {
    apply {}
}
control egress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    apply {}
}
control deparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(p(), none(), ingress(), egress(), none(), deparser()) main;
