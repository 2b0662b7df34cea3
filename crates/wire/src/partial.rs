//! Partial transport checksums.

use crate::image::checksum::Checksum;

/// A transport checksum that the kernel leaves to the sending device (`CHECKSUM_PARTIAL`; NEEDS_CSUM of the virtio
/// specification §5.1.6): the field holds the sum over the pseudo-header only; the bytes from `start` are still to be added.
///
/// That sum already covers addresses, protocol and length, but not traffic class and hop limit, so these two may change.
/// Before code changes anything after the IP header, or writes the packet to a device that does not complete checksums,
/// it must call [`crate::Buffer::complete_checksum`] (a packet's image is always complete).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialChecksum {
    /// First byte covered, from the start of the IP packet: the transport header.
    pub start: u16,
    /// Offset of the checksum field, from `start`.
    pub offset: u16,
}

impl PartialChecksum {
    /// Completes the checksum in the bytes of an IP packet. Does nothing if the field is outside of them.
    pub fn complete(self, ip: &mut [u8]) {
        let at = usize::from(self.start) + usize::from(self.offset);
        let Some(covered) = ip.get(usize::from(self.start)..) else { return };
        let mut checksum = Checksum::default();
        checksum.add(covered);
        // Zero means "no checksum" in UDP (RFC 768); in TCP both values are equivalent.
        let value = match checksum.finish() {
            0 => 0xffff,
            value => value,
        };
        if let Some(place) = ip.get_mut(at..at + 2) {
            place.copy_from_slice(&value.to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::image::Zeros;
    use crate::{Address, Body, Buffer, Headers, Packet, PartialChecksum, Transport, UdpHeader};

    fn datagram(v4: bool) -> (Vec<u8>, Vec<u8>, PartialChecksum) {
        let address = |last| match v4 {
            true => Address::v4(10, 0, 0, last),
            false => Address::from(std::net::IpAddr::V6(std::net::Ipv6Addr::new(
                0xfd00,
                0,
                0,
                0,
                0,
                0,
                0,
                last.into(),
            ))),
        };
        let transport =
            Transport::Udp(UdpHeader { src_port: 5000, dst_port: 53, inline: Default::default() });
        let headers = Headers { src: address(1), dst: address(2), transport };
        let mut complete = Vec::new();
        Packet::with_payload(headers, Box::new(*b"odd")).write_ip_image(&mut complete, usize::MAX);
        let start = if v4 { 20 } else { 40 };
        // The sum over the pseudo-header alone: addresses, protocol, length.
        let addresses = if v4 { 12..20 } else { 8..40 };
        let mut sum: u32 = 17 + 11;
        sum +=
            complete[addresses].chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum::<u32>();
        let sum = (sum & 0xffff) + (sum >> 16);
        let mut partial = complete.clone();
        partial[start + 6..start + 8].copy_from_slice(&(sum as u16).to_be_bytes());
        (complete, partial, PartialChecksum { start: start as u16, offset: 6 })
    }

    fn packet(bytes: Vec<u8>, partial: PartialChecksum) -> Packet {
        Packet::from_ip_buffer(Box::new(Buffer { bytes, partial: Some(partial), ..Buffer::default() }))
            .unwrap()
    }

    #[test]
    fn completing_gives_the_checksum_of_the_sender() {
        for v4 in [true, false] {
            let (complete, partial, place) = datagram(v4);
            assert_ne!(complete, partial);
            let mut buffer = Buffer { bytes: partial, frame: false, partial: Some(place), corrupted: false };
            buffer.complete_checksum();
            assert_eq!((buffer.bytes, buffer.partial), (complete, None));
        }
    }

    #[test]
    fn an_image_is_complete_and_the_packet_stays_as_it_is() {
        for v4 in [true, false] {
            let (complete, partial, place) = datagram(v4);
            let packet = packet(partial.clone(), place);
            for snap in [complete.len(), complete.len() - 2, 30] {
                let mut image = Vec::new();
                packet.write_ip_image(&mut image, snap);
                assert_eq!(image, complete[..snap]);
            }
            let Body::Buffer(buffer) = &packet.body else { panic!("still a buffer") };
            assert_eq!((&buffer.bytes, buffer.partial), (&partial, Some(place)));
            // It parses into typed headers, which requires correct checksums.
            let mut image = Vec::new();
            packet.write_ip_image(&mut image, usize::MAX);
            assert!(Packet::from_ip_image(&image, Zeros::Kept).unwrap().headers().is_some());
        }
    }

    #[test]
    fn hop_limit_and_traffic_class_may_change_before_completion() {
        for v4 in [true, false] {
            let (_, partial, place) = datagram(v4);
            let mut packet = packet(partial, place);
            packet.set_hop_limit(7);
            packet.meta.traffic_class = 1;
            assert!(packet.mark_ce());
            let mut image = Vec::new();
            packet.write_ip_image(&mut image, usize::MAX);
            let read = Packet::from_ip_image(&image, Zeros::Kept).unwrap();
            assert!(read.headers().is_some(), "both checksums are right");
            assert_eq!((read.meta.hop_limit, read.meta.traffic_class), (7, 3));
        }
    }

    #[test]
    fn places_outside_the_packet_are_left_alone() {
        for place in [PartialChecksum { start: 4, offset: 3 }, PartialChecksum { start: 9, offset: 0 }] {
            let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
            place.complete(&mut bytes);
            assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8]);
        }
    }
}
