use jettison_core::{DropReason, Time};
use jettison_wire::{Address, FlowId, Headers, Packet, TcpFlags, TcpHeader, Transport, UdpHeader};

use super::*;

const FLOW: FlowId = FlowId(3);
const FROM: (Address, u16) = (Address::v4(10, 0, 0, 1), 80);
const TO: (Address, u16) = (Address::v4(10, 0, 0, 2), 50_000);

fn packet(id: u32, transport: Transport, payload: usize) -> Packet {
    let mut packet = Packet::model(Headers { src: FROM.0, dst: TO.0, transport }, payload);
    (packet.meta.id, packet.meta.flow) = (id, FLOW);
    packet
}

fn segment(id: u32, sequence: u32, payload: usize) -> Packet {
    let mut header = TcpHeader::new(FROM.1, TO.1);
    (header.seq, header.flags) = (sequence, TcpFlags::ACK);
    packet(id, Transport::Tcp(header), payload)
}

fn datagram(id: u32, payload: usize) -> Packet {
    packet(id, Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() }), payload)
}

fn unit(number: u64) -> Unit {
    Unit::new(UnitKind::Segment, number, 1)
}

#[test]
fn a_segment_carries_the_unit_of_its_first_byte_and_knows_all() {
    // Sequence numbers wrap in the middle.
    let first = u32::MAX - 1_499;
    let mut own = Provenance::new();
    let stream = own.opened(FROM, TO, FLOW, first, Time::ZERO);
    own.carries(stream, unit(7), 1_500, 0, Time::ZERO);
    own.carries(stream, unit(8), 2_500, 1_500, Time::ZERO);
    let packets = [segment(0, first, 1_000), segment(1, first + 1_000, 1_000), segment(2, 500, 1_000)];
    packets.iter().for_each(|packet| own.segment(stream, packet, 0));
    let content = |packet: &Packet| own.content(packet).unwrap();
    assert_eq!(packets.each_ref().map(|packet| content(packet).offset), [0, 1_000, 2_000]);
    assert_eq!(content(&packets[1]).unit, Some(unit(7).of(FLOW)));
    assert_eq!(content(&packets[2]).unit, Some(unit(8).of(FLOW)));
    let both = [unit(7).of(FLOW), unit(8).of(FLOW)];
    assert_eq!(own.units(&packets[1]).collect::<Vec<_>>(), both);
    assert_eq!(own.content(&segment(3, first, 0)), None, "an acknowledgement carries nothing");
    assert_eq!(
        own.content(&segment(4, first.wrapping_add(3_900), 1_000)).unwrap().unit,
        Some(unit(8).of(FLOW))
    );
    assert_eq!(own.content(&segment(4, first.wrapping_add(4_000), 1_000)).unwrap().unit, None);
}

#[test]
fn a_retransmission_names_the_packet_before_it_until_it_has_arrived() {
    let mut own = Provenance::new();
    let stream = own.opened(FROM, TO, FLOW, 1, Time::ZERO);
    own.carries(stream, unit(7), 10_000, 0, Time::ZERO);
    for (id, sequence) in [(0, 1), (5, 1_001), (6, 2_001)] {
        own.segment(stream, &segment(id, sequence, 1_000), 0);
    }
    for (id, previous) in [(7, 5), (9, 7)] {
        let again = segment(id, 1_001, 1_000);
        own.segment(stream, &again, 1_000);
        let content = own.content(&again).unwrap();
        assert!(content.retransmission);
        assert_eq!(
            (content.previous, content.unit, content.offset),
            (Some(previous), Some(unit(7).of(FLOW)), 1_000)
        );
    }
    // The one before is still on its way.
    assert_eq!(own.content(&segment(7, 1_001, 1_000)).unwrap().previous, Some(5));
    own.dropped(0, Place::Node, &segment(7, 1_001, 1_000), DropReason::BufferFull, Time::ZERO);
    own.handled(9, Time::ZERO);
    assert!(own.contents.is_empty());
}

