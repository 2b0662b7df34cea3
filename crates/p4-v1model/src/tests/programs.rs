//! Whole programs, compiled from source, on both machines.

use std::sync::Arc;

use jettison_core::{Duration, Seed, Time};
use jettison_measure::NoOutcomes;
use jettison_switch::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};
use jettison_wire::Packet;

use crate::control::parse;
use crate::testing::{bmv2, udp};
use crate::{Frames, P4Switch, SwitchPlan};
use jettison_p4_exec::Machine;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_oracle::Reference;

/// Program that routes by destination; bits of its last byte select clone, multicast, resubmit, recirculate and drop.
const ROUTER: &str = r#"
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> ether_type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> length; bit<16> id; bit<16> fragment;
    bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst;
}
header tag_t { bit<16> instance; bit<16> rid; bit<16> kept; bit<16> drawn; }
struct headers_t { ethernet_t ethernet; tag_t tag; ipv4_t ipv4; }
struct metadata_t { @field_list(1) bit<16> kept; bit<16> lost; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) { 0x88b5: tag; 0x0800: ipv4; default: accept; }
    }
    state tag { packet.extract(hdr.tag); transition ipv4; }
    state ipv4 { packet.extract(hdr.ipv4); transition accept; }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(), { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id,
            hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst }, hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(4, CounterType.packets) arrivals;
    action send(bit<9> port, bit<3> priority) { std.egress_spec = port; std.priority = priority; }
    action drop() { mark_to_drop(std); }
    table routes { key = { hdr.ipv4.dst: lpm; } actions = { send; drop; } default_action = drop(); }
    apply {
        arrivals.count((bit<32>) std.ingress_port);
        meta.lost = 7;
        if (std.checksum_error == 1) { mark_to_drop(std); return; }
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        routes.apply();
        bit<32> last = hdr.ipv4.dst & 0xff;
        meta.kept = meta.kept + 1;
        if (last & 1 == 1) { clone_preserving_field_list(CloneType.I2E, 5, 1); }
        if (last & 2 == 2 && std.instance_type == 0) { resubmit_preserving_field_list(1); }
        if (last & 4 == 4) { std.mcast_grp = 1; }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        bit<16> drawn;
        random(drawn, 0, 0xffff);
        bit<32> last = hdr.ipv4.dst & 0xff;
        if (last & 8 == 8 && std.instance_type == 0 && meta.kept < 9) {
            meta.kept = meta.kept + 10;
            clone_preserving_field_list(CloneType.E2E, 6, 1);
            recirculate_preserving_field_list(1);
        }
        if (last & 16 == 16) {
            hdr.ethernet.ether_type = 0x88b5;
            hdr.tag = { (bit<16>) std.instance_type, std.egress_rid, meta.kept, drawn };
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.length, hdr.ipv4.id,
            hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst }, hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), Verify(), Ingress(), Egress(), Compute(), Deparse()) main;
"#;

const COMMANDS: &str = "
table_add routes send 10.0.0.0/8 => 1 1
table_add routes send 10.1.0.0/16 => 2 0
mirroring_add 5 3
mirroring_add_mc 6 1
mc_mgrp_create 1
mc_node_create 40 1 3
mc_node_create 41 2
mc_node_associate 1 0
mc_node_associate 1 1
";

fn compiled() -> (Arc<Program>, Vec<crate::control::Command>) {
    let mut sources = Sources::default();
    let main = sources.add("router.p4", ROUTER);
    let compiled =
        jettison_p4_front::compile(&mut sources, main, &jettison_p4_front::syntax::Options::default());
    let (program, _) = compiled.unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| error.render(&sources, false)).collect::<String>())
    });
    let file = sources.add("router.commands", COMMANDS);
    let commands = parse(&sources, file, &program).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| error.render(&sources, false)).collect::<String>())
    });
    (Arc::new(program), commands.into_iter().map(|located| located.command).collect())
}

fn switch<M: Machine + Send>(machine: impl FnOnce(Arc<Program>) -> M, frames: Frames) -> P4Switch<M> {
    let (program, commands) = compiled();
    let stream = |name: &str| Seed(7).stream(&["switch", name]);
    let mut plan = SwitchPlan::new(
        program.clone(),
        (0..4).map(|_| bmv2(2, 16)).collect(),
        stream("ingress"),
        ["0", "1", "2", "3"].map(stream).into(),
    );
    plan.frames = frames;
    plan.commands = commands.into_iter().map(|command| (Time::ZERO, command)).collect();
    plan.build(machine(program)).expect("the commands are right")
}

