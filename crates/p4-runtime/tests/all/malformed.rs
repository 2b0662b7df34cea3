//! Damaged requests: a device answers each of them, and works afterwards.

use jettison_core::Seed;
use jettison_p4_runtime::proto::runtime::*;
use prost::Message;

use super::support::*;

/// Requests with one entity of each kind.
fn writes(bench: &Bench) -> Vec<WriteRequest> {
    let known = |preamble: &Option<jettison_p4_runtime::proto::info::Preamble>| preamble.as_ref().unwrap().id;
    let (info, index) = (&bench.info, Some(Index { index: 2 }));
    let action_profile_id = known(&info.action_profiles[0].preamble);
    let action = Some(bench.plain_action("set_port", &[1]));
    let member = ActionProfileMember { action_profile_id, member_id: 1, action: action.clone() };
    let members = vec![GroupMember { member_id: 1, weight: 2, watch: None }];
    let group = ActionProfileGroup { action_profile_id, group_id: 1, members, max_size: 4 };
    let set =
        ActionProfileActionSet { actions: vec![ActionProfileAction { action, weight: 2, watch: None }] };
    let path = TableEntry {
        table_id: bench.table("paths"),
        match_fields: vec![exact(1, &[0x12, 0x34])],
        action: Some(TableAction { kind: Some(TableActionKind::ActionSet(set)) }),
        ..TableEntry::default()
    };
    let config = Some(MeterConfig { cir: 1000, cburst: 5, pir: 2000, pburst: 8, eburst: 0 });
    let meter_id = known(&info.meters[0].preamble);
    let meter = MeterEntry { meter_id, index, config, counter_data: None };
    let data = Some(CounterData { packet_count: 4, byte_count: 5 });
    let counter = CounterEntry { counter_id: known(&info.counters[0].preamble), index, data };
    let value = Some(P4Data { data: Some(Data::Bitstring(vec![7, 7])) });
    let register = RegisterEntry { register_id: known(&info.registers[0].preamble), index, data: value };
    let dmac = bench.dmac(9, 3);
    let direct = DirectCounterEntry { table_entry: Some(dmac.clone()), data };
    let replicas = vec![Replica { instance: 1, port: Some(ReplicaPort::Bytes(vec![3])) }];
    let multicast =
        MulticastGroupEntry { multicast_group_id: 1, replicas: replicas.clone(), ..Default::default() };
    let clone = CloneSessionEntry { session_id: 5, replicas, ..CloneSessionEntry::default() };
    let replication =
        |kind| EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind: Some(kind) });
    let config = Some(DigestConfig { max_timeout_ns: 0, max_list_size: 1, ack_timeout_ns: 5 });
    let entities = [
        EntityKind::TableEntry(dmac),
        EntityKind::ActionProfileMember(member),
        EntityKind::ActionProfileGroup(group),
        EntityKind::TableEntry(path),
        EntityKind::MeterEntry(meter),
        EntityKind::CounterEntry(counter),
        EntityKind::RegisterEntry(register),
        EntityKind::DirectCounterEntry(direct),
        replication(ReplicationKind::MulticastGroup(multicast)),
        replication(ReplicationKind::CloneSession(clone)),
        EntityKind::DigestEntry(DigestEntry { digest_id: bench.digest(), config }),
    ];
    let requests = entities.into_iter().flat_map(|entity| {
        [INSERT, MODIFY, DELETE].map(|kind| WriteRequest {
            device_id: 1,
            election_id: election(10),
            updates: vec![update(kind, entity.clone())],
            ..WriteRequest::default()
        })
    });
    requests.collect()
}

#[test]
fn damaged_messages_are_answered() {
    let mut bench = Bench::new();
    let mut random = Seed(26).stream(&["malformed"]);
    let requests: Vec<Vec<u8>> = writes(&bench).iter().map(Message::encode_to_vec).collect();
    let metadata = vec![PacketMetadata { metadata_id: 1, value: vec![0] }];
    let packet = StreamRequest::Packet(PacketOut { payload: frame(9, 1), metadata });
    let packet = StreamMessageRequest { update: Some(packet) }.encode_to_vec();
    let (_, config) = learning();
    let mut pipeline = SetForwardingPipelineConfigRequest {
        device_id: 1,
        election_id: election(10),
        action: 1,
        config: Some(config.clone()),
        ..Default::default()
    };
    pipeline.config.as_mut().unwrap().p4_device_config.clear(); // the program of the device
    let pipeline = pipeline.encode_to_vec();
    let mut damaged = |message: &[u8]| {
        let mut message = message.to_vec();
        for _ in 0..random.uniform(0, 4) {
            let at = random.uniform(0, message.len() as u64 - 1) as usize;
            message[at] = random.uniform(0, 255) as u8;
        }
        message
    };
    let (mut written, mut refused) = (0, 0);
    for round in 0..60_000 {
        if let Ok(request) = WriteRequest::decode(&*damaged(&requests[round % requests.len()])) {
            match bench.node.write(&request, bench.now) {
                Ok(None) => written += 1,
                _ => refused += 1,
            }
            // A read answers with the same entities or refuses them.
            let entities = request.updates.into_iter().filter_map(|update| update.entity).collect();
            let read = ReadRequest { device_id: 1, entities, ..ReadRequest::default() };
            let _ = bench.node.read(&read, bench.now);
        }
        if let Ok(message) = StreamMessageRequest::decode(&*damaged(&packet)) {
            let _ = bench.node.message(bench.client, message, bench.now);
        }
        if round % 50 == 0 {
            if let Ok(request) = SetForwardingPipelineConfigRequest::decode(&*damaged(&pipeline)) {
                let _ = bench.node.set_pipeline(&request, bench.now);
            }
            bench.node.take_messages();
            bench.departed();
        }
    }
    assert!(written > 1000 && refused > 1000, "{written} written, {refused} refused");

    let all = EntityKind::TableEntry(TableEntry::default());
    bench.read(all);
    let again = SetForwardingPipelineConfigRequest {
        device_id: 1,
        election_id: election(10),
        action: 3,
        config: Some(config),
        ..Default::default()
    };
    bench.node.message(bench.client, arbitration(1, 10), bench.now).unwrap();
    bench.node.set_pipeline(&again, bench.now).unwrap();
    let entry = EntityKind::TableEntry(bench.dmac(9, 3));
    assert_eq!(bench.write(INSERT, entry), 0);
}
