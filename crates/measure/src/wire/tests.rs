//! Real packets, as bytes, through a router's recorder, and the tales of their applications.

use jettison_core::{DropReason, Duration, Time};
use jettison_wire::{
    Address, Body, Buffer, FlowId, Headers, Packet, TcpFlags, TcpHeader, Transport, UdpHeader,
};
use proptest::prelude::*;

use super::log::{Sight, SightLog};
use super::*;
use crate::{
    AccountRow, Component, Content, Description, Ended, Endings, Place, Reason, Recorder, RecorderSettings,
    Status, Unit, UnitKind,
};

const AT: fn(u64) -> Time = Time::from_millis;
const MS: fn(u64) -> Duration = Duration::from_millis;
const FLOW: FlowId = FlowId(0);
const CLIENT: (Address, u16) = (Address::v4(10, 0, 0, 1), 40_000);
const SERVER: (Address, u16) = (Address::v4(10, 0, 0, 2), 80);
/// The client's and the server's first sequence numbers: the second one's wraps soon.
const FIRST: [u32; 2] = [1000, u32::MAX - 1500];

/// A packet as a kernel hands it over: bytes.
fn real(id: u32, headers: Headers, payload: usize) -> Packet {
    let mut bytes = Vec::new();
    Packet::model(headers, payload).write_ip_image(&mut bytes, usize::MAX);
    let mut packet = Packet::from_ip_buffer(Box::new(Buffer { bytes, ..Buffer::default() })).unwrap();
    assert!(matches!(packet.body, Body::Buffer(_)));
    (packet.meta.id, packet.meta.flow) = (id, FLOW);
    packet
}

/// A segment from a sequence number on.
fn segment(id: u32, ends: [(Address, u16); 2], seq: u32, flags: TcpFlags, payload: usize) -> Packet {
    let [from, to] = ends;
    let mut tcp = TcpHeader::new(from.1, to.1);
    (tcp.seq, tcp.flags) = (seq, flags);
    real(id, Headers { src: from.0, dst: to.0, transport: Transport::Tcp(tcp) }, payload)
}

/// A segment of the server from a place in its stream on.
fn from_server(id: u32, place: u32, payload: usize) -> Packet {
    segment(id, [SERVER, CLIENT], FIRST[1].wrapping_add(1 + place), TcpFlags::ACK, payload)
}

fn recorder(accounts: bool) -> Recorder {
    let mut recorder = Recorder::new(RecorderSettings { accounts, ..RecorderSettings::default() });
    recorder.add_queue("up");
    recorder.add_queue("down");
    recorder.add_flow("viewer");
    recorder
}

/// A router that has seen a connection begin, and the applications of its hosts.
fn parties() -> (Recorder, Recorder, Told) {
    let mut hosts = recorder(true);
    let told = hosts.leave_packets().unwrap();
    (router(true, told.tells()), hosts, told)
}

fn router(accounts: bool, tells: Tells) -> Recorder {
    let mut router = recorder(accounts);
    router.watch_real_packets(tells);
    let provenance = router.provenance().unwrap();
    provenance.came(&segment(1, [CLIENT, SERVER], FIRST[0], TcpFlags::SYN, 0), AT(1));
    provenance.came(&segment(2, [SERVER, CLIENT], FIRST[1], TcpFlags::SYN.with(TcpFlags::ACK), 0), AT(12));
    router
}

