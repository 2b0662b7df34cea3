use std::net::IpAddr;

use proptest::prelude::*;

use super::*;
use crate::headers::{Address, IcmpEcho, TcpFlags, TcpHeader, UdpHeader};

fn v4() -> (Address, Address) {
    (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 1, 2))
}

fn v6() -> (Address, Address) {
    let parse = |text: &str| Address::from(text.parse::<IpAddr>().unwrap());
    (parse("2001:db8::1"), parse("2001:db8::2"))
}

fn image(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.write_image(&mut bytes, usize::MAX);
    bytes
}

/// An independent check: the one's complement sum over header and data, including the checksum, is all ones.
fn sums_to_ones(parts: &[&[u8]]) -> bool {
    let bytes = parts.concat();
    let mut sum = 0u32;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum == 0xffff
}

#[test]
fn a_udp_frame_is_byte_for_byte_as_the_rfcs_say() {
    let (src, dst) = v4();
    let inline = InlineBytes::new(b"hi").unwrap();
    let transport = Transport::Udp(UdpHeader { src_port: 0x1234, dst_port: 9, inline });
    let mut packet = Packet::model(Headers { src, dst, transport }, 4);
    packet.meta.id = 0xdead_0007;
    packet.meta.traffic_class = 0xb9;
    let expected = [
        0x02, 0x04, 10, 0, 1, 2, 0x02, 0x04, 10, 0, 0, 1, 0x08, 0x00, // Ethernet
        0x45, 0xb9, 0x00, 0x20, 0x00, 0x07, 0x40, 0x00, 64, 17, 0x25, 0x0b, 10, 0, 0, 1, 10, 0, 1,
        2, // IPv4
        0x12, 0x34, 0x00, 0x09, 0x00, 0x0c, 0x70, 0x2d, b'h', b'i', 0, 0, // UDP
    ];
    let bytes = image(&packet);
    assert!(sums_to_ones(&[&bytes[14..34]]));
    assert!(sums_to_ones(&[&bytes[26..34], &[0, 17, 0, 12], &bytes[34..]]));
    assert_eq!(bytes, expected);
    assert_eq!(bytes.len(), packet.image_length());
}

#[test]
fn tcp_options_have_the_layout_that_header_length_counts() {
    let (src, dst) = v4();
    let mut tcp = TcpHeader::new(1, 2);
    tcp.flags = TcpFlags::SYN;
    tcp.options = TcpHeader::OPT_TIMESTAMPS;
    tcp.timestamps = [0x01020304, 0];
    tcp.set_syn_options(1460, Some(7), true);
    let bytes = image(&Packet::model(Headers { src, dst, transport: Transport::Tcp(tcp) }, 0));
    assert_eq!(bytes[34 + 20..], [2, 4, 5, 180, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7]);
    assert_eq!(bytes[34 + 12] >> 4, 10);
    assert!(sums_to_ones(&[&bytes[26..34], &[0, 6, 0, 40], &bytes[34..]]));
}

#[test]
fn an_ipv6_echo_carries_a_pseudo_header_checksum() {
    let (src, dst) = v6();
    let echo =
        IcmpEcho { reply: true, identifier: 3, sequence: 4, inline: InlineBytes::new(&[9; 5]).unwrap() };
    let packet = Packet::model(Headers { src, dst, transport: Transport::Icmp(echo) }, 56);
    let bytes = image(&packet);
    assert_eq!((bytes[12..14].to_vec(), bytes[14 + 6], bytes[54]), (vec![0x86, 0xdd], 58, 129));
    assert!(sums_to_ones(&[&bytes[22..54], &[0, 0, 0, 64, 0, 0, 0, 58], &bytes[54..]]));
}

#[test]
fn snapping_cuts_and_leaves_checksums_right() {
    let (src, dst) = v4();
    let headers = Headers { src, dst, transport: Transport::Tcp(TcpHeader::new(1, 2)) };
    for packet in [Packet::model(headers, 1460), Packet::with_payload(headers, vec![7; 1460].into())] {
        let whole = image(&packet);
        for snap in [0, 5, 14, 30, 54, 60, 1514, 2000] {
            let mut cut = vec![0xaa];
            packet.write_image(&mut cut, snap);
            assert_eq!(cut[1..], whole[..snap.min(whole.len())]);
        }
    }
}

