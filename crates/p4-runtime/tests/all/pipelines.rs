//! Other programs on a running device (§14, `SetForwardingPipelineConfig`).

use std::sync::Arc;

use jettison_core::{DropReason, MarkReason, Seed, Time};
use jettison_measure::Outcomes;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_runtime::device::Lent;
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::runtime::*;
use jettison_p4_v1model::{Frames, SwitchPlan};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_switch::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};
use jettison_wire::Packet;

use super::support::*;

const VERIFY: i32 = 1;
const SAVE: i32 = 2;
const VERIFY_AND_COMMIT: i32 = 3;
const COMMIT: i32 = 4;
const RECONCILE: i32 = 5;

/// A switch that sends by its table, and writes a number into the last byte of an address.
fn program(number: u8, table: &str, more: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header frame_t {{ bit<48> dst; bit<48> src; bit<16> kind; }}
struct headers_t {{ frame_t frame; }}
struct metadata_t {{ }}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {{
    state start {{ packet.extract(hdr.frame); transition accept; }}
}}
control V(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {{
    {more}
    action send(bit<9> port) {{ s.egress_spec = port; }}
    action drop() {{ mark_to_drop(s); }}
    {table}
    apply {{ t.apply(); hdr.frame.src = hdr.frame.src + {number}; }}
}}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {{
    apply {{ hdr.frame.dst = hdr.frame.dst + {number}; }}
}}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.frame); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

const TABLE: &str =
    "table t { key = { hdr.frame.dst: exact; } actions = { send; drop; } default_action = drop(); }";
/// The same table with other ids, one more action, and a counter.
const GROWN: &str = "action flood() { s.mcast_grp = 1; }
    direct_counter(CounterType.packets) hits;
    @id(77) table t { key = { hdr.frame.dst: exact; } actions = { flood; send; drop; } default_action = drop(); counters = hits; }";
const REGISTER: &str = "register<bit<16>>(4) r;";

fn entry(bench: &Bench, dst: u8, port: u8) -> EntityKind {
    EntityKind::TableEntry(TableEntry {
        table_id: bench.table("t"),
        match_fields: vec![exact(1, &[dst])],
        action: Some(bench.call("send", &[port])),
        ..TableEntry::default()
    })
}

/// Bytes 5 and 11 and the ports of what left.
fn left(bench: &mut Bench) -> Vec<(u16, u8, u8)> {
    let sent = bench.node.device_mut().take_departed().into_iter();
    sent.map(|sent| (sent.port, sent.bytes[5], sent.bytes[11])).collect()
}

#[test]
fn another_program_takes_over_with_empty_tables() {
    let mut bench = Bench::of(&program(1, TABLE, ""));
    let first = entry(&bench, 5, 3);
    assert_eq!(bench.write(INSERT, first.clone()), 0);
    let (_, next) = compiled(&program(2, GROWN, ""));
    assert_eq!(bench.set(VERIFY, Some(&next)).0, 0);
    bench.frame(1, 5, 0);
    assert_eq!(left(&mut bench), [(3, 6, 1)], "to verify changes nothing");

    assert_eq!(bench.set(VERIFY_AND_COMMIT, Some(&next)).0, 0);
    bench.frame(1, 5, 0);
    assert_eq!(left(&mut bench), [], "the default action");
    assert_eq!(bench.write(INSERT, first), 3, "an id of the old program");
    bench.info = next.p4info.clone().unwrap();
    let again = entry(&bench, 5, 4);
    assert_eq!(bench.write(INSERT, again), 0);
    bench.frame(1, 5, 0);
    assert_eq!(left(&mut bench), [(4, 7, 2)]);
    let get = GetForwardingPipelineConfigRequest { device_id: 1, response_type: 0 };
    assert_eq!(bench.node.pipeline(&get).unwrap(), next);
}

#[test]
fn a_program_that_cannot_run_is_refused_with_its_error() {
    let mut bench = Bench::of(&program(1, TABLE, ""));
    let (_, mut next) = compiled(&program(2, TABLE, ""));
    next.p4_device_config =
        String::from_utf8(next.p4_device_config).unwrap().replace("t.apply()", "u.apply()").into_bytes();
    for action in [VERIFY, SAVE, VERIFY_AND_COMMIT, RECONCILE] {
        let (code, message) = bench.set(action, Some(&next));
        assert_eq!(code, 3);
        assert!(message.starts_with("program.p4:") && message.contains("`u` is not declared"), "{message}");
    }
    assert_eq!(bench.set(COMMIT, None).0, 5, "nothing was saved");
    assert_eq!(bench.set(9, Some(&next)).0, 3, "no such action");
}

#[test]
fn writes_after_a_save_are_for_the_saved_configuration_and_committed_with_it() {
    let mut bench = Bench::of(&program(1, TABLE, ""));
    let old = entry(&bench, 5, 3);
    assert_eq!(bench.write(INSERT, old.clone()), 0);
    let (_, next) = compiled(&program(2, GROWN, ""));
    assert_eq!(bench.set(SAVE, Some(&next)).0, 0);
    assert_eq!(bench.write(INSERT, old), 3, "an id of the running program");
    let running = bench.info.clone();
    bench.info = next.p4info.clone().unwrap();
    let staged = entry(&bench, 6, 4);
    assert_eq!(bench.write(INSERT, staged), 0);
    assert_eq!(bench.entries(TableEntry::default()).len(), 1, "of the saved configuration");
    bench.frame(1, 5, 0);
    bench.frame(1, 6, 0);
    assert_eq!(left(&mut bench), [(3, 6, 1)], "packets see the running one");

    assert_eq!(bench.set(COMMIT, None).0, 0);
    bench.frame(1, 5, 0);
    bench.frame(1, 6, 0);
    assert_eq!(left(&mut bench), [(4, 8, 2)]);
    assert_eq!(bench.set(COMMIT, None).0, 5, "committed once");
    assert_ne!(running, bench.info);
}

#[test]
fn reconciliation_keeps_the_state_by_names() {
    let mut bench = Bench::of(&program(1, TABLE, REGISTER));
    let first = entry(&bench, 5, 3);
    assert_eq!(bench.write(INSERT, first), 0);
    let default = TableEntry {
        table_id: bench.table("t"),
        is_default_action: true,
        action: Some(bench.call("send", &[9])),
        ..TableEntry::default()
    };
    assert_eq!(bench.write(MODIFY, EntityKind::TableEntry(default)), 0);
    let register = |bench: &Bench, value: Option<u8>| RegisterEntry {
        register_id: bench.info.registers[0].preamble.as_ref().unwrap().id,
        index: Some(Index { index: 2 }),
        data: value.map(|value| P4Data { data: Some(Data::Bitstring(vec![value])) }),
    };
    let seven = EntityKind::RegisterEntry(register(&bench, Some(7)));
    assert_eq!(bench.write(MODIFY, seven), 0);
    let replicas = vec![Replica { instance: 1, port: Some(ReplicaPort::Bytes(vec![8])) }];
    let group = MulticastGroupEntry { multicast_group_id: 1, replicas, ..Default::default() };
    let group = EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry {
        kind: Some(ReplicationKind::MulticastGroup(group)),
    });
    assert_eq!(bench.write(INSERT, group.clone()), 0);

    let (_, next) = compiled(&program(2, GROWN, REGISTER));
    assert_eq!(bench.set(RECONCILE, Some(&next)), (0, String::new()));
    bench.info = next.p4info.clone().unwrap();
    bench.frame(1, 5, 0);
    bench.frame(1, 6, 0);
    assert_eq!(left(&mut bench), [(3, 7, 2), (9, 8, 2)], "the entry, and the default action that was set");
    let kept = bench.read(EntityKind::RegisterEntry(register(&bench, None)));
    assert_eq!(kept, [EntityKind::RegisterEntry(register(&bench, Some(7)))]);
    assert_eq!(bench.write(INSERT, group), 6, "the group is still there");
    assert_eq!(bench.entries(TableEntry::default()).len(), 1);
}

