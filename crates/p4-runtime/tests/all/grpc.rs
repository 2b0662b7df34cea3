//! The gRPC server with a client over loopback.

use std::net::{SocketAddr, TcpListener};

use jettison_p4_runtime::node::{API_VERSION, Node};
use jettison_p4_runtime::proto::info::P4Info;
use jettison_p4_runtime::proto::runtime::*;
use jettison_p4_runtime::server;
use prost::Message;

use super::client::Client;
use super::support::*;

/// Runs `test` with a server of `learning.p4`.
fn served<F: Future<Output = ()>>(test: impl FnOnce(SocketAddr, P4Info) -> F) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (program, config) = learning();
    let info = config.p4info.clone().unwrap();
    let node = Node::standalone(1, CPU, program, config).unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = std::thread::spawn(move || {
        server::serve_standalone(listener, node, async {
            let _ = stopped.await;
        })
    });
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test(address, info));
    drop(stop);
    server.join().unwrap().unwrap();
}

fn write(updates: Vec<Update>) -> WriteRequest {
    WriteRequest { device_id: 1, election_id: election(10), updates, ..WriteRequest::default() }
}

fn entries(table_id: u32) -> ReadRequest {
    let entity = EntityKind::TableEntry(TableEntry { table_id, ..TableEntry::default() });
    let entities = vec![Entity { entity: Some(entity) }];
    ReadRequest { device_id: 1, entities, ..ReadRequest::default() }
}

#[test]
fn errors_of_single_updates_are_in_the_details_of_the_status() {
    served(|address, _| async move {
        let mut client = Client::connect(address, 10).await;
        assert!(matches!(client.next().await, Ok(StreamResponse::Arbitration(_))));
        let version: CapabilitiesResponse =
            client.call("Capabilities", CapabilitiesRequest {}).await.unwrap();
        assert_eq!(version.p4runtime_api_version, API_VERSION);
        let bench = Bench::new();
        let updates = [5, 5, 6].map(|address| update(INSERT, EntityKind::TableEntry(bench.dmac(address, 1))));
        let status = client.call::<_, WriteResponse>("Write", write(updates.to_vec())).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::Unknown);
        let details = Status::decode(status.details()).unwrap().details;
        let codes = details.iter().map(|any| Error::decode(&*any.value).unwrap().canonical_code);
        assert_eq!(codes.collect::<Vec<_>>(), [0, 6, 0]);
        assert_eq!(client.read(entries(0)).await.unwrap().len(), 2);
        let unknown = client.call::<_, WriteResponse>("Erase", write(Vec::new())).await.unwrap_err();
        assert_eq!(unknown.code(), tonic::Code::Unimplemented);
        let elsewhere = WriteRequest { device_id: 3, ..write(Vec::new()) };
        let status = client.call::<_, WriteResponse>("Write", elsewhere).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::NotFound);
    });
}

/// A controller that learns addresses from digests. Its packet-outs to port 0 take the place of hosts' packets.
#[test]
fn a_learning_switch_learns_over_grpc() {
    served(|address, _| async move {
        let bench = Bench::new();
        let mut client = Client::connect(address, 10).await;
        client.next().await.unwrap();
        let digest_id = bench.digest();
        let config =
            Some(DigestConfig { max_timeout_ns: 0, max_list_size: 1, ack_timeout_ns: 1_000_000_000 });
        let digest = EntityKind::DigestEntry(DigestEntry { digest_id, config });
        let _: WriteResponse = client.call("Write", write(vec![update(INSERT, digest)])).await.unwrap();
        send(&client, 0, frame(9, 1));
        // An unknown destination goes to the controller, and an unknown source is learned.
        match client.next().await.unwrap() {
            StreamResponse::Packet(packet) => {
                assert_eq!(packet.payload, frame(9, 1));
                assert_eq!(packet.metadata[0].value, CPU.to_be_bytes());
            }
            other => panic!("{other:?}"),
        }
        let list = match client.next().await.unwrap() {
            StreamResponse::Digest(list) => list,
            other => panic!("{other:?}"),
        };
        let Some(Data::Struct(learned)) = &list.data[0].data else { panic!("{list:?}") };
        let bytes = |at: usize| match &learned.members[at].data {
            Some(Data::Bitstring(bytes)) => bytes.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!((bytes(0), bytes(1)), (vec![1], CPU.to_be_bytes().to_vec()));
        let nothing = Action { action_id: bench.action("NoAction"), params: vec![] };
        let smac = TableEntry {
            table_id: bench.table("smac"),
            match_fields: vec![exact(1, &bytes(0)), exact(2, &bytes(1))],
            action: Some(TableAction { kind: Some(TableActionKind::Action(nothing)) }),
            ..TableEntry::default()
        };
        let entries = [smac, bench.dmac(1, CPU)].map(|entry| update(INSERT, EntityKind::TableEntry(entry)));
        let _: WriteResponse = client.call("Write", write(entries.to_vec())).await.unwrap();
        let ack = DigestListAck { digest_id, list_id: list.list_id };
        client.requests.send(StreamMessageRequest { update: Some(StreamRequest::DigestAck(ack)) }).unwrap();
        // Now the source is known, so the packet comes back without a digest, and the next one is of another source.
        for source in [1, 2] {
            send(&client, 0, frame(1, source));
            assert!(matches!(client.next().await.unwrap(), StreamResponse::Packet(_)));
        }
        assert!(matches!(client.next().await.unwrap(), StreamResponse::Digest(list) if list.list_id == 2));
    });
}

fn send(client: &Client, port: u16, payload: Vec<u8>) {
    let metadata = vec![PacketMetadata { metadata_id: 1, value: port.to_be_bytes().to_vec() }];
    let packet = PacketOut { payload, metadata };
    client.requests.send(StreamMessageRequest { update: Some(StreamRequest::Packet(packet)) }).unwrap();
}

#[test]
fn a_second_primary_takes_over_and_a_duplicate_id_is_closed() {
    served(|address, _| async move {
        let mut first = Client::connect(address, 10).await;
        first.next().await.unwrap();
        let mut second = Client::connect(address, 11).await;
        let code = |message| match message {
            StreamResponse::Arbitration(update) => update.status.unwrap().code,
            other => panic!("{other:?}"),
        };
        assert_eq!(code(second.next().await.unwrap()), 0);
        assert_eq!(code(first.next().await.unwrap()), 6);
        let status = first.call::<_, WriteResponse>("Write", write(Vec::new())).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::PermissionDenied);
        let mut third = Client::connect(address, 11).await;
        assert_eq!(third.next().await.unwrap_err().code(), tonic::Code::InvalidArgument);
        drop(second);
        assert_eq!(code(first.next().await.unwrap()), 5, "the primary has gone");
    });
}

#[test]
fn ten_thousand_entries_are_written_and_read() {
    served(|address, _| async move {
        let bench = Bench::new();
        let mut client = Client::connect(address, 10).await;
        client.next().await.unwrap();
        for batch in 0..10u64 {
            let updates =
                (0..1000).map(|n| update(INSERT, EntityKind::TableEntry(bench.dmac(batch * 1000 + n, 1))));
            let _: WriteResponse = client.call("Write", write(updates.collect())).await.unwrap();
        }
        assert_eq!(client.read(entries(bench.table("dmac"))).await.unwrap().len(), 10_000);
    });
}
