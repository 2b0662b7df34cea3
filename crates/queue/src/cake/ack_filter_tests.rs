//! Which of a row of segments stay in the queue. Each result is what Linux 6.1 (`cake ack-filter`, `ack-filter-aggressive`) let
//! out of a row that it held back, by the number of the segment.

use super::*;
use jettison_core::Time;
use jettison_wire::{Address, Headers, Transport};

/// A segment with this acknowledgement and these flags beside ACK.
fn ack(number: u32) -> TcpHeader {
    let mut tcp = TcpHeader::new(5000, 80);
    (tcp.ack, tcp.flags) = (number, TcpFlags::ACK);
    tcp
}

fn with(number: u32, flags: TcpFlags) -> TcpHeader {
    let mut tcp = ack(number);
    tcp.flags = TcpFlags::ACK.with(flags);
    tcp
}

fn sack(number: u32, start: u32, end: u32) -> TcpHeader {
    let mut tcp = ack(number);
    tcp.sack.push(start, end);
    tcp
}

fn stamped(number: u32, value: u32) -> TcpHeader {
    let mut tcp = ack(number);
    (tcp.options, tcp.timestamps) = (TcpHeader::OPT_TIMESTAMPS, [value, 77]);
    tcp
}

fn packet(tcp: TcpHeader, payload: usize) -> Packet {
    let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
    Packet::model(Headers { src, dst, transport: Transport::Tcp(tcp) }, payload)
}

/// Numbers, from 1, of the segments that stay, conservatively and aggressively filtered.
fn stay_of(row: &[Packet]) -> [Vec<u32>; 2] {
    [AckFilter::Conservative, AckFilter::Aggressive].map(|filter| {
        let (mut pool, mut chain) = (PacketPool::default(), Chain::default());
        for (number, segment) in (1..).zip(row) {
            let mut arrival = segment.clone();
            arrival.meta.id = number;
            if let Some(node) = redundant(filter, &pool, &chain, &arrival) {
                pool.remove(&mut chain, node).expect("it is in the queue");
            }
            pool.push(&mut chain, arrival, 0, Time::ZERO);
        }
        pool.iter(&chain).map(|packet| packet.meta.id).collect()
    })
}

fn stay(row: &[(TcpHeader, usize)]) -> [Vec<u32>; 2] {
    stay_of(&row.iter().map(|(tcp, payload)| packet(*tcp, *payload)).collect::<Vec<_>>())
}

fn stay_pure(row: &[TcpHeader]) -> [Vec<u32>; 2] {
    stay(&row.iter().map(|tcp| (*tcp, 0)).collect::<Vec<_>>())
}

#[test]
fn two_acknowledgements_or_one_stay() {
    assert_eq!(stay_pure(&[100, 200, 300, 400, 500, 600].map(ack)), [vec![5, 6], vec![6]]);
    assert_eq!(stay_pure(&[4_294_967_000, 4_294_967_200, 100, 200].map(ack)), [vec![3, 4], vec![4]]);
}

#[test]
fn duplicates_stay_until_more_is_acknowledged() {
    assert_eq!(stay_pure(&[100, 100, 100, 200, 200, 300].map(ack)), [vec![4, 5, 6], vec![4, 5, 6]]);
    let windows = [1000, 2000, 3000].map(|window| {
        let mut tcp = ack(100);
        tcp.window = window;
        tcp
    });
    assert_eq!(stay_pure(&[windows[0], windows[1], windows[2], ack(200)]), [vec![2, 3, 4], vec![2, 3, 4]]);
}

#[test]
fn changes_of_the_ecn_echoes_stay() {
    let ece = |number| with(number, TcpFlags::ECE);
    let row = [ece(100), ece(200), ack(300), ack(400), ece(500), ece(600), ece(700)];
    assert_eq!(stay_pure(&row), [vec![2, 4, 6, 7], vec![2, 4, 7]]);
    let row = [ack(100), with(200, TcpFlags::CWR), ack(300), ack(400)];
    assert_eq!(stay_pure(&row), [vec![1, 2, 3, 4], vec![1, 2, 4]]);
}

#[test]
fn only_pure_acknowledgements_go_but_any_segment_makes_them_redundant() {
    let all = vec![1, 2, 3, 4];
    assert_eq!(stay_pure(&[100, 200, 300, 400].map(|n| with(n, TcpFlags::PSH))), [all.clone(), all.clone()]);
    let fin = |number| with(number, TcpFlags::FIN);
    assert_eq!(
        stay_pure(&[ack(100), fin(200), ack(300), fin(400), ack(500)]),
        [vec![2, 3, 4, 5], vec![2, 4, 5]]
    );
    let syn = with(100, TcpFlags::SYN);
    assert_eq!(stay_pure(&[syn, ack(200), ack(300), ack(400)]), [vec![1, 3, 4], vec![1, 4]]);
    let rst = |number| with(number, TcpFlags::RST);
    assert_eq!(stay_pure(&[rst(100), ack(200), rst(300), ack(400)]), [all, vec![1, 3, 4]]);
    let row = [(100, 0), (200, 0), (300, 100), (400, 100), (500, 0), (600, 0)];
    assert_eq!(stay(&row.map(|(number, payload)| (ack(number), payload))), [vec![3, 4, 5, 6], vec![3, 4, 6]]);
}

