use jettison_wire::image::Zeros;
use jettison_wire::{Packet, PartialChecksum, TcpFlags, Transport};
use proptest::prelude::*;

use super::*;
use crate::device::testing::{Tcp, packet};

/// All packets of a super-packet.
fn parts(header: &VnetHeader, bytes: &[u8]) -> Vec<(Vec<u8>, PartialChecksum)> {
    let mut whole = SuperPacket::parse(header, bytes).expect("a super-packet");
    let expected = whole.remaining();
    let mut parts = Vec::new();
    let mut buffer = vec![9; 3];
    while let Some(partial) = whole.take_next(&mut buffer) {
        parts.push((buffer.clone(), partial));
    }
    assert_eq!(parts.len(), expected);
    parts
}

/// Parses the headers, which requires correct checksums and lengths.
fn typed(bytes: Vec<u8>, partial: PartialChecksum) -> (Packet, Vec<u8>) {
    let mut image = Vec::new();
    packet(bytes, Some(partial)).write_ip_image(&mut image, usize::MAX);
    let read = Packet::from_ip_image(&image, Zeros::Kept).expect("an IP packet");
    assert!(read.headers().is_some(), "lengths and checksums are right");
    let payload = image[image.len() - read.payload_length()..].to_vec();
    (read, payload)
}

#[test]
fn fin_and_psh_are_kept_on_the_last_packet_and_cwr_on_the_first() {
    let all = [TcpFlags::ACK, TcpFlags::FIN, TcpFlags::PSH, TcpFlags::CWR, TcpFlags::ECE];
    let flags = all.into_iter().fold(TcpFlags(0), TcpFlags::with);
    let whole = Tcp { flags, payload: vec![1; 250], ..Tcp::default() };
    let parts = parts(&whole.super_header(100), &whole.partial());
    let flags: Vec<u8> = parts.iter().map(|(bytes, _)| bytes[20 + 13]).collect();
    let common = TcpFlags::ACK.with(TcpFlags::ECE).0;
    assert_eq!(flags, [common | TcpFlags::CWR.0, common, common | TcpFlags::FIN.0 | TcpFlags::PSH.0]);
}

#[test]
fn rfc9768_3_3_4_without_the_mark_of_cwr_every_packet_repeats_the_ace_field() {
    let flags = TcpFlags::ACK.with(TcpFlags::CWR);
    let whole = Tcp { flags, payload: vec![1; 250], ..Tcp::default() };
    let header = whole.super_header(100);
    let header = VnetHeader { gso_type: header.gso_type & !VnetHeader::GSO_ECN, ..header };
    let flags: Vec<u8> = parts(&header, &whole.partial()).iter().map(|(bytes, _)| bytes[20 + 13]).collect();
    assert_eq!(flags, [TcpFlags::ACK.with(TcpFlags::CWR).0; 3]);
}

#[test]
fn malformed_super_packets_are_rejected() {
    let whole = Tcp { payload: vec![1; 250], ..Tcp::default() };
    let (header, bytes) = (whole.super_header(100), whole.partial());
    let parse = |header: &VnetHeader, bytes: &[u8]| SuperPacket::parse(header, bytes).err();
    assert_eq!(parse(&header, &bytes), None);
    assert_eq!(parse(&VnetHeader { gso_type: 3, ..header }, &bytes), Some(SplitError::Kind(3)));
    assert_eq!(parse(&VnetHeader { gso_size: 0, ..header }, &bytes), Some(SplitError::Size));
    assert_eq!(parse(&VnetHeader { flags: 0, ..header }, &bytes), Some(SplitError::Size));
    assert_eq!(parse(&VnetHeader { checksum_start: 24, ..header }, &bytes), Some(SplitError::Headers));
    assert_eq!(
        parse(&VnetHeader { gso_type: VnetHeader::GSO_TCP6, ..header }, &bytes),
        Some(SplitError::Headers)
    );
    for length in 0..52 {
        assert_eq!(parse(&header, &bytes[..length]), Some(SplitError::Headers), "{length} bytes");
    }
}

#[test]
fn datagrams_of_one_size_are_split_too() {
    // IPv4 and UDP by hand: 250 bytes of payload in datagrams of 100.
    let mut bytes = vec![0x45, 0, 1, 22, 0, 5, 0x40, 0, 64, 17, 0, 0, 198, 18, 0, 1, 198, 18, 0, 2];
    bytes.extend([0x13, 0x88, 0, 53, 1, 2, 0, 0]);
    bytes.extend((0..250).map(|byte| byte as u8));
    let fold = |sum: u32| ((sum & 0xffff) + (sum >> 16)) as u16;
    let words =
        |bytes: &[u8]| bytes.chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum::<u32>();
    let sum = fold(words(&bytes[..20]));
    bytes[10..12].copy_from_slice(&(!sum).to_be_bytes());
    let pseudo = fold(words(&bytes[12..20]) + 17 + 258);
    bytes[26..28].copy_from_slice(&pseudo.to_be_bytes());
    let place = PartialChecksum { start: 20, offset: 6 };
    let header = VnetHeader { gso_type: VnetHeader::GSO_UDP, gso_size: 100, ..VnetHeader::of(Some(place)) };
    let mut payload = Vec::new();
    for (index, (part, partial)) in parts(&header, &bytes).into_iter().enumerate() {
        let (read, data) = typed(part, partial);
        assert_eq!((read.meta.id, data.len()), (5 + index as u32, [100, 100, 50][index]));
        payload.extend(data);
    }
    assert_eq!(payload, bytes[28..]);
}

proptest! {
    #[test]
    fn parts_are_valid_packets_with_the_whole_payload(
        v4: bool, length in 1usize..20_000, size in 1u16..3000, sequence: u32, id: u16, traffic_class: u8,
    ) {
        let size = size.max((length / 1000) as u16);
        let payload: Vec<u8> = (0..length).map(|at| (at * 31 / 7) as u8).collect();
        let whole = Tcp { v4, id, traffic_class, sequence, payload: payload.clone(), ..Tcp::default() };
        let mut joined = Vec::new();
        for (index, (bytes, partial)) in parts(&whole.super_header(size), &whole.partial()).into_iter().enumerate() {
            let (read, data) = typed(bytes, partial);
            let Some(Transport::Tcp(tcp)) = read.headers().map(|headers| headers.transport) else {
                panic!("still TCP")
            };
            prop_assert_eq!(tcp.seq, sequence.wrapping_add(joined.len() as u32));
            prop_assert_eq!(read.meta.traffic_class, traffic_class);
            if v4 {
                prop_assert_eq!(read.meta.id as u16, id.wrapping_add(index as u16));
            }
            prop_assert!(data.len() == usize::from(size) || joined.len() + data.len() == length);
            joined.extend(data);
        }
        prop_assert_eq!(joined, payload);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>, first in 0u8..16, kind in 0u8..8, size: u16, start in 0u16..80, tcp: bool) {
        let mut bytes = bytes;
        if let Some(byte) = bytes.first_mut() {
            *byte = first << 4 | 5;
        }
        let offset = if tcp { 16 } else { 6 };
        let header = VnetHeader {
            gso_type: kind,
            gso_size: size,
            ..VnetHeader::of(Some(PartialChecksum { start, offset }))
        };
        if let Ok(mut whole) = SuperPacket::parse(&header, &bytes) {
            let mut part = Vec::new();
            while whole.take_next(&mut part).is_some() {}
        }
    }
}
