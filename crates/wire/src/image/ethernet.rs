//! Ethernet II framing (RFC 894, RFC 2464).

use crate::headers::Address;

/// Bytes of an Ethernet II header.
pub(super) const HEADER: usize = 14;
/// EtherType of IPv4.
pub(super) const IPV4: u16 = 0x0800;
/// EtherType of IPv6.
pub(super) const IPV6: u16 = 0x86dd;

/// The hardware address derived from `address`: locally administered and unicast, `02:04` before the four bytes of
/// an IPv4 address, `02:06` before the last four of an IPv6 address. Modelled hosts have no other, so they need no ARP.
pub fn hardware_address(address: Address) -> [u8; 6] {
    let [a, b, c, d] = address.low_u32().to_be_bytes();
    [0x02, if address.is_v4() { 0x04 } else { 0x06 }, a, b, c, d]
}

pub(super) fn write(out: &mut Vec<u8>, src: Address, dst: Address, ether_type: u16) {
    out.extend_from_slice(&hardware_address(dst));
    out.extend_from_slice(&hardware_address(src));
    out.extend_from_slice(&ether_type.to_be_bytes());
}

/// EtherType and payload; `None` if the frame is too short.
pub(super) fn split(frame: &[u8]) -> Option<(u16, &[u8])> {
    let (header, rest) = frame.split_at_checked(HEADER)?;
    Some((u16::from_be_bytes([header[12], header[13]]), rest))
}

/// Whether the EtherType is IPv4's or IPv6's.
pub(crate) fn carries_ip(frame: &[u8]) -> bool {
    matches!(split(frame), Some((IPV4 | IPV6, _)))
}