#[test]
fn sack_blocks_must_be_among_the_new_ones() {
    let row = [400, 500, 600, 700].map(|end| sack(100, 300, end));
    assert_eq!(stay_pure(&row), [vec![3, 4], vec![4]]);
    let row = [(300, 400), (500, 600), (700, 800), (900, 950)].map(|(start, end)| sack(100, start, end));
    assert_eq!(stay_pure(&row), [vec![1, 2, 3, 4], vec![1, 2, 3, 4]]);
    let row = [sack(100, 300, 400), sack(100, 300, 500), ack(500), ack(600), ack(700)];
    assert_eq!(stay_pure(&row), [vec![1, 2, 4, 5], vec![2, 5]]);
    let row = [sack(100, 300, 400), sack(350, 500, 600), sack(450, 500, 600), ack(700)];
    assert_eq!(stay_pure(&row), [vec![1, 2, 3, 4], vec![1, 3, 4]]);
}

#[test]
fn timestamps_must_not_go_back() {
    let row = [(100, 10), (200, 10), (300, 11), (400, 12)].map(|(number, value)| stamped(number, value));
    assert_eq!(stay_pure(&row), [vec![3, 4], vec![4]]);
    let row = [(100, 13), (200, 12), (300, 11), (400, 10)].map(|(number, value)| stamped(number, value));
    assert_eq!(stay_pure(&row), [vec![1, 2, 3, 4], vec![1, 2, 3, 4]]);
}

#[test]
fn timestamps_of_some_segments_only_are_kept() {
    let row = [stamped(100, 10), ack(200), stamped(300, 11), ack(400), stamped(500, 12)];
    assert_eq!(stay_pure(&row), [vec![3, 4, 5], vec![3, 4, 5]]);
}

/// An acknowledgement with an option of kind 172.
fn with_unknown_option(number: u32) -> Packet {
    let mut image = Vec::new();
    packet(stamped(number, 10), 0).write_ip_image(&mut image, usize::MAX);
    image[42] = 172;
    let buffer = jettison_wire::Buffer { bytes: image, ..Default::default() };
    Packet::from_ip_buffer(Box::new(buffer)).expect("a packet")
}

#[test]
fn unknown_options_stay() {
    let row = [100, 200, 300, 400].map(with_unknown_option);
    assert_eq!(stay_of(&row), [vec![1, 2, 3, 4], vec![1, 2, 3, 4]]);
    let mut row = vec![with_unknown_option(100)];
    row.extend([200, 300, 400, 500].map(|number| packet(ack(number), 0)));
    assert_eq!(stay_of(&row), [vec![1, 4, 5], vec![1, 5]]);
}

#[test]
fn the_dscp_is_no_part_of_a_flow() {
    let mut row = [100, 200, 300, 400].map(|number| packet(ack(number), 0));
    row[1].meta.traffic_class = 40;
    assert_eq!(stay_of(&row), [vec![3, 4], vec![4]]);
}

#[test]
fn unknown_options_and_other_flows_stay() {
    let unknown = with_unknown_option(100);
    let (mut pool, mut chain) = (PacketPool::default(), Chain::default());
    pool.push(&mut chain, unknown, 0, Time::ZERO);
    let arrival = packet(ack(200), 0);
    assert_eq!(redundant(AckFilter::Aggressive, &pool, &chain, &arrival), None);
    let mut other = ack(100);
    other.src_port = 6000;
    pool.push(&mut chain, packet(other, 0), 0, Time::ZERO);
    assert_eq!(redundant(AckFilter::Aggressive, &pool, &chain, &arrival), None);
    pool.push(&mut chain, packet(ack(150), 0), 0, Time::ZERO);
    assert_eq!(redundant(AckFilter::Aggressive, &pool, &chain, &arrival), Some(chain.newest()));
}

#[test]
fn the_search_ends() {
    let (mut pool, mut chain) = (PacketPool::default(), Chain::default());
    for _ in 0..LOOKED_AT {
        pool.push(&mut chain, packet(ack(100), 1000), 0, Time::ZERO);
    }
    pool.push(&mut chain, packet(ack(100), 0), 0, Time::ZERO);
    assert_eq!(redundant(AckFilter::Aggressive, &pool, &chain, &packet(ack(200), 0)), None);
}