#[test]
fn reconciliation_that_would_lose_state_is_refused() {
    let mut bench = Bench::of(&program(1, TABLE, REGISTER));
    let first = entry(&bench, 5, 3);
    assert_eq!(bench.write(INSERT, first.clone()), 0);
    let mut refused = |table: &str, more: &str| {
        let (_, next) = compiled(&program(2, table, more));
        let (code, message) = bench.set(RECONCILE, Some(&next));
        assert_eq!(code, 3, "{message}");
        message
    };
    let without = TABLE.replace("send; ", "");
    assert_eq!(
        refused(&without, REGISTER),
        "the state of the table `I.t` cannot be kept: an action of its entries has gone"
    );
    let lpm = TABLE.replace("exact", "lpm");
    assert_eq!(
        refused(&lpm, REGISTER),
        "the state of the table `I.t` cannot be kept: its keys are others in the new program"
    );
    let small = TABLE.replace("default_action", "size = 1; const entries = { 1: drop(); } default_action");
    assert!(refused(&small, REGISTER).starts_with("the state of the table `I.t` cannot be kept: "));
    bench.frame(1, 5, 0);
    assert_eq!(left(&mut bench), [(3, 6, 1)], "the old program runs on");

    let (_, next) = compiled(&program(2, TABLE, ""));
    assert_eq!(bench.set(RECONCILE, Some(&next)).0, 0, "a register of zeros is no state");
    let (_, next) = compiled(&program(3, TABLE, "register<bit<32>>(4) r;"));
    assert_eq!(bench.set(RECONCILE, Some(&next)).0, 0);
    bench.info = next.p4info.clone().unwrap();
    let value = P4Data { data: Some(Data::Bitstring(vec![1])) };
    let register_id = bench.info.registers[0].preamble.as_ref().unwrap().id;
    let cell = RegisterEntry { register_id, index: Some(Index { index: 0 }), data: Some(value) };
    assert_eq!(bench.write(MODIFY, EntityKind::RegisterEntry(cell)), 0);
    let (_, next) = compiled(&program(3, TABLE, "register<bit<16>>(4) r;"));
    assert_eq!(
        bench.set(RECONCILE, Some(&next)),
        (
            3,
            "the state of the register `I.r` cannot be kept: it has another size or type in the new program"
                .into()
        )
    );
}