#[test]
fn bytes_without_a_typed_form_stay_a_buffer() {
    let (src, dst) = v4();
    let packet = Packet::model(Headers { src, dst, transport: Transport::Tcp(TcpHeader::new(1, 2)) }, 100);
    let whole = image(&packet);
    let with = |at: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= value;
        bytes
    };
    for (at, value) in [(34 + 16, 1), (34 + 18, 1), (34 + 12, 2), (14 + 6, 0x20), (14 + 10, 1), (14 + 9, 1)] {
        let bytes = with(at, value);
        let read = Packet::from_image(&bytes, Zeros::Virtual).unwrap();
        assert!(matches!(read.body, Body::Buffer(_)), "byte {at}");
        assert_eq!(image(&read), bytes, "byte {at}");
    }
    let cut = Packet::from_image(&whole[..100], Zeros::Virtual).unwrap();
    assert!(matches!(cut.body, Body::Buffer(_)));
    assert_eq!(Packet::from_image(&with(12, 1), Zeros::Virtual), Err(ImageError::EtherType(0x0900)));
    assert_eq!(Packet::from_image(&whole[..13], Zeros::Virtual), Err(ImageError::TooShort(13)));
}

#[test]
fn ethernet_padding_is_not_part_of_the_packet() {
    let (src, dst) = v4();
    let packet = Packet::model(Headers { src, dst, transport: Transport::Tcp(TcpHeader::new(1, 2)) }, 0);
    let mut bytes = image(&packet);
    bytes.resize(60, 0);
    assert_eq!(Packet::from_image(&bytes, Zeros::Virtual).unwrap().body, packet.body);
}

#[test]
fn a_buffer_is_written_with_the_hop_limit_of_its_meta() {
    let (src, dst) = v4();
    let mut bytes =
        image(&Packet::model(Headers { src, dst, transport: Transport::Tcp(TcpHeader::new(1, 2)) }, 9));
    bytes[34 + 18] = 1; // an urgent pointer
    let mut read = Packet::from_image(&bytes, Zeros::Virtual).unwrap();
    read.meta.hop_limit -= 1;
    let forwarded = image(&read);
    assert_eq!(forwarded[22], 63);
    assert!(sums_to_ones(&[&forwarded[14..34]]));
}

#[test]
fn a_frame_without_ip_travels_unchanged() {
    let arp = [&[0xff; 6][..], &[2; 6], &[0x08, 0x06], &[7; 28]].concat();
    for bytes in [vec![0x5a], vec![], vec![1; 13], vec![2; 14], arp] {
        let mut packet = Packet::from_frame(bytes.clone());
        assert_eq!(usize::from(packet.meta.length), bytes.len().saturating_sub(ETHERNET_HEADER));
        assert_eq!((image(&packet), packet.image_length()), (bytes.clone(), bytes.len()));
        assert_eq!((packet.five_tuple(), packet.headers()), (None, None));
        packet.meta.traffic_class = 2;
        packet.set_hop_limit(3);
        assert!(packet.mark_ce());
        let mut head = Vec::new();
        assert_eq!((packet.write_image_head(&mut head), head), (0, bytes), "no byte is IP");
    }
}

#[test]
fn a_frame_keeps_its_hardware_addresses_and_its_ip_header_can_be_marked() {
    let (src, dst) = v4();
    let model = Packet::model(Headers { src, dst, transport: Transport::Tcp(TcpHeader::new(5, 80)) }, 10);
    let mut bytes = image(&model);
    bytes[..6].copy_from_slice(&[9; 6]);
    bytes[15] = 2;
    let mut packet = Packet::from_frame(bytes.clone());
    assert_eq!((packet.meta.length, packet.meta.hop_limit), (model.meta.length, 64));
    assert_eq!(packet.five_tuple(), model.five_tuple());
    assert_eq!(image(&packet), bytes);
    assert!(packet.mark_ce());
    packet.set_hop_limit(63);
    let marked = image(&packet);
    assert_eq!((marked[15], marked[22], &marked[..6]), (3, 63, &[9; 6][..]));
    let mut ip = Vec::new();
    packet.write_ip_image(&mut ip, usize::MAX);
    assert_eq!(ip, marked[14..]);
}