#[test]
fn a_stream_is_known_behind_address_translation() {
    let mut own = Provenance::new();
    let stream = own.opened(FROM, TO, FLOW, 1, Time::ZERO);
    own.carries(stream, unit(7), 10_000, 0, Time::ZERO);
    let mut opening = segment(0, 0, 0);
    let translate = |packet: &mut Packet| {
        let headers = packet.headers_mut().unwrap();
        headers.src = Address::v4(198, 51, 100, 1);
        let Transport::Tcp(tcp) = &mut headers.transport else { panic!("a segment") };
        tcp.src_port = 4_000;
    };
    if let Some(Transport::Tcp(tcp)) = opening.headers_mut().map(|headers| &mut headers.transport) {
        tcp.flags = TcpFlags::SYN;
    }
    own.segment(stream, &opening, 0);
    let mut data = segment(1, 1, 1_000);
    own.segment(stream, &data, 0);
    own.arrived(0, &opening, Time::ZERO);
    translate(&mut data);
    assert_eq!(own.content(&data), None, "nothing has shown the other ends");
    translate(&mut opening);
    own.arrived(0, &opening, Time::ZERO);
    own.handled(0, Time::ZERO);
    assert!(own.openings.is_empty());
    assert_eq!(own.content(&data).unwrap().unit, Some(unit(7).of(FLOW)));
    // The other end sees these ends, and finds what it was asked for.
    let server = own.opened(TO, (Address::v4(198, 51, 100, 1), 4_000), FLOW, 1, Time::ZERO);
    assert_eq!(own.asked(server), Some(unit(7).of(FLOW)));
    own.closed(stream, Time::ZERO);
    own.opened(TO, FROM, FLOW, 1, Time::from_secs(60));
    assert_eq!(own.content(&data), None);
}

#[test]
fn streams_are_forgotten_a_minute_after_their_connection() {
    let mut own = Provenance::new();
    let stream = own.opened(FROM, TO, FLOW, 1, Time::ZERO);
    own.segment(stream, &segment(0, 1, 1_000), 0);
    own.closed(stream, Time::from_secs(1));
    own.opened(TO, FROM, FLOW, 1, Time::from_secs(60));
    assert!(own.content(&segment(0, 1, 1_000)).is_some());
    own.opened((TO.0, 5), FROM, FLOW, 1, Time::from_secs(61));
    assert_eq!(own.content(&segment(0, 1, 1_000)), None);
}

#[test]
fn a_datagram_carries_what_its_application_said_last() {
    let mut own = Provenance::new();
    own.describe(Description::new(unit(7), 1_200));
    own.datagram(&datagram(4, 100), Time::ZERO);
    own.datagram(&datagram(5, 100), Time::ZERO);
    let expected = Content { unit: Some(unit(7).of(FLOW)), offset: 1_200, length: 100, ..Content::default() };
    assert_eq!(own.content(&datagram(4, 100)), Some(expected));
    assert_eq!(own.units(&datagram(4, 100)).collect::<Vec<_>>(), [unit(7).of(FLOW)]);
    assert_eq!(own.content(&datagram(5, 100)), None);
    own.reply(&datagram(4, 100), &datagram(6, 100), Time::ZERO);
    own.handled(4, Time::ZERO);
    assert_eq!((own.content(&datagram(4, 100)), own.content(&datagram(6, 100))), (None, Some(expected)));
}

#[test]
fn a_repeated_datagram_names_the_packet_with_the_number_that_it_repeats() {
    let mut own = Provenance::new();
    for (id, number, repeats) in [(10, 0, None), (11, 1, None), (15, 2, Some(0)), (16, 3, Some(99))] {
        own.describe(Description { number: Some(number), repeats, ..Description::new(unit(1), 0) });
        own.datagram(&datagram(id, 100), Time::ZERO);
    }
    let of = |id| own.content(&datagram(id, 100)).map(|own| (own.retransmission, own.previous)).unwrap();
    assert_eq!([of(11), of(15), of(16)], [(false, None), (true, Some(10)), (true, None)]);
}
