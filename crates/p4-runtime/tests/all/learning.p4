// A learning switch with one of each object that a controller can read and write. Port 510 is the controller's.
#include <core.p4>
#include <v1model.p4>
typedef bit<9> port_t;
header ethernet_t { bit<48> dst; bit<48> src; bit<16> kind; }
@controller_header("packet_in") header packet_in_t { bit<9> ingress_port; @padding bit<7> pad; }
@controller_header("packet_out") header packet_out_t { bit<9> egress_port; @padding bit<7> pad; }
struct learn_t { bit<48> address; port_t port; }
struct headers_t { packet_in_t packet_in; packet_out_t packet_out; ethernet_t ethernet; }
struct metadata_t { bit<9> out_port; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {
    state start { transition select(s.ingress_port) { 510: from_controller; default: ethernet; } }
    state from_controller { packet.extract(hdr.packet_out); transition ethernet; }
    state ethernet { packet.extract(hdr.ethernet); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<2>>(MeterType.bytes) rate;
    counter(512, CounterType.packets) per_port;
    meter(16, MeterType.packets) meters;
    register<bit<48>>(16) last;
    action_selector(HashAlgorithm.crc16, 64, 14) ecmp;
    bit<2> colour;
    action forward(port_t port) { s.egress_spec = port; hits.count(); }
    action flood(bit<16> group) { s.mcast_grp = group; hits.count(); }
    action to_cpu() { s.egress_spec = 510; }
    action learn() { digest<learn_t>(1, { hdr.ethernet.src, s.ingress_port }); }
    action set_port(port_t port) { s.egress_spec = port; }
    table smac {
        key = { hdr.ethernet.src: exact; s.ingress_port: exact; }
        actions = { learn; NoAction; }
        default_action = learn();
        support_timeout = true;
        size = 4096;
    }
    table dmac {
        key = { hdr.ethernet.dst: exact; }
        actions = { forward; flood; to_cpu; }
        default_action = to_cpu();
        counters = hits;
        size = 65536;
    }
    table acl {
        key = { hdr.ethernet.kind: ternary; s.ingress_port: range; hdr.ethernet.src: optional; hdr.ethernet.dst: lpm; }
        actions = { set_port; NoAction; }
        meters = rate;
        size = 1024;
    }
    table paths {
        key = { hdr.ethernet.kind: exact; hdr.ethernet.src: selector; hdr.ethernet.dst: selector; }
        actions = { set_port; NoAction; }
        implementation = ecmp;
        size = 128;
    }
    apply {
        if (hdr.packet_out.isValid()) {
            s.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
            // Port 0 of a packet-out means the tables.
            if (s.egress_spec != 0) { exit; }
        }
        smac.apply();
        dmac.apply();
        rate.read(colour);
        acl.apply();
        paths.apply();
        per_port.count((bit<32>)s.ingress_port);
        meters.execute_meter(0, colour);
        last.write((bit<32>)s.ingress_port & 15, hdr.ethernet.src);
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {
    apply {
        if (s.egress_port == 510) { hdr.packet_in.setValid(); hdr.packet_in.ingress_port = s.ingress_port; }
    }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.packet_in); packet.emit(hdr.ethernet); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