#[test]
fn a_segment_is_known_by_its_five_tuple_and_sequence_number() {
    let mut router = router(false, Tells::default());
    let provenance = router.provenance().unwrap();
    let mut content = |packet: &Packet| {
        provenance.came(packet, AT(20));
        provenance.content(packet)
    };
    let sent = |offset, length, previous: Option<Option<u32>>| {
        let (retransmission, previous) = (previous.is_some(), previous.flatten());
        Some(Content { unit: None, offset, length, retransmission, previous })
    };
    assert_eq!(content(&from_server(10, 0, 1000)), sent(0, 1000, None));
    // Beyond the end of the numbers.
    assert_eq!(content(&from_server(11, 1000, 1000)), sent(1000, 1000, None));
    assert_eq!(content(&from_server(12, 1000, 1000)), sent(1000, 1000, Some(Some(11))));
    // A piece of what came before has no one packet that carried it.
    assert_eq!(content(&from_server(13, 400, 100)), sent(400, 100, Some(None)));
    // Acknowledgements and datagrams carry nothing that headers tell; nor does a connection that nobody saw begin.
    assert_eq!(content(&from_server(14, 2000, 0)), None);
    assert_eq!(content(&segment(15, [CLIENT, (SERVER.0, 81)], 7, TcpFlags::ACK, 100)), None);
    let udp = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    assert_eq!(content(&real(16, Headers { src: CLIENT.0, dst: SERVER.0, transport: udp }, 100)), None);
    // The same ends again are another connection.
    content(&segment(17, [SERVER, CLIENT], 5_000_000, TcpFlags::SYN, 0));
    assert_eq!(content(&segment(18, [SERVER, CLIENT], 5_000_001, TcpFlags::ACK, 100)), sent(0, 100, None));
}

#[test]
fn a_drop_says_which_bytes_it_lost_and_whether_they_came_before() {
    let mut router = router(false, Tells::default());
    for (id, place) in [(10, 0), (11, 1000), (12, 0)] {
        let packet = from_server(id, place, 1000);
        router.provenance().unwrap().came(&packet, AT(20));
        router.packet_dropped(Place::Queue(1), &packet, DropReason::BufferFull, AT(21));
    }
    let drops = router.finish(AT(100)).drops.to_vec().unwrap();
    let known: Vec<(u64, bool, Option<u32>)> = drops
        .iter()
        .map(|drop| drop.identity.as_ref().unwrap().content.unwrap())
        .map(|content| (content.offset, content.retransmission, content.previous))
        .collect();
    assert_eq!(known, [(0, false, None), (1000, false, None), (0, true, Some(10))]);
}

/// Passes a packet through a queue: it waits 2 ms, is sent in 1 ms, and arrives 5 ms later. Returns when.
fn carried(router: &mut Recorder, queue: u32, packet: &Packet, at: Time) -> Time {
    let provenance = router.provenance().unwrap();
    provenance.came(packet, at);
    provenance.left(queue, packet, at, at + MS(2), at + MS(3));
    provenance.arrived(queue, packet, at + MS(8));
    provenance.handled(packet.meta.id, at + MS(8));
    at + MS(8)
}

fn parts(rows: &[AccountRow], unit: Unit) -> Vec<(Component, u64, Option<u64>)> {
    let own: Vec<&AccountRow> = rows.iter().filter(|row| row.unit == unit.of(FLOW)).collect();
    let (start, end) = (own[0].start, own[0].end);
    let sum = own.iter().fold(Duration::ZERO, |sum, row| sum + row.part.duration);
    assert_eq!(start + sum, end, "the parts add up to the whole");
    own.iter().map(|row| (row.part.component, row.part.duration.as_millis(), row.part.decision)).collect()
}

