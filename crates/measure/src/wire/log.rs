//! The router's log of packets' ways, as bytes: it is written while packets wait.

use std::net::{IpAddr, Ipv6Addr};

use jettison_core::{Duration, Time};
use jettison_wire::Address;

use super::DatagramKey;
use crate::Place;
use crate::decision::encoding::{Bytes, put};

/// Bytes of a piece. Pieces are never copied: that would hold up the router.
const PIECE: usize = 1 << 20;
/// Room that every entry has at the end of a piece.
const ROOM: usize = 128;
/// Most pieces: half a gigabyte, the ways of six million packets.
const PIECES: usize = 512;

/// What the router saw of a packet, or of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// A direction of a TCP connection begins: its number, address and port of its sender and receiver.
    Opened(u32, [(Address, u16); 2]),
    /// A packet with bytes of a direction came from its host.
    Segment {
        /// The packet.
        packet: u32,
        /// Number of the direction.
        stream: u32,
        /// Place of the first byte.
        offset: u64,
        /// Bytes.
        length: u32,
        /// Whether these bytes came before.
        is_repeated: bool,
    },
    /// A datagram came from its host.
    Datagram {
        /// The packet.
        packet: u32,
        /// Which one it is.
        key: DatagramKey,
        /// Bytes of its payload.
        length: u32,
    },
    /// A link sends a packet from now on, and its last bit at `left`.
    Left {
        /// The queue before the link.
        queue: u32,
        /// The packet.
        packet: u32,
        /// When it came to the queue.
        enqueued: Time,
        /// The end of the transmission.
        left: Time,
    },
    /// A packet is at the far end of a queue's link.
    Arrived {
        /// The queue.
        queue: u32,
        /// The packet.
        packet: u32,
    },
    /// A packet is at the host that it is for.
    Delivered(u32),
    /// A packet is dropped that came to a queue at `enqueued`.
    Dropped {
        /// The packet.
        packet: u32,
        /// Where.
        place: Place,
        /// When it came there.
        enqueued: Time,
        /// Number of the drop.
        decision: u64,
    },
    /// A packet is marked.
    Marked {
        /// The packet.
        packet: u32,
        /// Number of the mark.
        decision: u64,
    },
    /// A link makes a copy of a packet.
    Copied(u32),
}

/// The log. When it is full, it takes no more.
#[derive(Debug, Clone, Default)]
pub(crate) struct SightLog {
    pieces: Vec<Vec<u8>>,
    last: Time,
    full_since: Option<Time>,
}

impl SightLog {
    /// When it was full, if it was.
    pub fn full_since(&self) -> Option<Time> {
        self.full_since
    }

    /// Adds what was seen at `now`.
    #[inline]
    pub fn push(&mut self, now: Time, sight: &Sight) {
        if self.pieces.last().is_none_or(|piece| piece.len() + ROOM > PIECE) && !self.grow(now) {
            return;
        }
        let Some(bytes) = self.pieces.last_mut() else { return };
        put(bytes, now.since(self.last).as_nanos());
        self.last = self.last.max(now);
        encode(bytes, now, sight);
    }

    /// Begins another piece, if there may be one.
    #[cold]
    fn grow(&mut self, now: Time) -> bool {
        if self.pieces.len() == PIECES {
            self.full_since.get_or_insert(now);
            return false;
        }
        self.pieces.push(Vec::with_capacity(PIECE));
        true
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Time, Sight)> + '_ {
        let mut now = Time::ZERO;
        self.pieces.iter().flat_map(move |piece| {
            let mut bytes = Bytes(piece);
            // The closure below is used up before the next piece is asked for.
            let entries: Vec<(Time, Sight)> = std::iter::from_fn(|| {
                now = now.saturating_add(Duration::from_nanos(bytes.integer()?));
                Some((now, decode(&mut bytes, now)?))
            })
            .collect();
            entries
        })
    }
}

fn encode(bytes: &mut Vec<u8>, now: Time, sight: &Sight) {
    let mut head = |tag: u8, number: u32| {
        bytes.push(tag);
        put(bytes, number.into());
    };
    match *sight {
        Sight::Opened(stream, ends) => {
            head(0, stream);
            for (address, port) in ends {
                address.to_words().into_iter().for_each(|word| put(bytes, word));
                put(bytes, port.into());
            }
        }
        Sight::Segment { packet, stream, offset, length, is_repeated } => {
            head(1 + u8::from(is_repeated), packet);
            [u64::from(stream), offset, length.into()].into_iter().for_each(|value| put(bytes, value));
        }
        Sight::Datagram { packet, key, length } => {
            head(3, packet);
            [key.0, length.into()].into_iter().for_each(|value| put(bytes, value));
        }
        Sight::Left { queue, packet, enqueued, left } => {
            head(4, packet);
            let (waited, sends) = (now.since(enqueued).as_nanos(), left.since(now).as_nanos());
            [queue.into(), waited, sends].into_iter().for_each(|value| put(bytes, value));
        }
        Sight::Arrived { queue, packet } => {
            head(5, packet);
            put(bytes, queue.into());
        }
        Sight::Delivered(packet) => head(6, packet),
        Sight::Dropped { packet, place, enqueued, decision } => {
            head(7, packet);
            let (kind, queue) = match place {
                Place::Queue(queue) => (0, queue),
                Place::Beside(queue) => (1, queue),
                Place::Node => (2, 0),
            };
            let waited = now.since(enqueued).as_nanos();
            [kind, queue.into(), waited, decision].into_iter().for_each(|value| put(bytes, value));
        }
        Sight::Marked { packet, decision } => {
            head(8, packet);
            put(bytes, decision);
        }
        Sight::Copied(packet) => head(9, packet),
    }
}

fn decode(bytes: &mut Bytes<'_>, now: Time) -> Option<Sight> {
    let (tag, packet) = (bytes.byte()?, bytes.narrow()?);
    let before = |waited: u64| Time::from_nanos(now.as_nanos().saturating_sub(waited));
    Some(match tag {
        0 => {
            let mut end = || {
                let words = [bytes.integer()?, bytes.integer()?];
                let bits = u128::from(words[0]) << 64 | u128::from(words[1]);
                Some((Address::from(IpAddr::V6(Ipv6Addr::from_bits(bits))), bytes.narrow()?))
            };
            Sight::Opened(packet, [end()?, end()?])
        }
        1 | 2 => {
            let (stream, offset, length) = (bytes.narrow()?, bytes.integer()?, bytes.narrow()?);
            Sight::Segment { packet, stream, offset, length, is_repeated: tag == 2 }
        }
        3 => Sight::Datagram { packet, key: DatagramKey(bytes.integer()?), length: bytes.narrow()? },
        4 => {
            let (queue, waited, sends) = (bytes.narrow()?, bytes.integer()?, bytes.integer()?);
            let left = now.saturating_add(Duration::from_nanos(sends));
            Sight::Left { queue, packet, enqueued: before(waited), left }
        }
        5 => Sight::Arrived { queue: bytes.narrow()?, packet },
        6 => Sight::Delivered(packet),
        7 => {
            let (kind, queue, waited) = (bytes.integer()?, bytes.narrow()?, bytes.integer()?);
            let place = match kind {
                0 => Place::Queue(queue),
                1 => Place::Beside(queue),
                _ => Place::Node,
            };
            Sight::Dropped { packet, place, enqueued: before(waited), decision: bytes.integer()? }
        }
        8 => Sight::Marked { packet, decision: bytes.integer()? },
        9 => Sight::Copied(packet),
        _ => return None,
    })
}
