//! Entities: writes, reads and the canonical codes of refusals.

use jettison_core::{Duration, Time};
use jettison_p4_runtime::proto::runtime::*;

use super::support::*;

const OK: i32 = 0;
const INVALID: i32 = 3;
const NOT_FOUND: i32 = 5;
const ALREADY_EXISTS: i32 = 6;
const DENIED: i32 = 7;
const EXHAUSTED: i32 = 8;
const PRECONDITION: i32 = 9;
const OUT_OF_RANGE: i32 = 11;

fn entry(entry: TableEntry) -> EntityKind {
    EntityKind::TableEntry(entry)
}

#[test]
fn an_entry_is_inserted_read_modified_and_deleted() {
    let mut bench = Bench::new();
    let first = TableEntry { metadata: vec![1, 2], controller_metadata: 9, ..bench.dmac(5, 3) };
    assert_eq!(bench.write(INSERT, entry(first.clone())), OK);
    assert_eq!(bench.write(INSERT, entry(first)), ALREADY_EXISTS);
    let read = bench.entries(TableEntry { table_id: bench.table("dmac"), ..TableEntry::default() });
    // Byte strings are canonical: five bytes of zeros are left out.
    assert_eq!(read[0].match_fields, [exact(1, &[5])]);
    assert_eq!(read[0].action, Some(bench.call("forward", &[3])));
    assert_eq!((&*read[0].metadata, read[0].controller_metadata), (&[1, 2][..], 9));
    bench.frame(1, 5, 1);
    assert_eq!(bench.departed(), [3]);

    let moved = bench.dmac(5, 4);
    assert_eq!(bench.write(MODIFY, entry(moved.clone())), OK);
    bench.frame(1, 5, 1);
    assert_eq!(bench.departed(), [4]);
    assert_eq!(bench.write(DELETE, entry(TableEntry { action: None, ..moved.clone() })), OK);
    assert_eq!(bench.write(DELETE, entry(moved.clone())), NOT_FOUND);
    assert_eq!(bench.write(MODIFY, entry(moved)), NOT_FOUND);
    assert!(bench.entries(TableEntry::default()).is_empty());
}

#[test]
fn malformed_entries_are_refused_with_their_code() {
    let mut bench = Bench::new();
    let good = bench.dmac(5, 3);
    let bad: [(TableEntry, i32); 11] = [
        (TableEntry { table_id: 77, ..good.clone() }, INVALID),
        (TableEntry { match_fields: vec![exact(9, &[5])], ..good.clone() }, INVALID),
        (TableEntry { match_fields: vec![], ..good.clone() }, INVALID),
        (TableEntry { match_fields: vec![exact(1, &[5]), exact(1, &[5])], ..good.clone() }, INVALID),
        (TableEntry { match_fields: vec![exact(1, &[])], ..good.clone() }, OUT_OF_RANGE),
        (TableEntry { match_fields: vec![exact(1, &[1; 7])], ..good.clone() }, OUT_OF_RANGE),
        (TableEntry { action: Some(bench.call("forward", &[2, 0])), ..good.clone() }, OUT_OF_RANGE),
        (TableEntry { action: Some(bench.call("learn", &[2])), ..good.clone() }, INVALID),
        (TableEntry { action: None, ..good.clone() }, INVALID),
        (TableEntry { priority: 4, ..good.clone() }, INVALID),
        (TableEntry { idle_timeout_ns: 5, ..good.clone() }, INVALID),
    ];
    for (number, (bad, code)) in bad.into_iter().enumerate() {
        assert_eq!(bench.write(INSERT, entry(bad)), code, "{number}");
    }
    assert_eq!(bench.write(0, entry(good.clone())), INVALID, "no type");
    assert_eq!(bench.write(INSERT, entry(TableEntry { is_const: true, ..good })), INVALID);
    assert!(bench.entries(TableEntry::default()).is_empty());
}

