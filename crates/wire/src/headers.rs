//! Typed headers of modelled packets.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An IP address; IPv4 addresses are kept in their IPv6-mapped form (RFC 4291 §2.5.5.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Address([u8; 16]);

impl Address {
    /// An IPv4 address.
    pub const fn v4(a: u8, b: u8, c: u8, d: u8) -> Address {
        Address([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d])
    }
    /// Whether this is an IPv4 address.
    #[inline]
    pub fn is_v4(self) -> bool {
        self.to_words()[0] == 0 && (self.to_words()[1] >> 32) == 0xffff
    }
    /// The last 32 bits; for IPv4, the whole address.
    #[inline]
    pub fn low_u32(self) -> u32 {
        self.to_words()[1] as u32
    }
    /// As two big-endian words.
    #[inline]
    pub fn to_words(self) -> [u64; 2] {
        let bits = u128::from_be_bytes(self.0);
        [(bits >> 64) as u64, bits as u64]
    }
    /// As one number, high byte first.
    #[inline]
    pub fn to_u128(self) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

impl From<IpAddr> for Address {
    fn from(ip: IpAddr) -> Address {
        match ip {
            IpAddr::V4(v4) => Address(v4.to_ipv6_mapped().octets()),
            IpAddr::V6(v6) => Address(v6.octets()),
        }
    }
}
impl From<Ipv4Addr> for Address {
    fn from(ip: Ipv4Addr) -> Address {
        Address(ip.to_ipv6_mapped().octets())
    }
}
impl From<Address> for IpAddr {
    fn from(address: Address) -> IpAddr {
        Ipv6Addr::from(address.0).to_canonical()
    }
}
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IpAddr::from(*self).fmt(f)
    }
}
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IpAddr::from(*self).fmt(f)
    }
}

/// The headers of a modelled packet. TTL, DSCP, ECN and length are in [`crate::PacketMeta`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers {
    /// IP source.
    pub src: Address,
    /// IP destination.
    pub dst: Address,
    /// The header above IP.
    pub transport: Transport,
}

/// The header above IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// TCP (RFC 9293).
    Tcp(TcpHeader),
    /// UDP (RFC 768).
    Udp(UdpHeader),
    /// ICMP or ICMPv6 echo (RFC 792, RFC 4443 §4).
    Icmp(IcmpEcho),
}

impl Headers {
    /// Length in bytes of the IP and transport headers, options included.
    #[inline]
    pub fn header_length(&self) -> usize {
        let ip = if self.src.is_v4() { 20 } else { 40 };
        ip + match &self.transport {
            Transport::Tcp(tcp) => tcp.header_length(),
            Transport::Udp(_) | Transport::Icmp(_) => 8,
        }
    }
}

/// TCP flags (RFC 9293 §3.1, RFC 3168 §6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpFlags(pub u8);

impl TcpFlags {
    /// No more data from the sender.
    pub const FIN: TcpFlags = TcpFlags(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: TcpFlags = TcpFlags(0x02);
    /// Reset the connection.
    pub const RST: TcpFlags = TcpFlags(0x04);
    /// Push.
    pub const PSH: TcpFlags = TcpFlags(0x08);
    /// The acknowledgement field is significant.
    pub const ACK: TcpFlags = TcpFlags(0x10);
    /// Urgent.
    pub const URG: TcpFlags = TcpFlags(0x20);
    /// ECN echo.
    pub const ECE: TcpFlags = TcpFlags(0x40);
    /// Congestion window reduced.
    pub const CWR: TcpFlags = TcpFlags(0x80);

    /// Whether all flags of `other` are set.
    #[inline]
    pub const fn contains(self, other: TcpFlags) -> bool {
        self.0 & other.0 == other.0
    }
    /// The union of both sets.
    #[inline]
    pub const fn with(self, other: TcpFlags) -> TcpFlags {
        TcpFlags(self.0 | other.0)
    }
}

/// A TCP header with the options that Jettison uses: MSS, window scale, SACK-permitted, timestamps, SACK blocks, AccECN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Sequence number of the first payload byte (or of SYN).
    pub seq: u32,
    /// Next sequence number expected, if [`TcpFlags::ACK`].
    pub ack: u32,
    /// Receive window as encoded in the header, before scaling.
    pub window: u16,
    /// The flags.
    pub flags: TcpFlags,
    /// AE (RFC 9768 §3.1.1), the flag above CWR.
    pub ae: bool,
    /// Options present (bits `OPT_*`).
    pub options: u8,
    /// The second field of the AccECN option; the others are in what SACK blocks leave.
    pub(crate) acc_ecn: [u8; 3],
    /// TSval and TSecr (RFC 7323), if [`TcpHeader::OPT_TIMESTAMPS`].
    pub timestamps: [u32; 2],
    /// On a SYN: MSS in the first word, window scale in the second. Otherwise: up to three SACK blocks (RFC 2018).
    pub sack: SackBlocks,
}

