//! The byte image of a packet: Ethernet II, IP, transport header, inline bytes or payload, then virtual zeros.
//!
//! Every modelled packet has exactly one image, and only this module makes it; packet captures and P4 programs see it,
//! and the output of a deparser or a TUN device is read here too. Hardware addresses are derived from IP addresses
//! ([`hardware_address`]). Checksums are correct; virtual zeros do not change them, so they need not be written.
//!
//! Reading never panics. Bytes become typed [`Headers`] only if writing those again gives the same bytes; anything
//! else (options without a typed field, a fragment, a wrong checksum) stays a [`Buffer`], byte for byte. A frame that
//! carries no IP packet can travel as a whole frame ([`Packet::from_frame`]).

pub(crate) mod checksum;
mod ethernet;
mod icmp;
mod ip;
mod tcp;
mod udp;

pub(crate) use ethernet::carries_ip;
pub use ethernet::hardware_address;
pub(crate) use tcp::parse as tcp_header;

use checksum::Checksum;

use crate::headers::{Headers, InlineBytes, Transport};
use crate::packet::{Body, Buffer, Packet, PacketMeta, PayloadPacket};

/// Length in bytes of the Ethernet header in front of the IP packet.
pub const ETHERNET_HEADER: usize = ethernet::HEADER;

/// How a reader represents payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zeros {
    /// A payload of zeros (for UDP and ICMP: after the first 40 bytes) becomes virtual. This inspects every byte.
    #[default]
    Virtual,
    /// Payload is kept as bytes: for traffic of real programs.
    Kept,
}

/// Bytes that are not a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The frame is shorter than an Ethernet header.
    #[error("an Ethernet frame must have at least 14 bytes, got {0}")]
    TooShort(usize),
    /// The packet exceeds the maximum length of an IP packet.
    #[error("an IP packet must have at most 65,535 bytes, got {0}")]
    TooLong(usize),
    /// The EtherType is neither IPv4 nor IPv6.
    #[error("EtherType must be IPv4 (0x0800) or IPv6 (0x86dd), got {0:#06x}")]
    EtherType(u16),
    /// The first four bits are not an IP version.
    #[error("IP version must be 4 or 6")]
    NotIp,
}

impl Packet {
    /// Appends the first `snap` bytes of the Ethernet frame to `out`. The whole frame has
    /// [`Packet::image_length`] bytes, without frame check sequence and without padding to 60 bytes.
    pub fn write_image(&self, out: &mut Vec<u8>, snap: usize) {
        let start = out.len();
        if let Body::Buffer(buffer) = &self.body
            && buffer.frame
        {
            return out.extend_from_slice(&buffer.bytes[..buffer.bytes.len().min(snap)]);
        }
        self.write_ethernet(out);
        self.write_ip_image(out, snap.saturating_sub(ethernet::HEADER));
        out.truncate(start.saturating_add(snap));
    }

    /// Appends the frame without its trailing virtual zeros to `out`; returns the number of those zeros.
    pub fn write_image_head(&self, out: &mut Vec<u8>) -> usize {
        let Body::Model(headers) = &self.body else {
            self.write_image(out, usize::MAX);
            return 0;
        };
        self.write_ethernet(out);
        let start = out.len();
        let inline = inline(headers);
        let payload = &inline.as_slice()[..inline.as_slice().len().min(self.payload_length())];
        write_typed(out, &self.meta, headers, payload, usize::MAX);
        usize::from(self.meta.length).saturating_sub(out.len() - start)
    }

    fn write_ethernet(&self, out: &mut Vec<u8>) {
        let (src, dst) = match &self.body {
            Body::Buffer(buffer) => ip::addresses(buffer.ip()),
            Body::Model(headers) => (headers.src, headers.dst),
            Body::Payload(boxed) => (boxed.headers.src, boxed.headers.dst),
            Body::Corrupted(headers) => (headers.src, headers.dst),
        };
        let v4 = match &self.body {
            Body::Buffer(buffer) => buffer.ip().first().is_none_or(|b| b >> 4 != 6),
            Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => src.is_v4(),
        };
        ethernet::write(out, src, dst, if v4 { ethernet::IPV4 } else { ethernet::IPV6 });
    }

