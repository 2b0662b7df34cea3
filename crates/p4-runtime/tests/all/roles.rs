//! Role configurations (§5.2): what a role writes, reads and receives.

use jettison_core::Time;
use jettison_p4_runtime::node::ClientId;
use jettison_p4_runtime::proto::role::{P4RoleConfig, PacketFilter, ROLE_CONFIG};
use jettison_p4_runtime::proto::runtime::*;
use prost::Message;

use super::support::*;

const OK: i32 = 0;
const INVALID: i32 = 3;
const NOT_FOUND: i32 = 5;
const DENIED: i32 = 7;

fn any(config: &P4RoleConfig) -> Any {
    Any { type_url: ROLE_CONFIG.to_owned(), value: config.encode_to_vec() }
}

/// A controller's first message, as that of a role.
fn of_role(name: &str, id: u64, config: Option<Any>) -> StreamMessageRequest {
    let mut message = arbitration(1, id);
    if let Some(StreamRequest::Arbitration(update)) = &mut message.update {
        update.role = Some(Role { name: name.to_owned(), config, ..Role::default() });
    }
    message
}

/// Connects the primary controller of a role; the canonical code of a refusal.
fn connect(bench: &mut Bench, name: &str, config: &P4RoleConfig) -> Result<ClientId, i32> {
    let client = bench.node.open();
    let done = bench.node.message(client, of_role(name, 10, Some(any(config))), Time::ZERO);
    done.map(|()| client).map_err(|fault| fault.code as i32)
}

fn received(bench: &mut Bench, client: ClientId) -> Vec<StreamResponse> {
    let messages = bench.node.take_messages().into_iter();
    messages.filter(|(to, _)| *to == client).map(|(_, message)| message.update.unwrap()).collect()
}

#[test]
fn a_role_writes_and_reads_the_objects_of_its_configuration() {
    let mut bench = Bench::new();
    let counter = bench.info.counters[0].preamble.as_ref().unwrap().id;
    let config = P4RoleConfig {
        exclusive_p4_ids: vec![bench.table("dmac")],
        shared_p4_ids: vec![counter],
        ..Default::default()
    };
    connect(&mut bench, "forwarding", &config).unwrap();
    let dmac = EntityKind::TableEntry(bench.dmac(5, 3));
    assert_eq!(bench.write_as("forwarding", INSERT, dmac), OK);
    let data = Some(CounterData { packet_count: 4, byte_count: 5 });
    let cell = CounterEntry { counter_id: counter, index: Some(Index { index: 2 }), data };
    assert_eq!(bench.write_as("forwarding", MODIFY, EntityKind::CounterEntry(cell)), OK);
    let member = ActionProfileMember {
        action_profile_id: bench.info.action_profiles[0].preamble.as_ref().unwrap().id,
        member_id: 1,
        action: Some(bench.plain_action("set_port", &[1])),
    };
    let member = EntityKind::ActionProfileMember(member);
    assert_eq!(bench.write_as("forwarding", INSERT, member.clone()), DENIED);
    assert_eq!(bench.write(INSERT, member), OK, "the default role has full access");
    // A multicast group has no id of P4Info.
    let group = MulticastGroupEntry { multicast_group_id: 1, ..Default::default() };
    let group = PacketReplicationEngineEntry { kind: Some(ReplicationKind::MulticastGroup(group)) };
    let group = EntityKind::PacketReplicationEngineEntry(group);
    assert_eq!(bench.write_as("forwarding", INSERT, group), DENIED);
    assert_eq!(bench.write_as("nobody", INSERT, EntityKind::TableEntry(bench.dmac(6, 3))), NOT_FOUND);

    let read = |bench: &Bench, role: &str| {
        let entity = |kind| Entity { entity: Some(kind) };
        let entities = vec![
            entity(EntityKind::TableEntry(TableEntry::default())),
            entity(EntityKind::ActionProfileMember(ActionProfileMember::default())),
        ];
        let request = ReadRequest { device_id: 1, role: role.to_owned(), entities };
        bench.node.read(&request, Time::ZERO).unwrap().len()
    };
    assert_eq!((read(&bench, ""), read(&bench, "forwarding")), (2, 1));
}