#[test]
fn the_account_of_a_segment_has_what_both_saw_and_the_rest_is_unseen() {
    let (mut router, mut hosts, mut told) = parties();
    let (ask, answer) = (Unit::new(UnitKind::Request, 7, 2), Unit::new(UnitKind::Segment, 7, 2));
    // Another drop before: of the router's numbers only the order remains.
    hosts.dropped(crate::DropRecord {
        time: AT(5),
        queue: 0,
        flow: FLOW,
        reason: DropReason::BufferFull,
        length: 9,
    });
    told.opened(1, CLIENT, SERVER, true, AT(0));
    told.connected(1, AT(22));
    told.opened(2, SERVER, CLIENT, false, AT(23));
    // The request is written at 30 ms and leaves its kernel at 31.
    told.carries(1, ask.of(FLOW), 100, 0, AT(30));
    let asked = segment(5, [CLIENT, SERVER], FIRST[0] + 1, TcpFlags::ACK, 100);
    assert_eq!(carried(&mut router, 0, &asked, AT(31)), AT(39));
    told.read(2, 100, AT(40));
    assert_eq!(told.asked(2), Some(ask.of(FLOW)));
    told.carries(2, answer.of(FLOW), 2000, 0, AT(42));
    // The first packet is dropped, the second one comes, and the first again.
    let lost = from_server(6, 0, 1000);
    router.provenance().unwrap().came(&lost, AT(45));
    router.packet_dropped(Place::Queue(1), &lost, DropReason::BufferFull, AT(45));
    carried(&mut router, 1, &from_server(7, 1000, 1000), AT(46));
    assert_eq!(carried(&mut router, 1, &from_server(8, 0, 1000), AT(70)), AT(78));
    told.read(1, 2000, AT(81));
    let mut ended = Endings::default();
    ended.unit(answer, Status::Shown, Reason::None, AT(100));
    told.ended(FLOW, ended, false, AT(100));
    let numbers = router.adopt_flows(hosts, |_| true);
    assert_eq!(router.join(&told, &numbers, AT(200)), None);
    let record = router.finish(AT(200));
    let rows = record.accounts.all().unwrap();
    use Component::{Application, Playout, Propagation, Queue, Retransmission, Serialisation, Unseen};
    let found = parts(&rows, answer);
    let expected = [
        (Unseen, 1, None),
        (Queue, 2, None),
        (Serialisation, 1, None),
        (Propagation, 5, None),
        (Unseen, 1, None),
        (Application, 2, None),
        (Unseen, 3, None),
        (Retransmission, 25, Some(1)),
        (Queue, 2, None),
        (Serialisation, 1, None),
        (Propagation, 5, None),
        (Unseen, 3, None),
        (Playout, 19, None),
    ];
    assert_eq!(found, expected);
    let drops = record.drops.to_vec().unwrap();
    let content = drops[1].identity.as_ref().unwrap().content.unwrap();
    assert_eq!((drops[1].id, content.unit, content.offset), (1, Some(answer.of(FLOW)), 0));
}

#[test]
fn what_came_before_a_gap_was_filled_waited_behind_it() {
    let (mut router, _, mut told) = parties();
    let units = [1, 2].map(|number| Unit::new(UnitKind::Response, number, 0));
    told.opened(2, SERVER, CLIENT, false, AT(20));
    told.opened(1, CLIENT, SERVER, true, AT(20));
    for (unit, written) in units.iter().zip([0, 1000]) {
        told.carries(2, unit.of(FLOW), 1000, written, AT(30));
    }
    let lost = from_server(6, 0, 1000);
    router.provenance().unwrap().came(&lost, AT(31));
    router.packet_dropped(Place::Queue(1), &lost, DropReason::BufferFull, AT(31));
    carried(&mut router, 1, &from_server(7, 1000, 1000), AT(32));
    carried(&mut router, 1, &from_server(8, 0, 1000), AT(60));
    told.read(1, 2000, AT(70));
    router.join(&told, &Default::default(), AT(200));
    let rows = router.finish(AT(200)).accounts.all().unwrap();
    use Component::{HeadOfLine, Propagation, Queue, Serialisation, Unseen};
    let expected = [
        (Unseen, 2, None),
        (Queue, 2, None),
        (Serialisation, 1, None),
        (Propagation, 5, None),
        (HeadOfLine, 28, Some(0)),
        (Unseen, 2, None),
    ];
    assert_eq!(parts(&rows, units[1]), expected);
}

#[test]
fn a_datagram_is_known_by_its_ends_and_first_bytes() {
    let (mut router, _, mut told) = parties();
    let unit = Unit::new(UnitKind::Frame, 3, 0);
    told.began(unit.of(FLOW), AT(20), AT(20));
    let heads: [[u8; 4]; 2] = [[0, 0, 0, 1], [0, 0, 0, 2]];
    for (head, (id, at)) in heads.iter().zip([(20, 21), (21, 41)]) {
        told.describe(Description::new(unit, 0));
        let key = DatagramKey::of(SERVER, CLIENT, head, 500);
        told.sends(key, SERVER, FLOW, AT(at));
        let inline = jettison_wire::InlineBytes::new(head).unwrap();
        let udp = Transport::Udp(UdpHeader { src_port: SERVER.1, dst_port: CLIENT.1, inline });
        let packet = real(id, Headers { src: SERVER.0, dst: CLIENT.0, transport: udp }, 500);
        carried(&mut router, 1, &packet, AT(at + 1));
        told.receives(key, AT(at + 12));
        told.part(unit.of(FLOW), 2, AT(at + 12));
        told.handled(AT(at + 12));
    }
    router.join(&told, &Default::default(), AT(200));
    let rows = router.finish(AT(200)).accounts.all().unwrap();
    use Component::{Application, Propagation, Queue, Serialisation, Unseen};
    let expected = [
        (Application, 21, None),
        (Unseen, 1, None),
        (Queue, 2, None),
        (Serialisation, 1, None),
        (Propagation, 5, None),
        (Unseen, 3, None),
    ];
    assert_eq!(parts(&rows, unit), expected);
}

