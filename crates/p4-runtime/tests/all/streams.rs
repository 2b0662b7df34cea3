//! Arbitration, packets, digests and the forwarding pipeline.

use jettison_core::{Duration, Time};
use jettison_p4_runtime::proto::runtime::*;

use super::support::*;

fn codes(bench: &mut Bench) -> Vec<(u64, i32)> {
    let messages = bench.node.take_messages().into_iter();
    messages
        .filter_map(|(client, message)| match message.update {
            Some(StreamResponse::Arbitration(update)) => Some((client, update.status.unwrap().code)),
            _ => None,
        })
        .collect()
}

#[test]
fn the_highest_election_id_is_primary() {
    let mut bench = Bench::new();
    let first = bench.client;
    let (second, third) = (bench.node.open(), bench.node.open());
    bench.node.message(second, arbitration(1, 5), Time::ZERO).unwrap();
    assert_eq!(codes(&mut bench), [(second, 6)], "a backup is told alone");
    bench.node.message(third, arbitration(1, 20), Time::ZERO).unwrap();
    assert_eq!(codes(&mut bench), [(first, 6), (second, 6), (third, 0)], "the primary is told last");
    bench.node.close(third);
    assert_eq!(codes(&mut bench), [(first, 5), (second, 5)], "nobody inherits");
    bench.node.message(first, arbitration(1, 21), Time::ZERO).unwrap();
    assert_eq!(codes(&mut bench), [(second, 6), (first, 0)]);
    bench.node.message(first, arbitration(1, 0), Time::ZERO).unwrap();
    assert_eq!(codes(&mut bench), [(first, 5), (second, 5)], "a primary may step down");
}

#[test]
fn streams_that_break_the_rules_end() {
    let mut bench = Bench::new();
    let client = bench.node.open();
    let end = |bench: &mut Bench, client, message| {
        bench.node.message(client, message, Time::ZERO).unwrap_err().code as i32
    };
    assert_eq!(end(&mut bench, client, arbitration(2, 5)), 5, "unknown device");
    assert_eq!(end(&mut bench, client, arbitration(1, 10)), 3, "election id in use");
    let first = bench.client;
    assert_eq!(end(&mut bench, first, arbitration(2, 10)), 9, "another device");
    assert_eq!(end(&mut bench, first, StreamMessageRequest { update: None }), 3);
}

fn packet_out(port: &[u8], payload: Vec<u8>) -> StreamMessageRequest {
    let metadata = vec![PacketMetadata { metadata_id: 1, value: port.to_vec() }];
    StreamMessageRequest { update: Some(StreamRequest::Packet(PacketOut { payload, metadata })) }
}

#[test]
fn packets_go_out_and_come_in_with_their_metadata() {
    let mut bench = Bench::new();
    let client = bench.client;
    bench.node.message(client, packet_out(&[1, 1], frame(1, 2)), Time::ZERO).unwrap();
    let sent = bench.node.device_mut().take_departed();
    assert_eq!((sent[0].port, &sent[0].bytes), (257, &frame(1, 2)));
    bench.frame(300, 9, 8);
    let metadata = vec![PacketMetadata { metadata_id: 1, value: vec![1, 44] }];
    assert_eq!(bench.messages(), [StreamResponse::Packet(PacketIn { payload: frame(9, 8), metadata })]);

    let backup = bench.node.open();
    bench.node.message(backup, arbitration(1, 3), Time::ZERO).unwrap();
    bench.node.take_messages();
    let refused = |bench: &mut Bench, client, message| {
        bench.node.message(client, message, Time::ZERO).unwrap();
        match bench.node.take_messages().pop().unwrap().1.update {
            Some(StreamResponse::Error(error)) => error.canonical_code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&mut bench, backup, packet_out(&[1], frame(1, 2))), 7);
    assert_eq!(refused(&mut bench, client, packet_out(&[2, 0], frame(1, 2))), 11);
    let mut bare = packet_out(&[1], frame(1, 2));
    if let Some(StreamRequest::Packet(packet)) = &mut bare.update {
        packet.metadata.clear();
    }
    assert_eq!(refused(&mut bench, client, bare), 3);
    assert!(bench.departed().is_empty());
}