#[test]
fn a_role_without_a_configuration_has_full_access() {
    let mut bench = Bench::new();
    let client = bench.node.open();
    bench.node.message(client, of_role("all", 10, None), Time::ZERO).unwrap();
    assert_eq!(bench.write_as("all", INSERT, EntityKind::TableEntry(bench.dmac(5, 3))), OK);
    bench.node.take_messages();
    bench.frame(1, 9, 8);
    assert!(matches!(received(&mut bench, client)[..], [StreamResponse::Packet(_)]));
}

#[test]
fn packet_ins_pass_the_filter_of_a_role() {
    let mut bench = Bench::new();
    let none = P4RoleConfig::default();
    let all = P4RoleConfig { receives_packet_ins: true, ..Default::default() };
    // The value is compared as a number: leading zeros do not count.
    let filter = Some(PacketFilter { metadata_id: 1, value: vec![0, 7] });
    let some = P4RoleConfig { packet_in_filter: filter, ..all.clone() };
    let clients: Vec<ClientId> = [("none", &none), ("all", &all), ("some", &some)]
        .into_iter()
        .map(|(name, config)| connect(&mut bench, name, config).unwrap())
        .collect();
    bench.node.take_messages();
    for port in [7, 8] {
        bench.frame(port, 9, 1);
    }
    let messages = bench.node.take_messages();
    let count = |client: ClientId| messages.iter().filter(|(to, _)| *to == client).count();
    assert_eq!(clients.into_iter().map(count).collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn digests_and_idle_entries_go_to_the_roles_that_have_their_objects() {
    let mut bench = Bench::new();
    let (smac, digest_id) = (bench.table("smac"), bench.digest());
    let with = |ids: &[u32]| P4RoleConfig { shared_p4_ids: ids.to_vec(), ..Default::default() };
    let learner = connect(&mut bench, "learner", &with(&[smac, digest_id])).unwrap();
    let other = connect(&mut bench, "other", &with(&[smac])).unwrap();
    let dmac = bench.table("dmac");
    let third = connect(&mut bench, "third", &with(&[dmac])).unwrap();
    let config = Some(DigestConfig { max_timeout_ns: 0, max_list_size: 1, ack_timeout_ns: 0 });
    let digest = EntityKind::DigestEntry(DigestEntry { digest_id, config });
    assert_eq!(bench.write_as("other", INSERT, digest.clone()), DENIED);
    assert_eq!(bench.write_as("learner", INSERT, digest), OK);
    let nothing = Action { action_id: bench.action("NoAction"), params: vec![] };
    let entry = TableEntry {
        table_id: smac,
        match_fields: vec![exact(1, &[5]), exact(2, &[1])],
        action: Some(TableAction { kind: Some(TableActionKind::Action(nothing)) }),
        idle_timeout_ns: 1_000_000,
        ..TableEntry::default()
    };
    assert_eq!(bench.write_as("other", INSERT, EntityKind::TableEntry(entry)), OK);
    bench.node.take_messages();
    bench.frame(1, 9, 1);
    bench.now = Time::from_millis(2);
    bench.node.advance(bench.now).unwrap();
    let messages = bench.node.take_messages();
    let kinds = |client: ClientId| {
        let own = messages.iter().filter(|(to, _)| *to == client);
        let kinds = own.map(|(_, message)| match message.update.as_ref().unwrap() {
            StreamResponse::Digest(_) => 'd',
            StreamResponse::IdleTimeout(_) => 'i',
            _ => '?',
        });
        kinds.collect::<String>()
    };
    assert_eq!([kinds(learner), kinds(other), kinds(third)], ["di", "i", ""]);
    let ack = DigestListAck { digest_id, list_id: 1 };
    let ack = StreamMessageRequest { update: Some(StreamRequest::DigestAck(ack)) };
    bench.node.message(other, ack, bench.now).unwrap();
    assert!(
        matches!(&received(&mut bench, other)[..], [StreamResponse::Error(error)] if error.canonical_code == DENIED)
    );
}

#[test]
fn configurations_that_contradict_each_other_are_refused() {
    let mut bench = Bench::new();
    let (smac, dmac) = (bench.table("smac"), bench.table("dmac"));
    let config = |exclusive: &[u32], shared: &[u32]| P4RoleConfig {
        exclusive_p4_ids: exclusive.to_vec(),
        shared_p4_ids: shared.to_vec(),
        ..Default::default()
    };
    let first = connect(&mut bench, "first", &config(&[dmac], &[smac])).unwrap();
    assert_eq!(connect(&mut bench, "second", &config(&[dmac], &[])), Err(INVALID));
    assert_eq!(connect(&mut bench, "second", &config(&[], &[dmac])), Err(INVALID));
    assert_eq!(connect(&mut bench, "second", &config(&[smac], &[])), Err(INVALID));
    assert_eq!(connect(&mut bench, "second", &config(&[smac], &[smac])), Err(INVALID));
    assert_eq!(connect(&mut bench, "second", &config(&[0], &[])), Err(INVALID));
    assert!(connect(&mut bench, "second", &config(&[], &[smac])).is_ok());
    bench.node.close(first);
    assert!(connect(&mut bench, "third", &config(&[dmac], &[])).is_ok(), "nobody of the first role is left");

    let mut refused = |role: &str, config: Any| {
        let client = bench.node.open();
        bench.node.message(client, of_role(role, 10, Some(config)), Time::ZERO).unwrap_err().code as i32
    };
    let known = any(&P4RoleConfig::default());
    assert_eq!(refused("", known.clone()), INVALID, "the default role");
    assert_eq!(refused("x", Any { type_url: "type.googleapis.com/other.Config".into(), ..known }), INVALID);
    assert_eq!(refused("x", Any { type_url: ROLE_CONFIG.into(), value: vec![0xff] }), INVALID);
    let filter = Some(PacketFilter { metadata_id: 0, value: vec![1] });
    assert_eq!(refused("x", any(&P4RoleConfig { packet_in_filter: filter, ..Default::default() })), INVALID);
}

#[test]
fn the_primary_changes_the_configuration_and_all_controllers_are_told() {
    let mut bench = Bench::new();
    let with = |id: u32| any(&P4RoleConfig { shared_p4_ids: vec![id], ..Default::default() });
    let (smac, dmac) = (bench.table("smac"), bench.table("dmac"));
    let (primary, backup) = (bench.node.open(), bench.node.open());
    bench.node.message(primary, of_role("r", 10, Some(with(smac))), Time::ZERO).unwrap();
    bench.node.message(backup, of_role("r", 5, Some(with(dmac))), Time::ZERO).unwrap();
    let entry = EntityKind::TableEntry(bench.dmac(5, 3));
    assert_eq!(bench.write_as("r", INSERT, entry.clone()), DENIED, "a backup's configuration does not count");
    bench.node.take_messages();
    bench.node.message(primary, of_role("r", 10, Some(with(dmac))), Time::ZERO).unwrap();
    let told: Vec<(ClientId, Option<Any>)> = (bench.node.take_messages().into_iter())
        .map(|(client, message)| match message.update {
            Some(StreamResponse::Arbitration(update)) => (client, update.role.unwrap().config),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, [(backup, Some(with(dmac))), (primary, Some(with(dmac)))]);
    assert_eq!(bench.write_as("r", INSERT, entry), OK);
}

#[test]
fn a_role_needs_the_right_to_set_the_pipeline() {
    let mut bench = Bench::new();
    let (_, config) = learning();
    let set = |bench: &mut Bench, role: &str| {
        let request = SetForwardingPipelineConfigRequest {
            device_id: 1,
            election_id: election(10),
            action: 3,
            config: Some(config.clone()),
            role: role.to_owned(),
            ..Default::default()
        };
        bench.node.set_pipeline(&request, Time::ZERO).map_or_else(|fault| fault.code as i32, |()| OK)
    };
    connect(&mut bench, "reader", &P4RoleConfig::default()).unwrap();
    connect(&mut bench, "loader", &P4RoleConfig { can_push_pipeline: true, ..Default::default() }).unwrap();
    assert_eq!(set(&mut bench, "reader"), DENIED);
    assert_eq!(set(&mut bench, "loader"), OK);
    assert_eq!(set(&mut bench, "nobody"), NOT_FOUND);
}