fn transports() -> impl Strategy<Value = Transport> {
    let inline = prop::collection::vec(any::<u8>(), InlineBytes::CAPACITY)
        .prop_map(|bytes| InlineBytes::new(&bytes).expect("as many bytes as fit"));
    let tcp =
        (any::<[u16; 3]>(), any::<[u32; 4]>(), any::<[u8; 2]>(), prop::collection::vec(any::<u32>(), 6));
    let syn = (any::<bool>(), any::<bool>(), any::<bool>(), 0u8..15);
    prop_oneof![
        (tcp, syn).prop_map(
            |((halves, words, [flags, blocks], sack), (mss, timestamps, sack_permitted, shift))| {
                let mut tcp = TcpHeader::new(halves[0], halves[1]);
                (tcp.window, tcp.seq, tcp.ack, tcp.flags) = (halves[2], words[0], words[1], TcpFlags(flags));
                if timestamps {
                    tcp.options = TcpHeader::OPT_TIMESTAMPS;
                    tcp.timestamps = [words[2], words[3]];
                }
                if tcp.flags.contains(TcpFlags::SYN) {
                    tcp.set_syn_options(
                        if mss { halves[2] } else { 0 },
                        (shift > 3).then_some(shift),
                        sack_permitted,
                    );
                    if !mss {
                        tcp.options &= !TcpHeader::OPT_MSS;
                    }
                } else {
                    for block in sack.chunks(2).take(usize::from(blocks % 4)) {
                        tcp.sack.push(block[0], block[1]);
                    }
                }
                Transport::Tcp(tcp)
            }
        ),
        (any::<u16>(), any::<u16>(), inline.clone()).prop_map(|(src_port, dst_port, inline)| Transport::Udp(
            UdpHeader { src_port, dst_port, inline }
        )),
        (any::<bool>(), any::<u16>(), any::<u16>(), inline).prop_map(
            |(reply, identifier, sequence, inline)| {
                Transport::Icmp(IcmpEcho { reply, identifier, sequence, inline })
            }
        ),
    ]
}

fn packets() -> impl Strategy<Value = Packet> {
    let beside = (any::<bool>(), any::<u16>(), any::<u8>(), any::<u8>(), 0usize..1500);
    (transports(), beside, any::<bool>(), prop::collection::vec(1u8.., 41..200)).prop_map(
        |(mut transport, (is_v4, id, traffic_class, hop_limit, zeros), real, payload)| {
            let (src, dst) = if is_v4 { v4() } else { v6() };
            let mut packet = if real {
                match &mut transport {
                    Transport::Tcp(_) => {}
                    Transport::Udp(udp) => udp.inline = InlineBytes::default(),
                    Transport::Icmp(echo) => echo.inline = InlineBytes::default(),
                }
                Packet::with_payload(Headers { src, dst, transport }, payload.into())
            } else {
                Packet::model(Headers { src, dst, transport }, InlineBytes::CAPACITY + zeros)
            };
            packet.meta.traffic_class = traffic_class;
            packet.meta.hop_limit = hop_limit;
            packet.meta.id = if is_v4 { u32::from(id) } else { 0 };
            packet
        },
    )
}

