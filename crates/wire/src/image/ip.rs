//! IPv4 (RFC 791) and IPv6 (RFC 8200) headers.
//!
//! Jettison's hosts send the plainest form of both: no IPv4 options, no fragments ("don't fragment" is set, so the
//! identification has no meaning by RFC 6864; it carries the packet's number), no extension headers, flow label 0.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::checksum::{self, Checksum};
use crate::headers::Address;
use crate::packet::PacketMeta;

/// Bytes of an IPv4 header without options.
pub(super) const V4_HEADER: usize = 20;
/// Bytes of an IPv6 header.
pub(super) const V6_HEADER: usize = 40;

/// The contents of a complete IP header without options.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parsed {
    pub(super) src: Address,
    pub(super) dst: Address,
    pub(super) protocol: u8,
    pub(super) header: usize,
}

/// Writes the header of a packet of `meta.length` bytes. `src` determines the address family.
pub(super) fn write(out: &mut Vec<u8>, meta: &PacketMeta, src: Address, dst: Address, protocol: u8) {
    if src.is_v4() {
        let at = out.len();
        out.extend_from_slice(&[0x45, meta.traffic_class]);
        out.extend_from_slice(&meta.length.to_be_bytes());
        out.extend_from_slice(&(meta.id as u16).to_be_bytes());
        out.extend_from_slice(&[0x40, 0, meta.hop_limit, protocol, 0, 0]);
        out.extend_from_slice(&src.low_u32().to_be_bytes());
        out.extend_from_slice(&dst.low_u32().to_be_bytes());
        let mut checksum = Checksum::default();
        checksum.add(&out[at..]);
        out[at + 10..at + 12].copy_from_slice(&checksum.finish().to_be_bytes());
    } else {
        let payload = meta.length.saturating_sub(V6_HEADER as u16);
        out.extend_from_slice(&[0x60 | meta.traffic_class >> 4, meta.traffic_class << 4, 0, 0]);
        out.extend_from_slice(&payload.to_be_bytes());
        out.extend_from_slice(&[protocol, meta.hop_limit]);
        out.extend_from_slice(&src.to_u128().to_be_bytes());
        out.extend_from_slice(&dst.to_u128().to_be_bytes());
    }
}

/// The total packet length by the header; `None` if `bytes` is too short to contain it.
pub(super) fn claimed_length(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? >> 4 {
        4 if bytes.len() >= V4_HEADER => Some(usize::from(u16::from_be_bytes([bytes[2], bytes[3]]))),
        6 if bytes.len() >= V6_HEADER => {
            Some(V6_HEADER + usize::from(u16::from_be_bytes([bytes[4], bytes[5]])))
        }
        _ => None,
    }
}

/// The fields common to all IP headers: length, traffic class, hop limit, identification.
pub(super) fn meta(bytes: &[u8]) -> PacketMeta {
    let mut meta = PacketMeta { length: bytes.len() as u16, ..PacketMeta::default() };
    match bytes.first().map(|b| b >> 4) {
        Some(4) if bytes.len() >= V4_HEADER => {
            meta.traffic_class = bytes[1];
            meta.id = u32::from(u16::from_be_bytes([bytes[4], bytes[5]]));
            meta.hop_limit = bytes[8];
        }
        Some(6) if bytes.len() >= V6_HEADER => {
            meta.traffic_class = bytes[0] << 4 | bytes[1] >> 4;
            meta.hop_limit = bytes[7];
        }
        _ => {}
    }
    meta
}

/// Reads the header's addresses and protocol. To find out whether all else is as [`write`] makes it, the caller writes
/// the header again and compares.
pub(super) fn parse(bytes: &[u8]) -> Option<Parsed> {
    match bytes.first()? >> 4 {
        4 if bytes.len() >= V4_HEADER && bytes[0] == 0x45 => {
            let address = |at: usize| -> Option<Address> {
                let octets: [u8; 4] = bytes[at..at + 4].try_into().ok()?;
                Some(Address::from(Ipv4Addr::from(octets)))
            };
            Some(Parsed { src: address(12)?, dst: address(16)?, protocol: bytes[9], header: V4_HEADER })
        }
        6 if bytes.len() >= V6_HEADER => {
            let address = |at: usize| -> Option<Address> {
                let octets: [u8; 16] = bytes[at..at + 16].try_into().ok()?;
                Some(Address::from(std::net::IpAddr::V6(Ipv6Addr::from(octets))))
            };
            Some(Parsed { src: address(8)?, dst: address(24)?, protocol: bytes[6], header: V6_HEADER })
        }
        _ => None,
    }
}

/// Source and destination of any IP packet, for its Ethernet frame; zeros if it has none.
pub(super) fn addresses(bytes: &[u8]) -> (Address, Address) {
    let plain = match bytes.first() {
        // IPv4 options follow the addresses.
        Some(first) if first >> 4 == 4 && bytes.len() >= V4_HEADER => {
            let mut plain = [0; V4_HEADER];
            plain.copy_from_slice(&bytes[..V4_HEADER]);
            plain[0] = 0x45;
            parse(&plain)
        }
        _ => parse(bytes),
    };
    plain.map_or((Address::default(), Address::default()), |p| (p.src, p.dst))
}

/// Sets the hop limit of the IP packet at the start of `bytes` and updates the IPv4 checksum.
pub(super) fn set_hop_limit(bytes: &mut [u8], hop_limit: u8) {
    match bytes.first().map(|b| b >> 4) {
        Some(4) if bytes.len() >= V4_HEADER && bytes[8] != hop_limit => {
            let old = u16::from_be_bytes([bytes[8], bytes[9]]);
            bytes[8] = hop_limit;
            let new = u16::from_be_bytes([bytes[8], bytes[9]]);
            let sum = u16::from_be_bytes([bytes[10], bytes[11]]);
            bytes[10..12].copy_from_slice(&checksum::update(sum, old, new).to_be_bytes());
        }
        Some(6) if bytes.len() >= V6_HEADER => bytes[7] = hop_limit,
        _ => {}
    }
}