    /// Appends the first `snap` bytes of the IP packet to `out`; for a frame, the bytes after its Ethernet header. The hop
    /// limit is that of the packet's [`PacketMeta`], also if the body is the bytes of an IP packet.
    pub fn write_ip_image(&self, out: &mut Vec<u8>, snap: usize) {
        let start = out.len();
        match &self.body {
            Body::Buffer(buffer) if buffer.frame => {
                let behind = buffer.bytes.get(ethernet::HEADER..).unwrap_or(&[]);
                out.extend_from_slice(&behind[..behind.len().min(snap)]);
            }
            Body::Buffer(buffer) => write_buffer(out, &self.meta, buffer, snap),
            Body::Model(headers) => {
                let inline = inline(headers);
                let payload = &inline.as_slice()[..inline.as_slice().len().min(self.payload_length())];
                write_typed(out, &self.meta, headers, payload, snap);
            }
            Body::Payload(boxed) => write_typed(out, &self.meta, &boxed.headers, &boxed.payload, snap),
            Body::Corrupted(headers) => {
                let inline = inline(headers);
                let payload = &inline.as_slice()[..inline.as_slice().len().min(self.payload_length())];
                write_typed(out, &self.meta, headers, payload, snap);
                spoil_checksum(&mut out[start..], headers);
            }
        }
        let whole = start + snap.min(usize::from(self.meta.length));
        if matches!(self.body, Body::Model(_) | Body::Corrupted(_)) {
            out.resize(whole, 0); // virtual zeros
        }
        out.truncate(start.saturating_add(snap));
    }

    /// Length in bytes of the whole Ethernet frame.
    pub fn image_length(&self) -> usize {
        match &self.body {
            Body::Buffer(buffer) if buffer.frame => buffer.bytes.len(),
            Body::Buffer(buffer) => ethernet::HEADER + buffer.bytes.len(),
            Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => {
                ethernet::HEADER + usize::from(self.meta.length)
            }
        }
    }

    /// A packet of exactly these bytes, whatever they contain. If they carry an IP packet, `meta` follows its header;
    /// the length is the number of bytes minus an Ethernet header, at most 65,535.
    pub fn from_frame(bytes: Vec<u8>) -> Packet {
        let mut packet = Packet { meta: PacketMeta::default(), body: Body::Buffer(Box::default()) };
        packet.set_frame(bytes);
        if let Body::Buffer(buffer) = &packet.body {
            packet.meta.id = ip::meta(buffer.ip()).id;
        }
        packet
    }

    /// Replaces the packet's bytes, as [`Packet::from_frame`] does. Metadata that is not on the wire is kept.
    pub fn set_frame(&mut self, bytes: Vec<u8>) {
        let length = bytes.len().saturating_sub(ethernet::HEADER);
        let frame = Buffer { bytes, frame: true, partial: None, corrupted: self.is_corrupted() };
        let meta = ip::meta(frame.ip());
        self.meta.length = u16::try_from(length).unwrap_or(u16::MAX);
        (self.meta.traffic_class, self.meta.hop_limit) = (meta.traffic_class, meta.hop_limit);
        match &mut self.body {
            Body::Buffer(buffer) => **buffer = frame,
            body => *body = Body::Buffer(Box::new(frame)),
        }
    }

    /// Reads an Ethernet II frame that consists of `head` and `zeros` zero bytes. The result is that of
    /// [`Packet::from_image`] with [`Zeros::Virtual`] on the whole frame; usually the zeros are not materialised.
    ///
    /// # Errors
    /// If the frame carries no IP packet.
    pub fn from_image_head(head: &[u8], zeros: usize) -> Result<Packet, ImageError> {
        if let Some((ethernet::IPV4 | ethernet::IPV6, bytes)) = ethernet::split(head)
            && let Some(claimed) = ip::claimed_length(bytes).filter(|claimed| *claimed >= bytes.len())
            && claimed <= bytes.len() + zeros
            && claimed <= usize::from(u16::MAX)
        {
            // Bytes after the header's total length are padding: here, some of the zeros.
            let meta = PacketMeta { length: claimed as u16, ..ip::meta(bytes) };
            if let Some(packet) = parse_typed(bytes, claimed - bytes.len(), meta, Zeros::Virtual) {
                return Ok(packet);
            }
        }
        if zeros == 0 {
            return Packet::from_image(head, Zeros::Virtual);
        }
        let mut whole = head.to_vec();
        whole.resize(head.len() + zeros, 0);
        Packet::from_image(&whole, Zeros::Virtual)
    }