#[test]
fn fields_of_each_match_kind_have_one_form() {
    let mut bench = Bench::new();
    let field = |field_id, kind| FieldMatch { field_id, kind: Some(kind) };
    let ternary = |value: &[u8], mask: &[u8]| {
        field(1, FieldMatchKind::Ternary(Ternary { value: value.to_vec(), mask: mask.to_vec() }))
    };
    let range = |low: &[u8], high: &[u8]| {
        field(2, FieldMatchKind::Range(Range { low: low.to_vec(), high: high.to_vec() }))
    };
    let lpm =
        |value: &[u8], prefix_len| field(4, FieldMatchKind::Lpm(Lpm { value: value.to_vec(), prefix_len }));
    let optional = field(3, FieldMatchKind::Optional(Exact { value: vec![1] }));
    let base = TableEntry {
        table_id: bench.table("acl"),
        priority: 10,
        action: Some(bench.call("set_port", &[9])),
        ..TableEntry::default()
    };
    let with = |fields: Vec<FieldMatch>| entry(TableEntry { match_fields: fields, ..base.clone() });
    let prefix = [0x0a, 0, 0, 0, 0, 0];
    let all = vec![ternary(&[0x12, 0], &[0xff, 0]), range(&[1], &[7]), optional, lpm(&prefix, 8)];
    assert_eq!(bench.write(INSERT, with(all.clone())), OK);
    assert_eq!(bench.write(INSERT, with(Vec::new())), OK, "all left out");
    let bad = [
        ternary(&[0x12, 1], &[0xff, 0]),
        ternary(&[0], &[0]),
        range(&[7], &[1]),
        range(&[0], &[1, 0xff]),
        lpm(&[0x0a, 0, 0, 0, 0, 1], 8),
        lpm(&[0], 0),
        lpm(&[0], 49),
        exact(1, &[1]),
    ];
    for bad in bad {
        assert_eq!(bench.write(INSERT, with(vec![bad.clone()])), INVALID, "{bad:?}");
    }
    assert_eq!(bench.write(INSERT, entry(TableEntry { priority: 0, ..base.clone() })), INVALID);
    let read = bench.entries(TableEntry { table_id: base.table_id, ..TableEntry::default() });
    assert_eq!((&read[0].match_fields, read[0].priority), (&all, 10));
    assert!(read[1].match_fields.is_empty());
    let one =
        TableEntry { table_id: base.table_id, match_fields: all, priority: 10, ..TableEntry::default() };
    assert_eq!(bench.entries(one).len(), 1);
}

#[test]
fn a_default_action_is_modified_and_reset() {
    let mut bench = Bench::new();
    let table_id = bench.table("dmac");
    let default = TableEntry { table_id, is_default_action: true, ..TableEntry::default() };
    let given = TableEntry { action: Some(bench.call("forward", &[8])), ..default.clone() };
    assert_eq!(bench.write(INSERT, entry(given.clone())), INVALID);
    assert_eq!(bench.write(MODIFY, entry(given.clone())), OK);
    bench.frame(1, 5, 1);
    assert_eq!(bench.departed(), [8]);
    assert_eq!(bench.entries(default.clone()), [given]);
    assert_eq!(bench.write(MODIFY, entry(default.clone())), OK);
    bench.frame(1, 5, 1);
    assert!(bench.departed().is_empty(), "to the controller again");
}

#[test]
fn a_full_table_is_exhausted() {
    let mut bench = Bench::new();
    let table_id = bench.table("paths");
    let member = ActionProfileMember {
        action_profile_id: bench.info.action_profiles[0].preamble.as_ref().unwrap().id,
        member_id: 1,
        action: Some(bench.plain_action("set_port", &[1])),
    };
    assert_eq!(bench.write(INSERT, EntityKind::ActionProfileMember(member)), OK);
    let action = Some(TableAction { kind: Some(TableActionKind::Member(1)) });
    let codes: Vec<i32> = (0..129u16)
        .map(|kind| {
            let match_fields = vec![exact(1, &kind.to_be_bytes())];
            let one = TableEntry { table_id, match_fields, action: action.clone(), ..TableEntry::default() };
            bench.write(INSERT, entry(one))
        })
        .collect();
    assert!(codes[..128].iter().all(|code| *code == OK));
    assert_eq!(codes[128], EXHAUSTED);
}