#[test]
fn nothing_is_recorded_without_identities() {
    let identities = crate::Identities::Off;
    let mut recorder = Recorder::new(RecorderSettings { identities, ..RecorderSettings::default() });
    recorder.watch_real_packets(Tells::default());
    assert!(recorder.provenance().is_none());
    assert!(recorder.leave_packets().is_none());
}

fn sights() -> impl Strategy<Value = Sight> {
    let places = prop_oneof![
        any::<u32>().prop_map(Place::Queue),
        any::<u32>().prop_map(Place::Beside),
        Just(Place::Node)
    ];
    let time = (0..1_u64 << 40).prop_map(Time::from_nanos);
    prop_oneof![
        any::<(u32, u16)>().prop_map(|(stream, port)| Sight::Opened(stream, [(CLIENT.0, port), SERVER])),
        any::<(u32, u32, u64, u32, bool)>().prop_map(|(packet, stream, offset, length, is_repeated)| {
            Sight::Segment { packet, stream, offset, length, is_repeated }
        }),
        any::<(u32, u64, u32)>().prop_map(|(packet, key, length)| Sight::Datagram {
            packet,
            key: DatagramKey(key),
            length
        }),
        (any::<(u32, u32)>(), time.clone(), 0..1_u64 << 40).prop_map(|((queue, packet), enqueued, sends)| {
            Sight::Left { queue, packet, enqueued, left: Time::from_nanos((1 << 40) + sends) }
        }),
        any::<(u32, u32)>().prop_map(|(queue, packet)| Sight::Arrived { queue, packet }),
        any::<u32>().prop_map(Sight::Delivered),
        (any::<(u32, u64)>(), places, time).prop_map(|((packet, decision), place, enqueued)| {
            Sight::Dropped { packet, place, enqueued, decision }
        }),
        any::<(u32, u64)>().prop_map(|(packet, decision)| Sight::Marked { packet, decision }),
        any::<u32>().prop_map(Sight::Copied),
    ]
}

proptest! {
    #[test]
    fn the_log_gives_back_what_it_took(sights in proptest::collection::vec(sights(), 0..200)) {
        let mut log = SightLog::default();
        let now = |place: usize| Time::from_nanos((1 << 40) + 1000 * place as u64 / 3);
        // Of transmissions the end is after the beginning.
        let sights: Vec<Sight> = sights.into_iter().map(|sight| match sight {
            Sight::Left { queue, packet, enqueued, left } => {
                Sight::Left { queue, packet, enqueued, left: left.saturating_add(MS(1)) }
            }
            sight => sight,
        }).collect();
        // So often that it needs several pieces.
        let repeated = || sights.iter().cycle().take(sights.len() * 200).enumerate();
        repeated().for_each(|(place, sight)| log.push(now(place), sight));
        let found = log.iter().collect::<Vec<_>>();
        let expected: Vec<(Time, Sight)> = repeated().map(|(place, sight)| (now(place), *sight)).collect();
        prop_assert!(found == expected);
        prop_assert_eq!(log.full_since(), None);
    }
}

#[test]
fn ends_of_units_are_taken_once() {
    let mut hosts = recorder(true);
    let unit = Unit::new(UnitKind::Segment, 1, 0);
    hosts.flow(FLOW).unwrap().endings().unwrap().unit(unit, Status::Shown, Reason::None, AT(3));
    let ended = Ended { unit, status: Status::Shown, reason: Reason::None, at: AT(3) };
    let mut expected = Endings::default();
    expected.unit(ended.unit, ended.status, ended.reason, ended.at);
    assert_eq!(hosts.take_ended(FLOW), expected);
    assert_eq!(hosts.take_ended(FLOW), Endings::default());
}