    /// Reads an Ethernet II frame. Hardware addresses are not kept: they are derived from the IP addresses.
    ///
    /// # Errors
    /// If the frame carries no IP packet: a [`Packet`] must be routable.
    pub fn from_image(frame: &[u8], zeros: Zeros) -> Result<Packet, ImageError> {
        let (ether_type, bytes) = ethernet::split(frame).ok_or(ImageError::TooShort(frame.len()))?;
        match ether_type {
            ethernet::IPV4 | ethernet::IPV6 => Packet::from_ip_image(bytes, zeros),
            other => Err(ImageError::EtherType(other)),
        }
    }

    /// A packet of exactly these bytes of an IP packet: for traffic of real programs. `meta` follows the header: length,
    /// traffic class, hop limit, IPv4 identification. Bytes after the header's total length are padding and cut off
    /// (RFC 894).
    ///
    /// # Errors
    /// Returns the buffer if it is a frame, or does not hold a whole IP packet.
    pub fn from_ip_buffer(mut buffer: Box<Buffer>) -> Result<Packet, Box<Buffer>> {
        let claimed = ip::claimed_length(&buffer.bytes).unwrap_or(0);
        if buffer.frame
            || claimed < ip::V4_HEADER
            || claimed > buffer.bytes.len()
            || claimed > usize::from(u16::MAX)
        {
            return Err(buffer);
        }
        buffer.bytes.truncate(claimed);
        Ok(Packet { meta: ip::meta(&buffer.bytes), body: Body::Buffer(buffer) })
    }

    /// Reads an IP packet. Bytes after its header's total length are padding and dropped (RFC 894). `meta` follows the
    /// header (length, traffic class, hop limit, IPv4 identification); its other fields are defaults.
    ///
    /// # Errors
    /// If the bytes are not an IP packet, or exceed the maximum length of one.
    pub fn from_ip_image(bytes: &[u8], zeros: Zeros) -> Result<Packet, ImageError> {
        if !matches!(bytes.first().map(|b| b >> 4), Some(4 | 6)) {
            return Err(ImageError::NotIp);
        }
        let claimed = ip::claimed_length(bytes).filter(|claimed| *claimed >= ip::V4_HEADER);
        let bytes = &bytes[..claimed.unwrap_or(bytes.len()).min(bytes.len())];
        if bytes.len() > usize::from(u16::MAX) {
            return Err(ImageError::TooLong(bytes.len()));
        }
        let meta = ip::meta(bytes);
        let typed = (claimed == Some(bytes.len())).then(|| parse_typed(bytes, 0, meta, zeros)).flatten();
        Ok(typed.unwrap_or_else(|| Packet {
            meta,
            body: Body::Buffer(Box::new(Buffer { bytes: bytes.to_vec(), ..Buffer::default() })),
        }))
    }
}

/// The payload bytes kept inside the headers.
fn inline(headers: &Headers) -> InlineBytes {
    match &headers.transport {
        Transport::Tcp(_) => InlineBytes::default(),
        Transport::Udp(udp) => udp.inline,
        Transport::Icmp(echo) => echo.inline,
    }
}

/// Writes IP and transport headers and as much of `payload` as `snap` requires.
fn write_typed(out: &mut Vec<u8>, meta: &PacketMeta, headers: &Headers, payload: &[u8], snap: usize) {
    let Headers { src, dst, transport } = headers;
    let start = out.len();
    let v4 = src.is_v4();
    let (protocol, checksum_at) = match transport {
        Transport::Tcp(_) => (tcp::PROTOCOL, tcp::CHECKSUM_AT),
        Transport::Udp(_) => (udp::PROTOCOL, udp::CHECKSUM_AT),
        Transport::Icmp(_) => (icmp::protocol(v4), icmp::CHECKSUM_AT),
    };
    ip::write(out, meta, *src, *dst, protocol);
    let at = out.len();
    let length = usize::from(meta.length).saturating_sub(at - start);
    match transport {
        Transport::Tcp(header) => tcp::write(out, header),
        Transport::Udp(header) => udp::write(out, header, length),
        Transport::Icmp(echo) => icmp::write(out, echo, v4),
    }
    let mut checksum = Checksum::default();
    if !(v4 && matches!(transport, Transport::Icmp(_))) {
        checksum.add_pseudo_header(*src, *dst, protocol, length);
    }
    checksum.add(&out[at..]); // every header has an even number of bytes
    checksum.add(payload);
    let value = match (transport, checksum.finish()) {
        (Transport::Udp(_), 0) => 0xffff, // RFC 768: zero means "no checksum"
        (_, value) => value,
    };
    out[at + checksum_at..at + checksum_at + 2].copy_from_slice(&value.to_be_bytes());
    let room = snap.saturating_sub(out.len() - start);
    out.extend_from_slice(&payload[..payload.len().min(room)]);
}