#[test]
fn groups_and_action_sets_spread_packets_by_weight() {
    let mut bench = Bench::new();
    let action_profile_id = bench.info.action_profiles[0].preamble.as_ref().unwrap().id;
    let member = |bench: &Bench, id: u32, port: u8| {
        let action = Some(bench.plain_action("set_port", &[port]));
        EntityKind::ActionProfileMember(ActionProfileMember { action_profile_id, member_id: id, action })
    };
    for (id, port) in [(11, 1), (12, 2)] {
        let member = member(&bench, id, port);
        assert_eq!(bench.write(INSERT, member), OK);
    }
    let weighted = |members: &[(u32, i32)]| {
        let members = members.iter().map(|(member_id, weight)| GroupMember {
            member_id: *member_id,
            weight: *weight,
            watch: None,
        });
        let members = members.collect();
        EntityKind::ActionProfileGroup(ActionProfileGroup {
            action_profile_id,
            group_id: 5,
            members,
            max_size: 8,
        })
    };
    assert_eq!(bench.write(INSERT, weighted(&[(11, 1), (13, 1)])), NOT_FOUND);
    assert_eq!(bench.write(INSERT, weighted(&[(11, 0)])), INVALID);
    assert_eq!(bench.write(INSERT, weighted(&[(11, 1), (12, 8)])), EXHAUSTED);
    assert_eq!(bench.write(INSERT, weighted(&[(11, 1), (12, 3)])), OK);
    let table_id = bench.table("paths");
    let path = |kind| {
        let action = Some(TableAction { kind: Some(kind) });
        let match_fields = vec![exact(1, &[0x12, 0x34])];
        entry(TableEntry { table_id, match_fields, action, ..TableEntry::default() })
    };
    assert_eq!(bench.write(INSERT, path(TableActionKind::Group(5))), OK);
    let share = |bench: &mut Bench| {
        (0..200).for_each(|source| bench.frame(1, 9, source));
        let ports = bench.departed();
        let second = ports.iter().filter(|port| **port == 2).count();
        assert!(ports.iter().all(|port| *port == 1 || *port == 2));
        second
    };
    assert!((130..170).contains(&share(&mut bench)), "three of four");

    // A changed member changes in its group, with its weight.
    let moved = member(&bench, 12, 7);
    assert_eq!(bench.write(MODIFY, moved), OK);
    bench.departed();
    (0..200).for_each(|source| bench.frame(1, 9, source));
    assert!(bench.departed().iter().all(|port| *port == 1 || *port == 7));
    let used = member(&bench, 12, 7);
    assert_eq!(bench.write(DELETE, used), PRECONDITION);
    assert_eq!(bench.write(DELETE, weighted(&[])), PRECONDITION);

    let actions = [(1, 2), (3, 1)].map(|(weight, port)| ActionProfileAction {
        action: Some(bench.plain_action("set_port", &[port])),
        weight,
        watch: None,
    });
    let set = TableActionKind::ActionSet(ActionProfileActionSet { actions: actions.to_vec() });
    assert_eq!(bench.write(MODIFY, path(set.clone())), OK);
    let first = 200 - share(&mut bench);
    assert!((130..170).contains(&first), "{first}");
    let read = bench.entries(TableEntry { table_id, ..TableEntry::default() });
    assert_eq!(read[0].action.as_ref().unwrap().kind, Some(set.clone()));
    assert_eq!(bench.write(DELETE, weighted(&[])), OK);
    assert_eq!(bench.write(DELETE, path(set)), OK);
    let profile = EntityKind::ActionProfileGroup(ActionProfileGroup::default());
    assert!(bench.read(profile).is_empty());
    assert_eq!(bench.read(EntityKind::ActionProfileMember(ActionProfileMember::default())).len(), 2);
}

