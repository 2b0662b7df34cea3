//! Conversion of deparsed frames to packets.

use jettison_wire::{Body, Packet};

use super::contexts::Context;

/// Form of a packet that leaves the switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frames {
    /// A modelled packet if the frame is one, so that modelled hosts understand it. Its hardware addresses are derived
    /// from the IP addresses again, so a program's changes of them do not leave the switch. Other frames keep all their
    /// bytes.
    #[default]
    Modelled,
    /// All bytes of the frame: for packet tests, and for links to real devices.
    Raw,
}

const ETHERNET: usize = 14;
const ETHER_TYPE: std::ops::Range<usize> = 12..14;

/// Replaces the content of `packet` by the deparsed frame: `headers`, and the payload in `context`. Afterwards
/// `context` holds the new frame if `keep` is set, or if the packet had to be parsed again from its bytes. Returns whether
/// the packet has changed.
pub(super) fn put_back<S: Clone>(
    packet: &mut Packet,
    context: &mut Context<S>,
    headers: &[u8],
    frames: Frames,
    keep: bool,
) -> bool {
    let whole = !context.rewritten && is_uncut(context, headers);
    let unchanged = whole && unchanged(context, headers);
    let same = unchanged || whole && only_marks(packet, context, headers, frames);
    if keep || !same {
        context.deparse(headers);
    }
    if same {
        return !unchanged;
    }
    replace(packet, context, frames);
    true
}

/// Replaces the content of `packet` by the frame in `context`.
pub(super) fn replace<S: Clone>(packet: &mut Packet, context: &Context<S>, frames: Frames) {
    match frames {
        Frames::Raw => put_bytes(packet, context),
        Frames::Modelled => match Packet::from_image_head(&context.bytes, context.zeros) {
            Ok(read) => {
                let is_v4 = context.bytes.get(ETHERNET).is_some_and(|byte| byte >> 4 == 4);
                // The packet's number has more bits than its part on the wire.
                if is_v4 && read.meta.id as u16 != packet.meta.id as u16 {
                    packet.meta.id = read.meta.id;
                }
                packet.meta.length = read.meta.length;
                packet.meta.traffic_class = read.meta.traffic_class;
                packet.meta.hop_limit = read.meta.hop_limit;
                packet.body = read.body;
            }
            Err(_) => put_bytes(packet, context),
        },
    }
}

/// Whether the headers are as long as the parsed ones, and nothing is truncated.
fn is_uncut<S: Clone>(context: &Context<S>, headers: &[u8]) -> bool {
    headers.len() == context.consumed
        && context.consumed <= context.bytes.len()
        && context.truncate.is_none_or(|length| context.frame().length() <= length)
}

fn unchanged<S: Clone>(context: &Context<S>, headers: &[u8]) -> bool {
    context.bytes[..headers.len()] == *headers
}

/// Fast path for the changes that most programs make to a modelled packet: hop limit, traffic class, a correct IPv4
/// checksum, and hardware addresses (which a modelled packet does not have). EntryAction only the packet's `meta`
/// changes.
fn only_marks<S: Clone>(packet: &mut Packet, context: &Context<S>, headers: &[u8], frames: Frames) -> bool {
    if frames == Frames::Raw || !matches!(packet.body, Body::Model(_) | Body::Payload(_) | Body::Corrupted(_))
    {
        return false;
    }
    let old = &context.bytes[..headers.len()];
    if headers.len() < ETHERNET || headers[ETHER_TYPE] != old[ETHER_TYPE] {
        return false;
    }
    let (new, old) = (&headers[ETHERNET..], &old[ETHERNET..]);
    if new == old {
        return true;
    }
    let (traffic_class, hop_limit) = match old.first().map(|byte| byte >> 4) {
        Some(4) if old.len() >= 20 => {
            let same =
                new[0] == old[0] && new[2..8] == old[2..8] && new[9] == old[9] && new[12..] == old[12..];
            if !same || !sums_to_ones(&new[..20]) {
                return false;
            }
            (new[1], new[8])
        }
        Some(6) if old.len() >= 40 => {
            let same = new[0] >> 4 == 6
                && new[1] & 0xf == old[1] & 0xf
                && new[2..7] == old[2..7]
                && new[8..] == old[8..];
            if !same {
                return false;
            }
            (new[0] << 4 | new[1] >> 4, new[7])
        }
        _ => return false,
    };
    packet.meta.traffic_class = traffic_class;
    packet.meta.hop_limit = hop_limit;
    true
}

/// Whether the checksum of an IPv4 header without options is correct (RFC 1071).
fn sums_to_ones(header: &[u8]) -> bool {
    let sum: u32 = header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    (sum & 0xffff) + (sum >> 16) == 0xffff
}

/// Replaces the packet's body by the frame's bytes.
fn put_bytes<S: Clone>(packet: &mut Packet, context: &Context<S>) {
    // Reuse the allocation of a packet whose body is already bytes.
    let mut bytes = match &mut packet.body {
        Body::Buffer(buffer) => std::mem::take(&mut buffer.bytes),
        Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => {
            Vec::with_capacity(context.frame().length())
        }
    };
    bytes.clear();
    bytes.extend_from_slice(&context.bytes);
    bytes.resize(context.frame().length(), 0);
    packet.set_frame(bytes);
}
