//! Incremental update of Internet checksums (RFC 1624).

/// Updates a one's complement sum for one word that changed from `old` to `new`. Takes the sum, not its complement.
#[inline]
pub(super) fn replaced(sum: u16, old: u16, new: u16) -> u16 {
    let sum = u32::from(sum) + u32::from(!old) + u32::from(new);
    let sum = (sum & 0xffff) + (sum >> 16);
    ((sum & 0xffff) + (sum >> 16)) as u16
}

/// The big-endian word at `at`.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Writes the big-endian word at `at`.
#[inline]
pub(super) fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// Sets the length field of an IP header to the packet's length and updates the IPv4 checksum. IPv6 does not count its fixed
/// 40 bytes (RFC 8200 §3).
#[inline]
pub(super) fn put_ip_length(ip: &mut [u8], length: usize) {
    if ip[0] >> 4 == 4 {
        put_ipv4_word(ip, 2, length as u16);
    } else {
        put(ip, 4, (length - 40) as u16);
    }
}

/// Changes a word of an IPv4 header and updates its checksum.
#[inline]
pub(super) fn put_ipv4_word(ip: &mut [u8], at: usize, value: u16) {
    let sum = replaced(!word(ip, 10), word(ip, at), value);
    put(ip, at, value);
    put(ip, 10, !sum);
}