#[test]
fn counters_meters_and_registers_are_read_and_written() {
    let mut bench = Bench::new();
    let known = |preamble: &Option<jettison_p4_runtime::proto::info::Preamble>| preamble.as_ref().unwrap().id;
    let counter_id = known(&bench.info.counters[0].preamble);
    let meter_id = known(&bench.info.meters[0].preamble);
    let register_id = known(&bench.info.registers[0].preamble);
    bench.frame(3, 9, 0x44);
    let index = |index| Some(Index { index });
    let counter = |at| EntityKind::CounterEntry(CounterEntry { counter_id, index: index(at), data: None });
    let count = |bench: &Bench, at| match &bench.read(counter(at))[..] {
        [EntityKind::CounterEntry(entry)] => entry.data.unwrap().packet_count,
        other => panic!("{other:?}"),
    };
    assert_eq!((count(&bench, 3), count(&bench, 4)), (1, 0));
    assert_eq!(bench.try_read(counter(512)), Err(OUT_OF_RANGE));
    assert_eq!(bench.try_read(counter(-1)), Err(INVALID));
    let data = Some(CounterData { packet_count: 40, byte_count: 0 });
    let set = EntityKind::CounterEntry(CounterEntry { counter_id, index: index(3), data });
    assert_eq!((bench.write(INSERT, set.clone()), bench.write(MODIFY, set)), (INVALID, OK));
    assert_eq!(count(&bench, 3), 40);
    assert_eq!(bench.read(EntityKind::CounterEntry(CounterEntry::default())).len(), 512);

    let config = MeterConfig { cir: 1000, cburst: 5, pir: 2000, pburst: 8, eburst: 0 };
    let meter =
        |config| EntityKind::MeterEntry(MeterEntry { meter_id, index: index(2), config, counter_data: None });
    assert_eq!(bench.write(MODIFY, meter(Some(config))), OK);
    assert_eq!(bench.read(meter(None)), [meter(Some(config))]);
    assert_eq!(bench.write(MODIFY, meter(Some(MeterConfig { eburst: 1, ..config }))), INVALID);
    assert_eq!(bench.write(MODIFY, meter(Some(MeterConfig { cir: -1, ..config }))), INVALID);
    assert_eq!(bench.write(MODIFY, meter(None)), OK, "removes the rates");
    assert_eq!(bench.read(meter(None)), [meter(None)]);

    let register =
        |at, data| EntityKind::RegisterEntry(RegisterEntry { register_id, index: index(at), data });
    let value = |bytes: &[u8]| Some(P4Data { data: Some(Data::Bitstring(bytes.to_vec())) });
    assert_eq!(bench.read(register(3, None)), [register(3, value(&[0x44]))]);
    assert_eq!(bench.write(MODIFY, register(5, value(&[1, 2]))), OK);
    assert_eq!(bench.read(register(5, None)), [register(5, value(&[1, 2]))]);
    assert_eq!(bench.write(MODIFY, register(16, value(&[1]))), OUT_OF_RANGE);
    assert_eq!(bench.write(MODIFY, register(5, value(&[1; 7]))), OUT_OF_RANGE);
}

#[test]
fn direct_counters_and_meters_belong_to_their_entry() {
    let mut bench = Bench::new();
    let first = TableEntry {
        counter_data: Some(CounterData { packet_count: 100, byte_count: 1000 }),
        ..bench.dmac(5, 3)
    };
    assert_eq!(bench.write(INSERT, entry(first)), OK);
    bench.frame(1, 5, 1);
    let key = TableEntry { action: None, ..bench.dmac(5, 3) };
    let direct = |table_entry, data| EntityKind::DirectCounterEntry(DirectCounterEntry { table_entry, data });
    let counted = |bench: &Bench| match &bench.read(direct(Some(key.clone()), None))[..] {
        [EntityKind::DirectCounterEntry(entry)] => entry.data.unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(counted(&bench), CounterData { packet_count: 101, byte_count: 1060 });
    let zero = Some(CounterData::default());
    assert_eq!(bench.write(MODIFY, direct(Some(key.clone()), zero)), OK);
    assert_eq!(counted(&bench).packet_count, 0);
    let unknown = TableEntry { action: None, ..bench.dmac(6, 3) };
    assert_eq!(bench.try_read(direct(Some(unknown.clone()), None)), Err(NOT_FOUND));
    assert_eq!(bench.write(MODIFY, direct(Some(unknown), zero)), NOT_FOUND);
    let asked = TableEntry { counter_data: zero, table_id: bench.table("dmac"), ..TableEntry::default() };
    assert_eq!(bench.entries(asked)[0].counter_data, zero);
    let config = Some(MeterConfig { cir: 1, cburst: 1, pir: 1, pburst: 1, eburst: 0 });
    let metered = TableEntry { meter_config: config, ..bench.dmac(7, 3) };
    assert_eq!(bench.write(INSERT, entry(metered)), INVALID, "dmac has no meter");
    let rule = TableEntry {
        table_id: bench.table("acl"),
        priority: 1,
        action: Some(bench.call("set_port", &[1])),
        meter_config: config,
        ..TableEntry::default()
    };
    assert_eq!(bench.write(INSERT, entry(rule.clone())), OK);
    let meter = |config| {
        let table_entry = TableEntry { action: None, meter_config: None, ..rule.clone() };
        EntityKind::DirectMeterEntry(DirectMeterEntry {
            table_entry: Some(table_entry),
            config,
            counter_data: None,
        })
    };
    assert_eq!(bench.read(meter(None)), [meter(config)]);
    assert_eq!(bench.write(MODIFY, meter(None)), OK);
    assert_eq!(bench.read(meter(None)), [meter(None)]);
}

#[test]
fn what_another_interface_resets_can_be_written_again() {
    let mut bench = Bench::new();
    let replica = Replica { port: Some(ReplicaPort::Number(4)), instance: 0 };
    let group = MulticastGroupEntry { multicast_group_id: 3, replicas: vec![replica], metadata: vec![] };
    let kind = Some(ReplicationKind::MulticastGroup(group));
    let group = EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind });
    let flood = TableEntry { action: Some(bench.call("flood", &[3])), ..bench.dmac(0xff, 0) };
    for _ in 0..2 {
        assert_eq!(bench.write(INSERT, group.clone()), OK);
        assert_eq!(bench.write(INSERT, entry(flood.clone())), OK);
        bench.frame(7, 0xff, 1);
        assert_eq!(bench.departed(), [4]);
        bench.node.reset();
        bench.frame(7, 0xff, 1);
        assert!(bench.departed().is_empty());
        assert!(bench.entries(TableEntry::default()).is_empty());
        let all = EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind: None });
        assert!(bench.read(all).is_empty());
    }
}

