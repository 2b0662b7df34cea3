//! Conversion of packets to frames and back.

use jettison_core::Time;
use jettison_wire::{Address, Body, Packet, Transport};

use super::*;
use crate::Frames;
use crate::testing::*;

/// Length of the Ethernet, IPv4 and UDP headers of [`udp`].
const HEADERS: usize = 14 + 20 + 8;

/// Sends a packet through a switch whose egress changes the headers.
fn changed(
    packet: Packet,
    header: usize,
    frames: Frames,
    change: impl Fn(&mut Vec<u8>) + Send + 'static,
) -> Packet {
    let mut plan = plan(empty_program());
    plan.frames = frames;
    let mut world = World::of(plan, header, nothing, move |state, _| change(&mut state.header));
    world.arrive(0, packet, T);
    let sent = world.transmit(0, T);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
    sent
}

/// Corrects the IPv4 header's checksum.
fn checksum(header: &mut [u8]) {
    header[24..26].fill(0);
    let sum: u32 =
        header[14..34].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = (sum & 0xffff) + (sum >> 16);
    header[24..26].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[test]
fn an_unchanged_packet_stays_the_same() {
    for packet in [udp(1000), udp(0), frame(&[1]), Packet::from_frame(vec![1; 14])] {
        for frames in [Frames::Modelled, Frames::Raw] {
            let sent = changed(packet.clone(), 14, frames, |_| {});
            assert_eq!(
                (sent.body, sent.meta.id, sent.meta.length),
                (packet.body.clone(), packet.meta.id, packet.meta.length)
            );
        }
    }
}

#[test]
fn hop_limit_traffic_class_and_checksum_change_without_parsing_the_packet_again() {
    let sent = changed(udp(1000), HEADERS, Frames::Modelled, |header| {
        header[0] = 0xee; // an address that modelled packets do not keep
        header[15] = 0x2e << 2 | 3;
        header[22] -= 1;
        checksum(header);
    });
    let mut expected = udp(1000);
    expected.meta.traffic_class = 0x2e << 2 | 3;
    expected.meta.hop_limit = 63;
    assert_eq!(sent.body, expected.body);
    assert_eq!(image(&sent), image(&expected));
    assert_eq!(sent.meta.id, expected.meta.id, "the whole number, not only its bits on the wire");
}

#[test]
fn a_wrong_checksum_leaves_the_switch_as_it_is() {
    let sent = changed(udp(4), HEADERS, Frames::Modelled, |header| header[22] -= 1);
    assert!(matches!(sent.body, Body::Buffer(_)));
    assert_eq!(image(&sent)[22..26], [63, 17, image(&udp(4))[24], image(&udp(4))[25]]);
}

#[test]
fn a_rewritten_address_makes_another_modelled_packet() {
    let sent = changed(udp(1000), HEADERS, Frames::Modelled, |header| {
        header[30..34].copy_from_slice(&[10, 9, 8, 7]);
        header[40..42].fill(0);
        checksum(header);
    });
    // UDP checksum 0 means none; a frame that the modelled headers cannot represent stays bytes.
    assert!(matches!(sent.body, Body::Buffer(_)));
    let mut wanted = udp(1000);
    if let Some(headers) = wanted.headers_mut() {
        headers.dst = Address::v4(10, 9, 8, 7);
    }
    let right = image(&wanted);
    let sent = changed(udp(1000), HEADERS, Frames::Modelled, move |header| {
        header.copy_from_slice(&right[..HEADERS])
    });
    assert_eq!(sent.meta, jettison_wire::PacketMeta { enqueued_at: T, ..wanted.meta });
    assert_eq!(image(&sent), image(&wanted));
    let Body::Model(headers) = sent.body else { panic!("modelled again") };
    assert!(matches!(headers.transport, Transport::Udp(_)));
    assert_eq!(headers.dst, Address::v4(10, 9, 8, 7));
}

#[test]
fn a_frame_that_stops_being_ip_is_kept_as_bytes_and_may_become_ip_again() {
    let tagged = changed(udp(100), 14, Frames::Modelled, |header| {
        header[12..14].copy_from_slice(&[0x88, 0xb5]);
        header.extend([0xab, 0xcd]);
    });
    assert_eq!(usize::from(tagged.meta.length), 2 + 20 + 8 + 100);
    assert_eq!(image(&tagged).len(), HEADERS + 2 + 100);
    let back = changed(tagged, 16, Frames::Modelled, |header| {
        header[12..14].copy_from_slice(&[8, 0]);
        header.truncate(14);
    });
    assert_eq!(image(&back), image(&udp(100)));
    assert!(matches!(back.body, Body::Model(_)));
}

#[test]
fn raw_frames_keep_every_byte() {
    let mut bytes = image(&udp(3));
    bytes.extend([0; 9]); // padding
    let sent = changed(Packet::from_frame(bytes.clone()), HEADERS, Frames::Raw, |header| header[0] = 0xee);
    bytes[0] = 0xee;
    assert_eq!(image(&sent), bytes);
    // A modelled packet leaves as bytes once it is changed.
    let sent = changed(udp(3), HEADERS, Frames::Raw, |header| header[0] = 0xee);
    assert_eq!(image(&sent)[0], 0xee);
}

#[test]
fn a_parser_that_extracts_the_virtual_payload_returns_it() {
    let sent = changed(udp(1000), 500, Frames::Modelled, |header| assert_eq!(header.len(), 500));
    assert_eq!(image(&sent), image(&udp(1000)));
    let marked = changed(udp(1000), 500, Frames::Modelled, |header| header[499] = 1);
    assert_eq!((image(&marked)[499], image(&marked).len()), (1, HEADERS + 1000));
}

#[test]
fn accounting_goes_through_the_switch() {
    let mut packet = udp(10);
    packet.meta.flow = jettison_wire::FlowId(7);
    packet.meta.sent_at = Time::from_micros(5);
    for header in [14, HEADERS] {
        let sent = changed(packet.clone(), header, Frames::Modelled, |header| header.push(9));
        assert_eq!((sent.meta.flow, sent.meta.sent_at), (packet.meta.flow, packet.meta.sent_at));
        assert_eq!(sent.meta.tag, 0);
    }
}
