//! ICMP echo (RFC 792) and ICMPv6 echo (RFC 4443 §4).

use crate::headers::IcmpEcho;

/// Offset of the checksum in the header.
pub(super) const CHECKSUM_AT: usize = 2;
/// Length of the header in bytes.
pub(super) const HEADER: usize = 8;

/// IP protocol number (IPv4) or next header (IPv6).
pub(super) const fn protocol(v4: bool) -> u8 {
    if v4 { 1 } else { 58 }
}

const fn kind(v4: bool, reply: bool) -> u8 {
    match (v4, reply) {
        (true, false) => 8,
        (true, true) => 0,
        (false, false) => 128,
        (false, true) => 129,
    }
}

/// Writes the header with a zero checksum.
pub(super) fn write(out: &mut Vec<u8>, echo: &IcmpEcho, v4: bool) {
    out.extend_from_slice(&[kind(v4, echo.reply), 0, 0, 0]);
    out.extend_from_slice(&echo.identifier.to_be_bytes());
    out.extend_from_slice(&echo.sequence.to_be_bytes());
}

/// Reads the header, without inline bytes; `None` for any other ICMP message.
pub(super) fn parse(bytes: &[u8], v4: bool) -> Option<IcmpEcho> {
    let fixed: &[u8; HEADER] = bytes.first_chunk()?;
    let reply = match fixed[0] {
        k if k == kind(v4, false) => false,
        k if k == kind(v4, true) => true,
        _ => return None,
    };
    let half = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    Some(IcmpEcho { reply, identifier: half(4), sequence: half(6), inline: Default::default() })
}
