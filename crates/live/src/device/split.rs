//! TCP and UDP segmentation offload: splits one super-packet into packets of the MTU.
//!
//! The rules are those of a network card: each packet has the super-packet's headers with its own lengths, IPv4
//! identification and sequence number; FIN and PSH are kept on the last packet only, CWR on the first only (RFC 3168
//! §6.1.2: once per window). Checksums stay partial.

use jettison_wire::{PartialChecksum, TcpFlags};
use thiserror::Error;

use super::VnetHeader;
use super::sum::{put, put_ip_length, put_ipv4_word, replaced, word};

/// A super-packet, which yields its packets one by one.
#[derive(Debug, Clone)]
pub struct SuperPacket<'a> {
    headers: &'a [u8],
    payload: &'a [u8],
    is_tcp: bool,
    /// Whether CWR belongs to the first packet alone (RFC 3168 §6.1.2). Otherwise it is a bit of the ACE field, which every
    /// packet repeats (RFC 9768 §3.3.4).
    cwr_once: bool,
    /// Offset of the transport header.
    transport: usize,
    size: usize,
    taken: usize,
}

/// Reason why a super-packet is malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SplitError {
    /// A type that was not announced to the kernel.
    #[error("super-packet type must be TCPv4, TCPv6 or UDP, got {0:#04x}")]
    Kind(u8),
    /// Truncated headers, or headers of another type.
    #[error("the headers of a super-packet must be complete and match its type")]
    Headers,
    /// A segment size of zero, or no checksum offset.
    #[error("a super-packet must have a segment size > 0 and a checksum offset")]
    Size,
}

impl<'a> SuperPacket<'a> {
    /// Parses the IP packet `bytes` as the super-packet that `header` describes.
    ///
    /// # Errors
    /// If the super-packet is malformed.
    pub fn parse(header: &VnetHeader, bytes: &'a [u8]) -> Result<SuperPacket<'a>, SplitError> {
        let (version, protocol) = match header.gso_type & !VnetHeader::GSO_ECN {
            VnetHeader::GSO_TCP4 => (4, 6),
            VnetHeader::GSO_TCP6 => (6, 6),
            VnetHeader::GSO_UDP => (bytes.first().map_or(0, |byte| byte >> 4), 17),
            kind => return Err(SplitError::Kind(kind)),
        };
        let is_tcp = protocol == 6;
        let PartialChecksum { start, offset } = header.partial().ok_or(SplitError::Size)?;
        if header.gso_size == 0 || offset != if is_tcp { 16 } else { 6 } {
            return Err(SplitError::Size);
        }
        let transport = usize::from(start);
        // IPv6 may have extension headers before the transport header.
        let matches_type = match (version, bytes.first()) {
            (4, Some(first)) => {
                *first >> 4 == 4
                    && transport >= 20
                    && usize::from(first & 0xf) * 4 == transport
                    && bytes.get(9) == Some(&protocol)
            }
            (6, Some(first)) => *first >> 4 == 6 && transport >= 40,
            _ => false,
        };
        let fixed = transport + if is_tcp { 20 } else { 8 };
        if !matches_type || bytes.len() < fixed {
            return Err(SplitError::Headers);
        }
        let end = if is_tcp { transport + usize::from(bytes[transport + 12] >> 4) * 4 } else { fixed };
        if end < fixed || end > bytes.len() || bytes.len() > usize::from(u16::MAX) {
            return Err(SplitError::Headers);
        }
        let (headers, payload) = bytes.split_at(end);
        let cwr_once = header.gso_type & VnetHeader::GSO_ECN != 0;
        let size = header.gso_size.into();
        Ok(SuperPacket { headers, payload, is_tcp, cwr_once, transport, size, taken: 0 })
    }

    /// Number of packets not yet taken. A super-packet without payload is one packet.
    pub fn remaining(&self) -> usize {
        self.payload.len().div_ceil(self.size).max(1).saturating_sub(self.taken)
    }

    /// Overwrites `into` with the next packet; `None` once all have been taken.
    pub fn take_next(&mut self, into: &mut Vec<u8>) -> Option<PartialChecksum> {
        let count = self.remaining();
        if count == 0 {
            return None;
        }
        let (index, transport) = (self.taken, self.transport);
        self.taken += 1;
        let from = index * self.size;
        let payload = &self.payload[from..self.payload.len().min(from + self.size)];
        into.clear();
        into.extend_from_slice(self.headers);
        into.extend_from_slice(payload);
        let length = into.len();
        put_ip_length(into, length);
        // A network card increments the identification, which receivers use to merge the packets again.
        if into[0] >> 4 == 4 {
            let id = word(into, 4).wrapping_add(index as u16);
            put_ipv4_word(into, 4, id);
        }
        let length = length - transport;
        let whole = self.headers.len() + self.payload.len() - transport;
        let above = &mut into[transport..];
        let offset = if self.is_tcp {
            let sequence = u32::from_be_bytes([above[4], above[5], above[6], above[7]]);
            above[4..8].copy_from_slice(&sequence.wrapping_add(from as u32).to_be_bytes());
            if count > 1 {
                above[13] &= !(TcpFlags::FIN.0 | TcpFlags::PSH.0);
            }
            if index > 0 && self.cwr_once {
                above[13] &= !TcpFlags::CWR.0;
            }
            16
        } else {
            put(above, 4, length as u16);
            6
        };
        // The partial checksum covers the pseudo-header, which contains the length.
        let sum = replaced(word(above, offset), whole as u16, length as u16);
        put(above, offset, sum);
        Some(PartialChecksum { start: transport as u16, offset: offset as u16 })
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