/// Flips a bit of the transport checksum.
fn spoil_checksum(ip: &mut [u8], headers: &Headers) {
    let header = if headers.src.is_v4() { ip::V4_HEADER } else { ip::V6_HEADER };
    let at = header
        + match headers.transport {
            Transport::Tcp(_) => tcp::CHECKSUM_AT,
            Transport::Udp(_) => udp::CHECKSUM_AT,
            Transport::Icmp(_) => icmp::CHECKSUM_AT,
        };
    // Zero means "no checksum" in UDP (RFC 768).
    let bit = if ip[at] == 0 && ip[at + 1] == 1 { 2 } else { 1 };
    ip[at + 1] ^= bit;
}

fn write_buffer(out: &mut Vec<u8>, meta: &PacketMeta, buffer: &Buffer, snap: usize) {
    let start = out.len();
    // The header is patched as a whole, then cut. A partial checksum covers all bytes, so it needs them all.
    let needed = if buffer.partial.is_some() { usize::MAX } else { snap.max(ip::V6_HEADER) };
    out.extend_from_slice(&buffer.bytes[..buffer.bytes.len().min(needed)]);
    if let Some(partial) = buffer.partial {
        partial.complete(&mut out[start..]);
    }
    ip::set_hop_limit(&mut out[start..], meta.hop_limit);
    out.truncate(start.saturating_add(snap));
}

/// Typed headers for `bytes` followed by `behind` zeros, if writing them gives the same bytes again.
fn parse_typed(bytes: &[u8], behind: usize, meta: PacketMeta, zeros: Zeros) -> Option<Packet> {
    let parsed = ip::parse(bytes)?;
    let above = &bytes[parsed.header..];
    let v4 = parsed.header == ip::V4_HEADER;
    let (mut transport, header) = match parsed.protocol {
        tcp::PROTOCOL => tcp::parse(above).map(|(tcp, length)| (Transport::Tcp(tcp), length))?,
        udp::PROTOCOL => (Transport::Udp(udp::parse(above)?), udp::HEADER),
        protocol if protocol == icmp::protocol(v4) => {
            (Transport::Icmp(icmp::parse(above, v4)?), icmp::HEADER)
        }
        _ => return None,
    };
    let payload = &above[header..];
    let length = payload.len() + behind;
    // UDP and ICMP keep their first bytes inline; TCP has none.
    let prefix = match transport {
        Transport::Tcp(_) => 0,
        Transport::Udp(_) | Transport::Icmp(_) => length.min(InlineBytes::CAPACITY),
    };
    let is_virtual = length == 0
        || zeros == Zeros::Virtual && payload[prefix.min(payload.len())..].iter().all(|b| *b == 0);
    if is_virtual {
        let mut first = [0; InlineBytes::CAPACITY];
        let there = prefix.min(payload.len());
        first[..there].copy_from_slice(&payload[..there]);
        let inline = InlineBytes::new(&first[..prefix])?;
        match &mut transport {
            Transport::Tcp(_) => {}
            Transport::Udp(udp) => udp.inline = inline,
            Transport::Icmp(echo) => echo.inline = inline,
        }
    } else if behind > 0 {
        return None; // real payload: its zeros are real too
    }
    let headers = Headers { src: parsed.src, dst: parsed.dst, transport };
    let packet = if is_virtual {
        Packet { meta, body: Body::Model(headers) }
    } else {
        Packet { meta, body: Body::Payload(Box::new(PayloadPacket { headers, payload: payload.into() })) }
    };
    // The payload was copied, so only the headers can differ.
    let header_end = parsed.header + header;
    let mut again = Vec::with_capacity(header_end);
    packet.write_ip_image(&mut again, header_end);
    (again == bytes[..header_end]).then_some(packet)
}

#[cfg(test)]
mod tests;