fn learned(bench: &mut Bench) -> Vec<(u64, Vec<Vec<u8>>)> {
    let lists = bench.messages().into_iter().filter_map(|message| match message {
        StreamResponse::Digest(list) => Some(list),
        _ => None,
    });
    let address = |data: P4Data| match data.data {
        Some(Data::Struct(like)) => match &like.members[0].data {
            Some(Data::Bitstring(bytes)) => bytes.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    lists.map(|list| (list.list_id, list.data.into_iter().map(address).collect())).collect()
}

#[test]
fn digests_are_listed_without_duplicates_until_acknowledged() {
    let mut bench = Bench::new();
    let digest_id = bench.digest();
    bench.frame(1, 9, 1);
    assert!(learned(&mut bench).is_empty(), "not configured");
    let config = DigestConfig { max_timeout_ns: 50_000_000, max_list_size: 2, ack_timeout_ns: 1_000_000_000 };
    let digest = |config| EntityKind::DigestEntry(DigestEntry { digest_id, config });
    assert_eq!(bench.write(MODIFY, digest(Some(config))), 5);
    assert_eq!(bench.write(INSERT, digest(Some(config))), 0);
    assert_eq!(bench.read(digest(None)), [digest(Some(config))]);
    for source in [1, 1, 2, 3] {
        bench.frame(1, 9, source);
    }
    assert_eq!(learned(&mut bench), [(1, vec![vec![1], vec![2]])], "a full list at once, each message once");
    bench.now = Time::from_millis(49);
    bench.node.advance(bench.now).unwrap();
    assert!(learned(&mut bench).is_empty());
    bench.now = Time::from_millis(50);
    bench.node.advance(bench.now).unwrap();
    assert_eq!(learned(&mut bench), [(2, vec![vec![3]])]);

    bench.frame(1, 9, 1);
    bench.frame(1, 9, 3);
    let ack = DigestListAck { digest_id, list_id: 1 };
    let message = StreamMessageRequest { update: Some(StreamRequest::DigestAck(ack)) };
    bench.node.message(bench.client, message, bench.now).unwrap();
    bench.frame(1, 9, 1);
    bench.now += Duration::from_millis(60);
    bench.node.advance(bench.now).unwrap();
    assert_eq!(learned(&mut bench), [(3, vec![vec![1]])], "acknowledged ones may come again, others not");
    bench.now = Time::from_millis(1050);
    bench.frame(1, 9, 3);
    bench.now = Time::from_millis(1100);
    bench.node.advance(bench.now).unwrap();
    assert_eq!(learned(&mut bench), [(4, vec![vec![3]])], "the acknowledgement's timeout");
    assert_eq!(bench.write(DELETE, digest(None)), 0);
}

#[test]
fn a_pipeline_is_verified_saved_committed_and_read_back() {
    let mut bench = Bench::new();
    let (_, config) = learning();
    let request = |action, config: Option<&ForwardingPipelineConfig>| SetForwardingPipelineConfigRequest {
        device_id: 1,
        election_id: election(10),
        action,
        config: config.cloned(),
        ..Default::default()
    };
    let set = |bench: &mut Bench, action, config: Option<&ForwardingPipelineConfig>| {
        let done = bench.node.set_pipeline(&request(action, config), Time::ZERO);
        done.map_or_else(|fault| fault.code as i32, |()| 0)
    };
    let first = EntityKind::TableEntry(bench.dmac(5, 3));
    assert_eq!(bench.write(INSERT, first), 0);
    assert_eq!(set(&mut bench, 1, Some(&config)), 0);
    assert_eq!(set(&mut bench, 4, None), 5, "nothing saved");
    assert_eq!(set(&mut bench, 5, Some(&config)), 0, "the running program");
    assert_eq!(bench.entries(TableEntry::default()).len(), 1, "verified, reconciled: the entries stay");
    assert_eq!(set(&mut bench, 2, Some(&config)), 0);
    assert_eq!(set(&mut bench, 4, Some(&config)), 3);
    assert_eq!(set(&mut bench, 4, None), 0);
    assert!(bench.entries(TableEntry::default()).is_empty(), "a committed pipeline starts empty");

    let mut foreign = config.clone();
    foreign.p4_device_config = b"{\"program\": \"compiled elsewhere\"}".to_vec();
    // Ids are the P4Info's own: only names must fit.
    foreign.p4info.as_mut().unwrap().tables[0].preamble.as_mut().unwrap().id = 0x0200_0001;
    assert_eq!(set(&mut bench, 3, Some(&foreign)), 0);
    foreign.p4info.as_mut().unwrap().tables[0].preamble.as_mut().unwrap().name = "I.other".into();
    assert_eq!(set(&mut bench, 3, Some(&foreign)), 3);
    assert_eq!(set(&mut bench, 3, None), 3);
    let mut other = config.clone();
    other.p4_device_config =
        String::from_utf8(other.p4_device_config).unwrap().replace("smac", "smaq").into_bytes();
    assert_eq!(set(&mut bench, 3, Some(&other)), 3, "the P4Info is of another program");
    assert_eq!(set(&mut bench, 3, Some(&config)), 0);

    let get = |bench: &Bench, response_type| {
        bench.node.pipeline(&GetForwardingPipelineConfigRequest { device_id: 1, response_type }).unwrap()
    };
    assert_eq!(get(&bench, 0), config);
    let cookie = get(&bench, 1);
    assert_eq!((cookie.cookie, cookie.p4info, cookie.p4_device_config.len()), (config.cookie, None, 0));
}