impl TcpHeader {
    /// Timestamps are present.
    pub const OPT_TIMESTAMPS: u8 = 0x01;
    /// SACK-permitted is present (SYN only).
    pub const OPT_SACK_PERMITTED: u8 = 0x02;
    /// The MSS is present (SYN only).
    pub const OPT_MSS: u8 = 0x04;
    /// The window scale is present (SYN only).
    pub const OPT_WINDOW_SCALE: u8 = 0x08;

    /// A header with no flags and no options.
    pub fn new(src_port: u16, dst_port: u16) -> TcpHeader {
        TcpHeader {
            src_port,
            dst_port,
            seq: 0,
            ack: 0,
            window: 0,
            flags: TcpFlags(0),
            ae: false,
            options: 0,
            acc_ecn: [0; 3],
            timestamps: [0; 2],
            sack: SackBlocks::EMPTY,
        }
    }

    /// Length of the header in bytes, options padded in Linux's layout (timestamps NOP NOP 8+2, SACK NOP NOP 2+8n, …).
    #[inline]
    pub fn header_length(&self) -> usize {
        let mut options = 0;
        if self.flags.contains(TcpFlags::SYN) {
            if self.options & TcpHeader::OPT_MSS != 0 {
                options += 4;
            }
            // SACK-permitted replaces the two NOPs before the timestamps, if those are present.
            match (
                self.options & TcpHeader::OPT_TIMESTAMPS != 0,
                self.options & TcpHeader::OPT_SACK_PERMITTED != 0,
            ) {
                (true, _) => options += 12,
                (false, true) => options += 4,
                (false, false) => {}
            }
            if self.options & TcpHeader::OPT_WINDOW_SCALE != 0 {
                options += 4;
            }
            options += self.acc_ecn_length();
        } else {
            if self.options & TcpHeader::OPT_TIMESTAMPS != 0 {
                options += 12;
            }
            let blocks = self.sack.len();
            if blocks > 0 {
                options += 4 + 8 * blocks;
            }
            options += self.acc_ecn_length();
        }
        20 + options
    }

    /// TSval and TSecr, if present.
    #[inline]
    pub fn timestamps(&self) -> Option<(u32, u32)> {
        (self.options & TcpHeader::OPT_TIMESTAMPS != 0).then_some((self.timestamps[0], self.timestamps[1]))
    }

    /// Maximum segment size announced on a SYN.
    pub fn mss(&self) -> Option<u16> {
        (self.flags.contains(TcpFlags::SYN) && self.options & TcpHeader::OPT_MSS != 0)
            .then_some(self.sack.raw[0] as u16)
    }

    /// Window scale shift announced on a SYN (RFC 7323 §2).
    pub fn window_scale(&self) -> Option<u8> {
        (self.flags.contains(TcpFlags::SYN) && self.options & TcpHeader::OPT_WINDOW_SCALE != 0)
            .then_some(self.sack.raw[1] as u8)
    }

    /// Sets the options of a SYN.
    pub fn set_syn_options(&mut self, mss: u16, window_scale: Option<u8>, sack_permitted: bool) {
        self.options |= TcpHeader::OPT_MSS;
        self.sack.raw = [u32::from(mss), u32::from(window_scale.unwrap_or(0)), 0, 0, 0, 0];
        if window_scale.is_some() {
            self.options |= TcpHeader::OPT_WINDOW_SCALE;
        }
        if sack_permitted {
            self.options |= TcpHeader::OPT_SACK_PERMITTED;
        }
    }
}

/// Up to three SACK blocks (two beside an AccECN option): `start..end` sequence numbers (RFC 2018 §3). An empty block ends the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlocks {
    raw: [u32; 6],
}

