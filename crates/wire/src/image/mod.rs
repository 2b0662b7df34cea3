//! The byte image of a packet: Ethernet II, IP, transport header, inline bytes or payload, then virtual zeros.
//!
//! Every modelled packet has exactly one image, made here and nowhere else; packet captures and P4 programs see it, and
//! what comes back from a deparser or a TUN device is read here too. Hardware addresses are derived from the IP ones
//! ([`hardware_address`]). Checksums are right; virtual zeros add nothing to them, so none are written for their sake.
//!
//! Reading never panics. Bytes become typed [`Headers`] only if writing those again gives the same bytes; anything
//! else (options that the headers do not hold, a fragment, a wrong checksum) stays a [`Buffer`] and loses nothing.

mod checksum;
mod ethernet;
mod icmp;
mod ip;
mod tcp;
mod udp;

pub use ethernet::hardware_address;

use checksum::Checksum;

use crate::headers::{Headers, InlineBytes, Transport};
use crate::packet::{Body, Buffer, Packet, PacketMeta, PayloadPacket};

/// Bytes of the Ethernet header in front of the IP packet.
pub const ETHERNET_HEADER: usize = ethernet::HEADER;

/// What to do with payload when reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zeros {
    /// A payload of zeros (for UDP and ICMP: behind the first 40 bytes) becomes virtual. Every byte is looked at.
    #[default]
    Virtual,
    /// Payload is kept as it is: for traffic whose bytes are real anyway.
    Kept,
}

/// Why bytes are no packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The frame ends within the Ethernet header.
    #[error("a frame of {0} bytes is shorter than an Ethernet header")]
    TooShort(usize),
    /// More than an IP packet can hold.
    #[error("{0} bytes are more than the 65,535 of an IP packet")]
    TooLong(usize),
    /// The EtherType is neither IPv4's nor IPv6's.
    #[error("EtherType {0:#06x} is neither IPv4 (0x0800) nor IPv6 (0x86dd)")]
    EtherType(u16),
    /// The first byte is no IP version.
    #[error("the bytes start with neither IP version 4 nor 6")]
    NotIp,
}

impl Packet {
    /// Appends the first `snap` bytes of the Ethernet frame to `out`. The whole frame has
    /// [`Packet::image_length`] bytes; frame check sequence and padding to 60 bytes are not part of it.
    pub fn write_image(&self, out: &mut Vec<u8>, snap: usize) {
        let start = out.len();
        let (src, dst) = match &self.body {
            Body::Buffer(buffer) => ip::addresses(&buffer.bytes),
            Body::Model(headers) => (headers.src, headers.dst),
            Body::Payload(boxed) => (boxed.headers.src, boxed.headers.dst),
        };
        let v4 = match &self.body {
            Body::Buffer(buffer) => buffer.bytes.first().is_none_or(|b| b >> 4 != 6),
            Body::Model(_) | Body::Payload(_) => src.is_v4(),
        };
        ethernet::write(out, src, dst, if v4 { ethernet::IPV4 } else { ethernet::IPV6 });
        self.write_ip_image(out, snap.saturating_sub(ethernet::HEADER));
        out.truncate(start + snap);
    }

    /// Appends the first `snap` bytes of the IP packet to `out`. The hop limit is that of the packet's
    /// [`PacketMeta`], for buffers too.
    pub fn write_ip_image(&self, out: &mut Vec<u8>, snap: usize) {
        let start = out.len();
        match &self.body {
            Body::Buffer(buffer) => write_buffer(out, &self.meta, buffer, snap),
            Body::Model(headers) => {
                let inline = inline(headers);
                let payload = &inline.as_slice()[..inline.as_slice().len().min(self.payload_length())];
                write_typed(out, &self.meta, headers, payload, snap);
            }
            Body::Payload(boxed) => write_typed(out, &self.meta, &boxed.headers, &boxed.payload, snap),
        }
        let whole = start + snap.min(usize::from(self.meta.length));
        if matches!(self.body, Body::Model(_)) {
            out.resize(whole, 0); // virtual zeros
        }
        out.truncate(start + snap);
    }

