use jettison_wire::{Buffer, Ecn, TcpFlags};
use proptest::prelude::*;

use super::*;
use crate::device::SuperPacket;
use crate::device::testing::{Tcp, bytes_of, packet};

/// Packets as they would be written: virtio header and bytes.
fn written(packets: Vec<Packet>) -> Vec<(VnetHeader, Vec<u8>)> {
    let mut merger = Merger::default();
    packets.into_iter().for_each(|packet| merger.push(packet));
    let written = merger.trains().map(|train| match train.seal() {
        None => (VnetHeader::default(), bytes_of(&train.parts()[0]).to_vec()),
        Some(header) => {
            let mut slices = [IoSlice::new(&[]); MOST_PARTS];
            let count = train.slices(&mut slices);
            (header, slices[..count].iter().flat_map(|slice| slice.iter().copied()).collect())
        }
    });
    let written = written.collect();
    assert!(merger.is_empty() && merger.bytes() == 0);
    written
}

/// The packets that a super-packet is split into.
fn split(whole: &Tcp, size: u16) -> Vec<Packet> {
    let bytes = whole.partial();
    let mut parts = SuperPacket::parse(&whole.super_header(size), &bytes).expect("a super-packet");
    let mut packets = Vec::new();
    let mut buffer = Buffer::default();
    while let Some(partial) = parts.take_next(&mut buffer.bytes) {
        packets.push(packet(buffer.bytes.clone(), Some(partial)));
    }
    packets
}

fn long(length: usize) -> Tcp {
    Tcp { payload: (0..length).map(|at| (at / 3) as u8).collect(), ..Tcp::default() }
}

#[test]
fn a_mark_stays_on_the_packet_that_carries_it() {
    let whole = Tcp { traffic_class: Ecn::Ect0 as u8, ..long(500) };
    let mut packets = split(&whole, 100);
    assert!(packets[2].mark_ce());
    let written = written(packets);
    // Two packets, the marked one, two packets.
    let classes: Vec<(u8, usize)> =
        written.iter().map(|(_, bytes)| (bytes[1] & 3, bytes.len() - 52)).collect();
    assert_eq!(classes, [(Ecn::Ect0 as u8, 200), (Ecn::Ce as u8, 100), (Ecn::Ect0 as u8, 200)]);
    let supers: Vec<bool> = written.iter().map(|(header, _)| header.is_super()).collect();
    assert_eq!(supers, [true, false, true]);
}

#[test]
fn a_gap_is_not_closed() {
    let mut packets = split(&long(500), 100);
    packets.remove(2);
    let lengths: Vec<usize> = written(packets).iter().map(|(_, bytes)| bytes.len() - 52).collect();
    assert_eq!(lengths, [200, 200]);
}

#[test]
fn psh_ends_a_super_packet_and_packets_with_other_flags_are_not_merged() {
    let base = Tcp::default();
    let next = |index: u32, flags: TcpFlags| Tcp {
        id: base.id + index as u16,
        sequence: base.sequence + 100 * index,
        flags,
        ..base.clone()
    };
    let (ack, psh) = (TcpFlags::ACK, TcpFlags::ACK.with(TcpFlags::PSH));
    let packets = [next(0, ack), next(1, psh), next(2, ack), next(3, ack)];
    let lengths: Vec<usize> = written(packets.iter().map(Tcp::packet).collect())
        .iter()
        .map(|(_, bytes)| bytes.len() - 52)
        .collect();
    assert_eq!(lengths, [200, 200]);
    for flags in [TcpFlags::ACK.with(TcpFlags::SYN), TcpFlags::ACK.with(TcpFlags::URG), TcpFlags::PSH] {
        let packets = [next(0, flags), next(1, flags)];
        assert_eq!(written(packets.iter().map(Tcp::packet).collect()).len(), 2, "{flags:?}");
    }
}