proptest! {
    #[test]
    fn reading_what_was_written_gives_the_packet(packet in packets()) {
        let bytes = image(&packet);
        prop_assert_eq!(bytes.len(), packet.image_length());
        prop_assert_eq!(Packet::from_image(&bytes, Zeros::Virtual).unwrap(), packet.clone());
        let kept = Packet::from_image(&bytes, Zeros::Kept).unwrap();
        prop_assert_eq!(image(&kept), bytes);
    }

    #[test]
    fn a_head_and_its_zeros_are_the_whole_image(packet in packets(), padding in 0usize..50) {
        let (mut head, whole) = (Vec::new(), image(&packet));
        let zeros = packet.write_image_head(&mut head);
        prop_assert_eq!(head.len() + zeros, whole.len());
        let read = Packet::from_image_head(&head, zeros + padding).unwrap();
        prop_assert_eq!(&read, &packet);
        head.resize(whole.len(), 0);
        prop_assert_eq!(&head, &whole);
    }

    #[test]
    fn a_damaged_head_reads_as_all_of_its_bytes_do(
        packet in packets(), at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>(),
        zeros in 0usize..100
    ) {
        let mut head = Vec::new();
        packet.write_image_head(&mut head);
        let place = at.index(head.len());
        head[place] = value;
        head.truncate(cut.index(head.len()) + 1);
        let mut whole = head.clone();
        whole.resize(head.len() + zeros, 0);
        prop_assert_eq!(Packet::from_image_head(&head, zeros), Packet::from_image(&whole, Zeros::Virtual));
    }

    #[test]
    fn any_frame_travels_and_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..80), ip in any::<bool>()) {
        let mut bytes = bytes;
        if let (Some(place), true) = (bytes.get_mut(12..14), ip) {
            place.copy_from_slice(&[8, 0]);
        }
        let mut packet = Packet::from_frame(bytes.clone());
        prop_assert_eq!(image(&packet), bytes);
        let _ = (packet.flow_hash(1), packet.five_tuple(), packet.mark_ce());
        packet.set_hop_limit(1);
    }

    #[test]
    fn any_bytes_are_read_without_panic_and_written_back(mut bytes in prop::collection::vec(any::<u8>(), 0..200),
                                                         version in 0u8..3) {
        // Most inputs look like IP, so that reading reaches the inner layers.
        if let (Some(first), true) = (bytes.first_mut(), version > 0) {
            *first = if version == 1 { 0x45 } else { 0x60 };
        }
        let read = Packet::from_ip_image(&bytes, Zeros::Virtual);
        if let Ok(packet) = read {
            let mut again = Vec::new();
            packet.write_ip_image(&mut again, usize::MAX);
            prop_assert_eq!(&again[..], &bytes[..again.len()]);
        }
    }

    #[test]
    fn damaged_frames_are_read_without_panic_and_written_back(
        packet in packets(), at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>()
    ) {
        let mut bytes = image(&packet);
        let place = at.index(bytes.len() - ETHERNET_HEADER) + ETHERNET_HEADER;
        bytes[place] = value;
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(read) = Packet::from_image(&bytes, Zeros::Virtual) {
            let again = image(&read);
            prop_assert_eq!(&again[ETHERNET_HEADER..], &bytes[ETHERNET_HEADER..again.len()]);
        }
    }
}

#[test]
fn only_a_buffer_with_a_whole_ip_packet_becomes_a_packet() {
    use crate::packet::Buffer;
    let bytes = vec![
        0x45, 3, 0, 28, 0xab, 0xcd, 0, 0, 9, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x13, 0x88, 0, 53, 0, 8, 0,
        0,
    ];
    let buffer = |bytes| Box::new(Buffer { bytes, ..Buffer::default() });
    // Two bytes of padding.
    let packet = Packet::from_ip_buffer(buffer([&bytes[..], &[0, 0]].concat())).unwrap();
    let PacketMeta { length, traffic_class, hop_limit, id, .. } = packet.meta;
    assert_eq!((length, traffic_class, hop_limit, id), (28, 3, 9, 0xabcd));
    let Body::Buffer(kept) = &packet.body else { panic!("bytes stay bytes") };
    assert_eq!(kept.bytes, bytes);
    for bad in [&[][..], &[0x45], &bytes[..27], &[0x15; 60], &[0x60; 39]] {
        assert_eq!(Packet::from_ip_buffer(buffer(bad.to_vec())).unwrap_err().bytes, bad);
    }
    let frame = Box::new(Buffer { bytes, frame: true, partial: None, corrupted: false });
    assert!(Packet::from_ip_buffer(frame).is_err());
}
