//! The UDP header (RFC 768).

use crate::headers::UdpHeader;

/// IP protocol number.
pub(super) const PROTOCOL: u8 = 17;
/// Offset of the checksum in the header.
pub(super) const CHECKSUM_AT: usize = 6;
/// Length of the header in bytes.
pub(super) const HEADER: usize = 8;

/// Writes the header of a datagram of `length` bytes, header included, with a zero checksum.
pub(super) fn write(out: &mut Vec<u8>, udp: &UdpHeader, length: usize) {
    out.extend_from_slice(&udp.src_port.to_be_bytes());
    out.extend_from_slice(&udp.dst_port.to_be_bytes());
    out.extend_from_slice(&(length as u16).to_be_bytes());
    out.extend_from_slice(&[0; 2]);
}

/// Reads the header, without inline bytes.
pub(super) fn parse(bytes: &[u8]) -> Option<UdpHeader> {
    let fixed: &[u8; HEADER] = bytes.first_chunk()?;
    let half = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    Some(UdpHeader { src_port: half(0), dst_port: half(2), inline: Default::default() })
}
