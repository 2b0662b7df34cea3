//! Accounts of scripted datagrams.

use jettison_core::Duration;
use jettison_wire::{Headers, InlineBytes, UdpHeader};

use super::*;

const QUEUE: u32 = 3;

fn packet(id: u32, sent_at: Time) -> Packet {
    let address = |host| Address::v4(10, 0, 0, host);
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: InlineBytes::default() });
    let mut packet = Packet::model(Headers { src: address(1), dst: address(2), transport }, 100);
    (packet.meta.id, packet.meta.flow) = (id, FlowId(0));
    (packet.meta.sent_at, packet.meta.enqueued_at) = (sent_at, sent_at);
    packet
}

fn unit(kind: UnitKind, number: u64) -> Unit {
    Unit::new(kind, number, 0).of(FlowId(0))
}

/// Sends a part of a unit: it waits 1 ms, is transmitted in 2 ms, and comes 10 ms later, if it comes.
fn send(accounts: &mut Accounts, id: u32, unit: Unit, at: Time) -> Time {
    let ms = |ms| at.saturating_add(Duration::from_millis(ms));
    accounts.datagram(&packet(id, at), unit, 0, None, at);
    accounts.left(QUEUE, id, at, ms(1), ms(3));
    ms(13)
}

fn arrive(accounts: &mut Accounts, id: u32, at: Time) {
    accounts.arrived(QUEUE, id, at);
    accounts.handled(id, at);
}

#[allow(clippy::type_complexity)] // an alias would hide what it is
fn parts(accounts: Accounts, end: Time) -> Vec<(Status, Vec<(Component, u64, Option<u64>)>)> {
    let rows = accounts.finish(end).all().unwrap();
    let units = rows.chunk_by(|one, other| one.unit == other.unit);
    let of = |row: &AccountRow| (row.part.component, row.part.duration.as_millis(), row.part.decision);
    units.map(|own| (own[0].status, own.iter().map(of).collect())).collect()
}

#[test]
fn what_has_ended_is_forgotten() {
    let mut accounts = Accounts::default();
    for number in 0..10_000 {
        let at = Time::from_millis(20 * number);
        let unit = unit(UnitKind::Sample, number);
        let arrives = send(&mut accounts, number as u32, unit, at);
        match number % 3 {
            0 => accounts.dropped(number, Place::Queue(QUEUE), &packet(number as u32, at), at),
            _ => arrive(&mut accounts, number as u32, arrives),
        }
        let (open, journeys, drops) = accounts.under_way();
        assert_eq!((open, journeys), (0, 0));
        assert!(drops <= 1, "{drops}");
    }
}

#[test]
fn samples_come_or_end_with_their_loss() {
    let mut accounts = Accounts::default();
    let first = send(&mut accounts, 0, unit(UnitKind::Sample, 0), Time::ZERO);
    send(&mut accounts, 1, unit(UnitKind::Sample, 1), Time::ZERO);
    send(&mut accounts, 2, unit(UnitKind::Sample, 2), Time::ZERO);
    arrive(&mut accounts, 0, first);
    accounts.dropped(7, Place::Beside(QUEUE), &packet(1, Time::ZERO), Time::from_millis(1));
    let way = [(Component::Queue, 1, None), (Component::Serialisation, 2, None)];
    let [first, second, third] = parts(accounts, Time::from_millis(50)).try_into().unwrap();
    assert_eq!(first, (Status::Shown, [way.as_slice(), &[(Component::Propagation, 10, None)]].concat()));
    assert_eq!(second, (Status::Never, vec![way[0], (Component::Serialisation, 2, Some(7))]));
    assert_eq!(third, (Status::Unfinished, vec![(Component::Reassembly, 50, None)]));
}

#[test]
fn of_copies_the_first_one_counts() {
    let mut accounts = Accounts::default();
    let arrives = send(&mut accounts, 0, unit(UnitKind::Datagram, 0), Time::ZERO);
    accounts.copied(0);
    accounts.dropped(0, Place::Node, &packet(0, Time::ZERO), Time::from_millis(2));
    arrive(&mut accounts, 0, arrives);
    arrive(&mut accounts, 0, Time::from_millis(90));
    let all = parts(accounts, Time::from_millis(100));
    assert_eq!(all.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [Status::Shown]);
}

#[test]
fn an_echo_is_one_unit_there_and_back() {
    let mut accounts = Accounts::default();
    let echo = unit(UnitKind::Echo, 4);
    let there = send(&mut accounts, 0, echo, Time::ZERO);
    accounts.arrived(QUEUE, 0, there);
    let back = send(&mut accounts, 1, echo, there);
    accounts.handled(0, there);
    arrive(&mut accounts, 1, back);
    let [(status, parts)] = parts(accounts, Time::from_secs(1)).try_into().unwrap();
    assert_eq!((status, parts.len()), (Status::Shown, 6));
    assert_eq!(parts.iter().map(|(_, ms, _)| ms).sum::<u64>(), 26);
}

#[test]
fn a_frame_of_several_datagrams_ends_with_the_last_one() {
    let mut accounts = Accounts::default();
    let frame = unit(UnitKind::Frame, 0);
    accounts.began(frame, Time::ZERO);
    let first = send(&mut accounts, 0, frame, Time::from_millis(5));
    accounts.datagram(&packet(1, Time::from_millis(6)), frame, 100, None, Time::from_millis(6));
    accounts.left(QUEUE, 1, Time::from_millis(6), Time::from_millis(8), Time::from_millis(9));
    accounts.arrived(QUEUE, 0, first);
    accounts.part(frame, 2, first);
    accounts.handled(0, first);
    let last = Time::from_millis(30);
    accounts.arrived(QUEUE, 1, last);
    accounts.part(frame, 2, last);
    accounts.handled(1, last);
    assert_eq!(accounts.under_way().0, 0);
    let [(status, parts)] = parts(accounts, Time::from_secs(1)).try_into().unwrap();
    let expected = [
        (Component::Application, 6, None),
        (Component::Queue, 2, None),
        (Component::Serialisation, 1, None),
        (Component::Propagation, 21, None),
    ];
    assert_eq!((status, parts.as_slice()), (Status::Shown, expected.as_slice()));
}

#[test]
fn frames_that_never_come_are_closed_when_they_are_old() {
    let mut accounts = Accounts::default();
    for number in 0..3 * OPEN {
        let at = Time::from_millis(number);
        send(&mut accounts, number as u32, unit(UnitKind::Frame, number), at);
        accounts.dropped(number, Place::Queue(QUEUE), &packet(number as u32, at), at);
    }
    assert!(accounts.under_way().0 as u64 <= OPEN + 2);
    let all = parts(accounts, Time::from_secs(100));
    assert_eq!(all.len() as u64, 3 * OPEN);
    assert!(
        all.iter()
            .all(|(status, parts)| *status == Status::Never && parts.iter().any(|part| part.2.is_some()))
    );
}