/// Forgets what is dropped.
struct Forgets;

impl Outcomes for Forgets {
    fn dropped(&mut self, _: Packet, _: DropReason, _: Time) {}
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

impl PortOutcomes for Forgets {
    fn at(&mut self, _: Option<Port>) -> &mut dyn Outcomes {
        self
    }
    fn offered(&mut self, _: Port, _: &Packet, _: Time) {}
}

/// A switch of a network with two ports.
fn network_switch(program: &Arc<Program>) -> Box<dyn Switch> {
    let seed = Seed(1);
    let queue = || {
        Box::new(TailDrop::new(TailDropParameters { limit: Limit::packets(10) })) as Box<dyn QueueDiscipline>
    };
    let random = ["0", "1"].map(|port| seed.stream(&[port])).to_vec();
    let mut plan = SwitchPlan::new(program.clone(), vec![queue(), queue()], seed.stream(&["in"]), random);
    plan.frames = Frames::Raw;
    Box::new(plan.build(Compiled::new(program.clone())).unwrap())
}

#[test]
fn packets_that_wait_in_a_network_switch_leave_by_the_new_program() {
    let text = program(1, &TABLE.replace("default_action = drop()", "default_action = send(1)"), "");
    let (old, config) = compiled(&text);
    let mut node = Node::new(1, Lent::default(), old.clone(), config).unwrap();
    let client = node.open();
    node.message(client, arbitration(1, 10), Time::ZERO).unwrap();
    let mut switch = network_switch(&old);
    let (mut pending, mut sink) = (Vec::new(), Forgets);
    let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
    for _ in 0..2 {
        switch.handle_packet(Port(0), Packet::from_frame(frame(10, 20)), Time::ZERO, &mut out);
    }

    let (_, next) = compiled(&program(5, GROWN, ""));
    let request = |action, config: Option<ForwardingPipelineConfig>| SetForwardingPipelineConfigRequest {
        device_id: 1,
        election_id: election(10),
        action,
        config,
        ..Default::default()
    };
    node.device_mut().lend(switch);
    node.set_pipeline(&request(VERIFY_AND_COMMIT, Some(next)), Time::ZERO).unwrap();
    let (name, text) = jettison_p4_front::library::program("<psa/codel.p4>").unwrap();
    let (_, psa) = named(&name, text);
    let refused = node.set_pipeline(&request(VERIFY, Some(psa)), Time::ZERO).unwrap_err();
    assert_eq!(refused.code as i32, 3);
    assert_eq!(refused.message, "the program is for PSA, and the switch was built for v1model");
    let (mut switch, _) = node.device_mut().give_back().unwrap();

    // Ingress of the old program added 1 to the source, and egress of the new one adds 5 to the destination.
    for _ in 0..2 {
        let Some(Departure::Transmit(packet)) = switch.poll_transmit(Port(1), Time::ZERO, &mut out) else {
            panic!("nothing is sent")
        };
        let mut bytes = Vec::new();
        packet.write_image(&mut bytes, usize::MAX);
        assert_eq!((bytes[5], bytes[11], bytes.len()), (15, 21, 60));
    }
    // The new table is empty: its default action drops.
    switch.handle_packet(Port(0), Packet::from_frame(frame(10, 20)), Time::ZERO, &mut out);
    assert!(switch.poll_transmit(Port(1), Time::ZERO, &mut out).is_none());
}