#[test]
fn multicast_groups_and_clone_sessions_replicate() {
    let mut bench = Bench::new();
    let replica = |port: u32, instance| Replica { port: Some(ReplicaPort::Number(port)), instance };
    let group = |id, replicas: &[Replica]| {
        let group =
            MulticastGroupEntry { multicast_group_id: id, replicas: replicas.to_vec(), metadata: vec![] };
        let kind = Some(ReplicationKind::MulticastGroup(group));
        EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind })
    };
    let three = [replica(1, 0), replica(2, 0), replica(2, 5)];
    assert_eq!(bench.write(INSERT, group(0, &three)), INVALID);
    assert_eq!(bench.write(INSERT, group(3, &[replica(1, 0), replica(1, 0)])), INVALID);
    assert_eq!(bench.write(INSERT, group(3, &[replica(600, 0)])), INVALID, "unknown port");
    assert_eq!(bench.write(MODIFY, group(3, &three)), NOT_FOUND);
    assert_eq!(bench.write(INSERT, group(3, &three)), OK);
    assert_eq!(bench.write(INSERT, group(3, &three)), ALREADY_EXISTS);
    let flood = TableEntry { action: Some(bench.call("flood", &[3])), ..bench.dmac(0xff, 0) };
    assert_eq!(bench.write(INSERT, entry(flood)), OK);
    bench.frame(7, 0xff, 1);
    let mut ports = bench.departed();
    ports.sort_unstable();
    assert_eq!(ports, [1, 2, 2]);
    assert_eq!(bench.write(MODIFY, group(3, &[replica(4, 0)])), OK);
    bench.frame(7, 0xff, 1);
    assert_eq!(bench.departed(), [4]);
    assert_eq!(bench.write(MODIFY, group(3, &[replica(600, 0)])), INVALID);
    bench.frame(7, 0xff, 1);
    assert_eq!(bench.departed(), [4], "a refused change leaves the group as it was");
    let all = EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind: None });
    assert_eq!(bench.read(all.clone()), [group(3, &[replica(4, 0)])]);
    assert_eq!(bench.write(DELETE, group(3, &[])), OK);
    let session = |id, replicas: &[Replica]| {
        let session = CloneSessionEntry { session_id: id, replicas: replicas.to_vec(), ..Default::default() };
        let kind = Some(ReplicationKind::CloneSession(session));
        EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind })
    };
    assert_eq!(bench.write(INSERT, session(40_000, &three)), INVALID);
    assert_eq!(bench.write(INSERT, session(5, &three)), OK);
    assert_eq!(bench.write(MODIFY, session(5, &[replica(1, 0)])), OK);
    assert_eq!(bench.read(all.clone()), [session(5, &[replica(1, 0)])]);
    assert_eq!(bench.write(DELETE, session(5, &[])), OK);
    assert!(bench.read(all).is_empty());
}

#[test]
fn only_the_primary_of_a_known_device_writes() {
    let mut bench = Bench::new();
    let updates = vec![update(INSERT, entry(bench.dmac(1, 1)))];
    let mut request =
        WriteRequest { device_id: 1, election_id: election(9), updates, ..WriteRequest::default() };
    let code = |bench: &mut Bench, request: &WriteRequest| {
        bench.node.write(request, Time::ZERO).unwrap_err().code as i32
    };
    assert_eq!(code(&mut bench, &request), DENIED);
    request.device_id = 2;
    assert_eq!(code(&mut bench, &request), NOT_FOUND);
    (request.device_id, request.election_id) = (1, None);
    assert_eq!(code(&mut bench, &request), DENIED);
    request.election_id = election(10);
    request.updates.push(update(INSERT, entry(bench.dmac(1, 1))));
    request.updates.push(update(INSERT, entry(bench.dmac(2, 1))));
    let errors = bench.node.write(&request, Time::ZERO).unwrap().unwrap();
    let codes: Vec<i32> = errors.iter().map(|error| error.canonical_code).collect();
    assert_eq!(codes, [OK, ALREADY_EXISTS, OK], "the batch goes on after an error");
}