struct Deaf(NoOutcomes);
impl PortOutcomes for Deaf {
    fn at(&mut self, _: Option<Port>) -> &mut dyn jettison_measure::Outcomes {
        &mut self.0
    }
    fn offered(&mut self, _: Port, _: &Packet, _: Time) {}
}

/// Frames that leave each port for packets to these addresses.
fn run<M: Machine + Send>(mut switch: P4Switch<M>, addresses: &[[u8; 4]]) -> Vec<(u16, Vec<u8>)> {
    let (mut pending, mut sent, mut now) = (Vec::new(), Vec::new(), Time::from_micros(1));
    let mut sink = Deaf(NoOutcomes);
    for (number, [a, b, c, d]) in addresses.iter().enumerate() {
        let mut packet = udp(usize::from(*c) * 4);
        packet.meta.id = number as u32;
        if let Some(headers) = packet.headers_mut() {
            headers.dst = jettison_wire::Address::v4(*a, *b, *c, *d);
        }
        let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
        switch.handle_packet(Port(number as u16 % 4), packet, now, &mut out);
        now += Duration::from_micros(u64::from(*d));
        for round in 0..3 {
            let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
            switch.handle_wakeup(now, &mut out);
            for port in 0..4 {
                while round > 0
                    && let Some(departure) = switch.poll_transmit(Port(port), now, &mut out)
                {
                    if let Departure::Transmit(packet) = departure {
                        sent.push((port, crate::testing::image(&packet)));
                    }
                }
            }
            now += Duration::from_micros(2);
        }
    }
    let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
    switch.handle_wakeup(now + Duration::from_millis(1), &mut out);
    let counted: u64 = (0..4)
        .map(|port| switch.plane().objects.counter(jettison_p4_front::ir::ExternId(0)).packets(port))
        .sum();
    assert!(counted >= addresses.len() as u64);
    sent
}

#[test]
fn both_machines_make_the_same_switch() {
    let addresses: Vec<[u8; 4]> =
        (0..=255u8).map(|n| [if n % 7 == 6 { 11 } else { 10 }, n & 1, n.wrapping_mul(37), n]).collect();
    for frames in [Frames::Modelled, Frames::Raw] {
        let reference = run(switch(Reference::new, frames), &addresses);
        let compiled = run(switch(Compiled::new, frames), &addresses);
        assert_eq!(reference.len(), compiled.len());
        for (at, (expected, found)) in reference.iter().zip(&compiled).enumerate() {
            assert_eq!(expected, found, "packet {at}");
        }
        assert!(compiled.len() > 500, "{}", compiled.len());
    }
}

#[test]
fn a_routed_packet_has_a_decremented_hop_limit_and_a_correct_checksum() {
    let sent = run(switch(Compiled::new, Frames::Modelled), &[[10, 1, 1, 32], [11, 0, 0, 32]]);
    let [(2, bytes)] = &sent[..] else { panic!("one packet at port 2: {sent:?}") };
    let mut expected = udp(4);
    expected.meta.id = 0;
    expected.meta.hop_limit -= 1;
    if let Some(headers) = expected.headers_mut() {
        headers.dst = jettison_wire::Address::v4(10, 1, 1, 32);
    }
    assert_eq!(*bytes, crate::testing::image(&expected));
}

#[test]
fn clones_replicas_and_recirculated_packets_have_their_instance_types() {
    // 16: the packet is tagged with its instance type; 16 + n: with a further action.
    let tags = |last: u8| -> Vec<(u16, [u16; 3])> {
        let sent = run(switch(Compiled::new, Frames::Modelled), &[[10, 1, 1, last]]);
        let word = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[14 + at], bytes[15 + at]]);
        let mut tags: Vec<_> =
            sent.iter().map(|(port, bytes)| (*port, [0, 2, 4].map(|at| word(bytes, at)))).collect();
        tags.sort_unstable();
        tags
    };
    // (port, [instance_type, egress_rid, kept])
    assert_eq!(tags(16), [(2, [0, 0, 1])]);
    assert_eq!(
        tags(16 + 1),
        [(2, [0, 0, 1]), (3, [1, 0, 1])],
        "an ingress clone preserves the value at the end of ingress"
    );
    assert_eq!(tags(16 + 2), [(2, [0, 0, 2])], "resubmitted once, and normal at egress");
    assert_eq!(tags(16 + 4), [(1, [5, 40, 1]), (2, [5, 41, 1]), (3, [5, 40, 1])]);
    // An egress clone to the group; the packet itself is recirculated, and egress rewrites its tag.
    let clones = [(1, [2, 40, 11]), (2, [0, 0, 12]), (2, [2, 41, 11]), (3, [2, 40, 11])];
    assert_eq!(tags(16 + 8), clones);
}
