//! Whole programs.

use super::declarations;

/// A typical v1model program.
const FORWARD: &str = r#"
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;
const bit<16> TYPE_IPV4 = 0x800;

header ethernet_t { mac_t dst; mac_t src; bit<16> type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> diffserv; bit<16> total; bit<16> id; bit<3> flags; bit<13> offset;
    bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst;
}
struct metadata { @field_list(1, 2) bit<8> kept; }
struct headers { ethernet_t ethernet; ipv4_t ipv4; }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t smeta) {
    state start { transition parse_ethernet; }
    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            0x86dd &&& 0xffff, default: accept;
            default: accept;
        }
    }
    state parse_ipv4 { packet.extract(hdr.ipv4); transition accept; }
}
control MyVerifyChecksum(inout headers hdr, inout metadata meta) { apply { } }
control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t smeta) {
    register<bit<32>>(1024) seen;
    counter(64, CounterType.packets_and_bytes) c;
    action drop() { mark_to_drop(smeta); }
    action forward(mac_t dst, port_t port) {
        smeta.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = dst;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    table ipv4_lpm {
        key = { hdr.ipv4.dst: lpm; }
        actions = { forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }
    apply {
        if (hdr.ipv4.isValid()) {
            switch (ipv4_lpm.apply().action_run) {
                forward: { c.count((bit<32>) smeta.egress_spec); }
                drop:
                default: { }
            }
        }
    }
}
control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t smeta) { apply { } }
control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}
control MyDeparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); packet.emit(hdr.ipv4); } }
V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
"#;

#[test]
fn a_v1model_program_is_parsed() {
    let text = FORWARD.replace("            0x86dd &&& 0xffff, default: accept;\n", "");
    let program = declarations(&text);
    assert!(program.len() > 50, "{}", program.len());
}

#[test]
fn both_versions_of_v1model_are_parsed() {
    for version in ["", "#define V1MODEL_VERSION 20180101\n", "#define V1MODEL_VERSION 20200408\n"] {
        let count = declarations(&format!("{version}#include <v1model.p4>\n")).len();
        let ports = usize::from(version.contains("2020"));
        assert_eq!(count, 51 + ports, "{version}");
    }
}