#[test]
fn an_idle_entry_is_reported_once_until_it_is_hit_again() {
    let mut bench = Bench::new();
    let quiet = TableEntry {
        table_id: bench.table("smac"),
        match_fields: vec![exact(1, &[1]), exact(2, &[7])],
        action: Some(TableAction {
            kind: Some(TableActionKind::Action(Action {
                action_id: bench.action("NoAction"),
                params: vec![],
            })),
        }),
        idle_timeout_ns: 1_000_000_000,
        ..TableEntry::default()
    };
    assert_eq!(bench.write(INSERT, entry(quiet.clone())), OK);
    let idle_after = |bench: &mut Bench, millis: u64, hit: bool| {
        bench.now += Duration::from_millis(millis);
        if hit {
            bench.frame(7, 9, 1);
        }
        bench.node.advance(bench.now).unwrap();
        let messages = bench.messages().into_iter();
        messages.filter(|message| matches!(message, StreamResponse::IdleTimeout(_))).count()
    };
    assert_eq!(idle_after(&mut bench, 900, true), 0);
    assert_eq!(idle_after(&mut bench, 900, false), 0, "hit 900 ms ago");
    assert_eq!(idle_after(&mut bench, 200, false), 1);
    assert_eq!(idle_after(&mut bench, 2000, false), 0);
    assert_eq!(idle_after(&mut bench, 100, true), 0);
    assert_eq!(idle_after(&mut bench, 1000, false), 1);
    let asked = TableEntry { time_since_last_hit: Some(IdleTimeout::default()), ..quiet };
    let read = bench.entries(TableEntry { action: None, ..asked });
    assert_eq!(read[0].time_since_last_hit, Some(IdleTimeout { elapsed_ns: 1_000_000_000 }));
}

#[test]
fn a_failed_atomic_batch_leaves_nothing_behind() {
    let mut bench = Bench::new();
    let group = MulticastGroupEntry {
        multicast_group_id: 3,
        replicas: vec![Replica { instance: 0, port: Some(ReplicaPort::Number(2)) }],
        ..Default::default()
    };
    let kind = Some(ReplicationKind::MulticastGroup(group));
    let group = EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind });
    let entry = |address| EntityKind::TableEntry(bench.dmac(address, 1));
    let (first, again, last) = (entry(1), entry(1), entry(2));
    let updates = [first, group.clone(), again, last].map(|entity| update(INSERT, entity)).to_vec();
    let request =
        WriteRequest { device_id: 1, election_id: election(10), updates, ..WriteRequest::default() };
    for atomicity in [1, 2] {
        let request = WriteRequest { atomicity, ..request.clone() };
        let errors = bench.node.write(&request, bench.now).unwrap().unwrap();
        // The third has the code of its own error, ALREADY_EXISTS; the others are ABORTED.
        let codes: Vec<i32> = errors.iter().map(|error| error.canonical_code).collect();
        assert_eq!(codes, [10, 10, 6, 10]);
        assert_eq!(bench.entries(TableEntry { table_id: bench.table("dmac"), ..Default::default() }), []);
        assert_eq!(bench.read(group.clone()), []);
    }
    // What was rolled back can be written, and one that does not fail stays.
    let kept = WriteRequest { atomicity: 2, updates: request.updates[..2].to_vec(), ..request.clone() };
    assert_eq!(bench.node.write(&kept, bench.now).unwrap(), None);
    assert_eq!(bench.read(group).len(), 1);
    // One error per update without atomicity.
    let errors = bench.node.write(&request, bench.now).unwrap().unwrap();
    let codes: Vec<i32> = errors.iter().map(|error| error.canonical_code).collect();
    assert_eq!(codes, [6, 6, 6, 0]);
    let unknown = WriteRequest { atomicity: 3, ..request };
    assert!(bench.node.write(&unknown, bench.now).is_err());
}
