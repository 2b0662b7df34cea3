// A switch whose controller knows ports by names, and networks by numbers of 32 bits. Port 510 is the controller's.
#include <core.p4>
#include <v1model.p4>
@p4runtime_translation("example.org/port", string) type bit<9> port_t;
@p4runtime_translation("example.org/network", bit<32>) type bit<12> network_t;
header frame_t { bit<48> dst; bit<48> src; bit<16> kind; }
header tag_t { bit<4> unused; bit<12> network; bit<16> kind; }
@controller_header("packet_in") header packet_in_t { port_t ingress_port; @padding bit<7> pad; }
@controller_header("packet_out") header packet_out_t { port_t egress_port; @padding bit<7> pad; }
struct headers_t { packet_in_t packet_in; packet_out_t packet_out; frame_t frame; tag_t tag; }
struct metadata_t { port_t port; network_t network; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {
    state start { transition select(s.ingress_port) { 510: from_controller; default: frame; } }
    state from_controller { packet.extract(hdr.packet_out); transition frame; }
    state frame {
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) { 0x8100: tag; default: accept; }
    }
    state tag { packet.extract(hdr.tag); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {
    action to_cpu() { s.egress_spec = 510; }
    action send(port_t port) { s.egress_spec = (bit<9>)port; }
    table by_port {
        key = { meta.port: exact; }
        actions = { send; to_cpu; }
        default_action = to_cpu();
    }
    table by_network {
        key = { meta.network: ternary; meta.port: optional; }
        actions = { send; NoAction; }
        default_action = NoAction();
    }
    apply {
        if (hdr.packet_out.isValid()) {
            s.egress_spec = (bit<9>)hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
            exit;
        }
        meta.port = (port_t)s.ingress_port;
        meta.network = (network_t)hdr.tag.network;
        by_port.apply();
        by_network.apply();
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {
    apply {
        if (s.egress_port == 510) { hdr.packet_in.setValid(); hdr.packet_in.ingress_port = (port_t)s.ingress_port; }
    }
}
control D(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr.packet_in); packet.emit(hdr.frame); packet.emit(hdr.tag); }
}
V1Switch(P(), V(), I(), E(), V(), D()) main;