#[test]
fn alternating_flows_are_merged_separately_and_keep_their_order() {
    let one = long(400);
    let mut other = split(&long(400), 100);
    for packet in &mut other {
        // Another source port; the pseudo-header's sum does not cover ports.
        let Body::Buffer(buffer) = &mut packet.body else { panic!("bytes") };
        buffer.bytes[21] ^= 1;
    }
    let mixed = split(&one, 100).into_iter().zip(other).flat_map(|(a, b)| [a, b]).collect();
    let written = written(mixed);
    assert_eq!(written.len(), 2);
    assert_eq!(written[0].1, one.partial());
    assert_eq!(written[1].1[52..], one.payload[..]);
}

#[test]
fn later_packets_do_not_overtake_one_that_cannot_be_merged() {
    let packets = split(&long(300), 100);
    let [first, second, third] = <[Packet; 3]>::try_from(packets).expect("three");
    // Same flow with a complete checksum: not mergeable.
    let resent = Tcp { sequence: 500, ..Tcp::default() };
    let order = written(vec![first, packet(resent.complete(), None), second, third]);
    let sequences: Vec<u32> =
        order.iter().map(|(_, b)| u32::from_be_bytes([b[24], b[25], b[26], b[27]])).collect();
    assert_eq!(sequences, [1000, 500, 1100]);
}

#[test]
fn a_super_packet_never_exceeds_the_maximum_ip_length() {
    let base = Tcp { payload: vec![3; 1448], ..Tcp::default() };
    let packets = (0..100u16).map(|index| {
        let sequence = base.sequence + 1448 * u32::from(index);
        Tcp { id: base.id + index, sequence, ..base.clone() }.packet()
    });
    let written = written(packets.collect());
    assert!(written.iter().all(|(_, bytes)| bytes.len() <= 65_535));
    let payload: usize = written.iter().map(|(_, bytes)| bytes.len() - 52).sum();
    assert_eq!((written.len(), payload), (3, 144_800));
}

proptest! {
    #[test]
    fn splitting_then_merging_is_the_identity(
        v4: bool, length in 1usize..60_000, size in 500u16..3000, sequence: u32, id: u16, traffic_class: u8,
        flags in prop::sample::select(vec![0, TcpFlags::PSH.0, TcpFlags::FIN.0 | TcpFlags::PSH.0, TcpFlags::CWR.0]),
    ) {
        let flags = TcpFlags::ACK.with(TcpFlags(flags));
        let whole = Tcp { v4, id, traffic_class, sequence, flags, ..long(length) };
        let header = whole.super_header(size);
        let written = written(split(&whole, size));
        prop_assert_eq!(written.len(), 1);
        prop_assert_eq!(&written[0].1, &whole.partial());
        if length > usize::from(size) {
            prop_assert_eq!(written[0].0, header);
        }
    }

    #[test]
    fn merging_then_splitting_restores_the_packets(
        drops in prop::collection::vec(any::<bool>(), 1..40), marks in prop::collection::vec(any::<bool>(), 40), v4: bool,
    ) {
        let whole = Tcp { v4, traffic_class: Ecn::Ect0 as u8, ..long(drops.len() * 700 - 300) };
        let mut packets = split(&whole, 700);
        for (packet, _) in packets.iter_mut().zip(&marks).filter(|(_, marked)| **marked) {
            prop_assert!(packet.mark_ce());
        }
        let kept: Vec<Packet> =
            packets.into_iter().zip(&drops).filter(|(_, dropped)| !**dropped).map(|(packet, _)| packet).collect();
        let expected: Vec<Vec<u8>> = kept.iter().map(|packet| bytes_of(packet).to_vec()).collect();
        let mut again = Vec::new();
        for (header, bytes) in written(kept) {
            if !header.is_super() {
                again.push(bytes);
                continue;
            }
            let mut parts = SuperPacket::parse(&header, &bytes).expect("a super-packet");
            let mut part = Vec::new();
            while parts.take_next(&mut part).is_some() {
                again.push(part.clone());
            }
        }
        prop_assert_eq!(again, expected);
    }
}