    /// Bytes of the whole Ethernet frame.
    pub fn image_length(&self) -> usize {
        let ip = match &self.body {
            Body::Buffer(buffer) => buffer.bytes.len(),
            Body::Model(_) | Body::Payload(_) => usize::from(self.meta.length),
        };
        ethernet::HEADER + ip
    }

    /// Reads an Ethernet II frame. Hardware addresses are not kept: they are derived ones.
    ///
    /// # Errors
    /// If the frame is no IP packet: what cannot be routed cannot be a [`Packet`].
    pub fn from_image(frame: &[u8], zeros: Zeros) -> Result<Packet, ImageError> {
        let (ether_type, bytes) = ethernet::split(frame).ok_or(ImageError::TooShort(frame.len()))?;
        match ether_type {
            ethernet::IPV4 | ethernet::IPV6 => Packet::from_ip_image(bytes, zeros),
            other => Err(ImageError::EtherType(other)),
        }
    }

    /// Reads an IP packet. Bytes behind the length that its header claims are padding and dropped (RFC 894). The result
    /// has default `meta` but for what the header says: length, traffic class, hop limit, IPv4 identification.
    ///
    /// # Errors
    /// If it is no IP packet, or longer than one can be.
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
        let typed = (claimed == Some(bytes.len())).then(|| parse_typed(bytes, meta, zeros)).flatten();
        Ok(typed.unwrap_or_else(|| Packet {
            meta,
            body: Body::Buffer(Box::new(Buffer { bytes: bytes.to_vec() })),
        }))
    }
}

/// The payload bytes that the headers themselves hold.
fn inline(headers: &Headers) -> InlineBytes {
    match &headers.transport {
        Transport::Tcp(_) => InlineBytes::default(),
        Transport::Udp(udp) => udp.inline,
        Transport::Icmp(echo) => echo.inline,
    }
}

/// Writes IP and transport header and as much of `payload` as `snap` asks for.
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
    checksum.add(&out[at..]); // every header is an even number of bytes long
    checksum.add(payload);
    let value = match (transport, checksum.finish()) {
        (Transport::Udp(_), 0) => 0xffff, // RFC 768: zero would say that there is no checksum
        (_, value) => value,
    };
    out[at + checksum_at..at + checksum_at + 2].copy_from_slice(&value.to_be_bytes());
    let room = snap.saturating_sub(out.len() - start);
    out.extend_from_slice(&payload[..payload.len().min(room)]);
}

fn write_buffer(out: &mut Vec<u8>, meta: &PacketMeta, buffer: &Buffer, snap: usize) {
    let start = out.len();
    // The header is patched as a whole, then cut.
    out.extend_from_slice(&buffer.bytes[..buffer.bytes.len().min(snap.max(ip::V6_HEADER))]);
    ip::set_hop_limit(&mut out[start..], meta.hop_limit);
    out.truncate(start + snap);
}

/// Typed headers for `bytes`, if writing them gives the same bytes again.
fn parse_typed(bytes: &[u8], meta: PacketMeta, zeros: Zeros) -> Option<Packet> {
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
    let prefix = match transport {
        Transport::Tcp(_) => 0,
        Transport::Udp(_) | Transport::Icmp(_) => payload.len().min(InlineBytes::CAPACITY),
    };
    let is_virtual =
        payload.is_empty() || zeros == Zeros::Virtual && payload[prefix..].iter().all(|b| *b == 0);
    if is_virtual {
        let inline = InlineBytes::new(&payload[..prefix])?;
        match &mut transport {
            Transport::Tcp(_) => {}
            Transport::Udp(udp) => udp.inline = inline,
            Transport::Icmp(echo) => echo.inline = inline,
        }
    }
    let headers = Headers { src: parsed.src, dst: parsed.dst, transport };
    let packet = if is_virtual {
        Packet { meta, body: Body::Model(headers) }
    } else {
        Packet { meta, body: Body::Payload(Box::new(PayloadPacket { headers, payload: payload.into() })) }
    };
    // Only the headers can differ: the payload was copied.
    let header_end = parsed.header + header;
    let mut again = Vec::with_capacity(header_end);
    packet.write_ip_image(&mut again, header_end);
    (again == bytes[..header_end]).then_some(packet)
}

#[cfg(test)]
mod tests;