impl SackBlocks {
    /// No blocks.
    pub const EMPTY: SackBlocks = SackBlocks { raw: [0; 6] };
    /// Number of blocks that fit next to timestamps.
    pub const MAX: usize = 3;

    /// A number in the place of a block that is not there. The place stays empty: both of its words are the same.
    pub(crate) fn spare(&self, block: usize) -> u32 {
        self.raw[2 * block]
    }
    pub(crate) fn set_spare(&mut self, block: usize, value: u32) {
        self.raw[2 * block..2 * block + 2].fill(value);
    }

    /// Adds a non-empty block if there is room. Returns whether it was added.
    #[inline]
    pub fn push(&mut self, start: u32, end: u32) -> bool {
        let at = self.len();
        if at == SackBlocks::MAX || start == end {
            return false;
        }
        self.raw[2 * at] = start;
        self.raw[2 * at + 1] = end;
        true
    }
    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        (0..SackBlocks::MAX).position(|i| self.raw[2 * i] == self.raw[2 * i + 1]).unwrap_or(SackBlocks::MAX)
    }
    /// Whether the list is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.raw[0] == self.raw[1]
    }
    /// The first `blocks` of them.
    #[inline]
    pub fn truncated(mut self, blocks: usize) -> SackBlocks {
        self.raw[2 * blocks..].fill(0);
        self
    }
    /// The blocks, most recent first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.len()).map(|i| (self.raw[2 * i], self.raw[2 * i + 1]))
    }
}

/// A UDP header with the first bytes of its payload inline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// The payload's first bytes; the rest is virtual zeros.
    pub inline: InlineBytes,
}

/// An ICMP echo request or reply with the first bytes of its payload inline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IcmpEcho {
    /// Whether this is a reply.
    pub reply: bool,
    /// Identifier of the pinging process.
    pub identifier: u16,
    /// Sequence number.
    pub sequence: u16,
    /// The payload's first bytes; the rest is virtual zeros.
    pub inline: InlineBytes,
}

/// Up to 40 payload bytes kept inside the packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InlineBytes {
    length: u8,
    bytes: [u8; InlineBytes::CAPACITY],
}

impl InlineBytes {
    /// Maximum number of bytes.
    pub const CAPACITY: usize = 40;

    /// Copies `bytes`; `None` if they do not fit.
    #[inline]
    pub fn new(bytes: &[u8]) -> Option<InlineBytes> {
        let mut inline = InlineBytes::default();
        inline.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        inline.length = bytes.len() as u8;
        Some(inline)
    }
    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl Default for InlineBytes {
    fn default() -> InlineBytes {
        InlineBytes { length: 0, bytes: [0; InlineBytes::CAPACITY] }
    }
}
impl fmt::Debug for InlineBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InlineBytes").field(&self.as_slice()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tcp_header_lengths_are_linux_layout() {
        let mut header = TcpHeader::new(1, 2);
        assert_eq!(header.header_length(), 20);
        header.options = TcpHeader::OPT_TIMESTAMPS;
        assert_eq!(header.header_length(), 32);
        header.sack.push(1, 2);
        header.sack.push(5, 9);
        assert_eq!(header.header_length(), 32 + 4 + 16);
        let mut syn = TcpHeader::new(1, 2);
        syn.flags = TcpFlags::SYN;
        syn.options = TcpHeader::OPT_TIMESTAMPS;
        syn.set_syn_options(1460, Some(7), true);
        assert_eq!(syn.header_length(), 40);
        assert_eq!((syn.mss(), syn.window_scale()), (Some(1460), Some(7)));
    }

    #[test]
    fn a_fourth_sack_block_does_not_fit() {
        let mut blocks = SackBlocks::EMPTY;
        assert!(blocks.push(10, 20) && blocks.push(30, 40) && blocks.push(50, 60));
        assert!(!blocks.push(70, 80));
        assert_eq!(blocks.iter().collect::<Vec<_>>(), [(10, 20), (30, 40), (50, 60)]);
    }

    #[test]
    fn addresses_know_their_family() {
        assert!(Address::v4(10, 0, 0, 1).is_v4());
        assert!(!Address::from("2001:db8::1".parse::<IpAddr>().unwrap()).is_v4());
        assert_eq!(Address::v4(10, 0, 0, 1).to_string(), "10.0.0.1");
    }
}
