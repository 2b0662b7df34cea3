//! Assembly of one message from packets in any order.

use jettison_core::Time;
use jettison_wire::InlineBytes;

use super::bits::Bits;
use super::erasure::{coefficient, solve};
use super::field::add_multiple;
use super::layout::{Content, ParityHeader};
use super::message::MessagePayload;
use jettison_tcp::Payload;

/// A message of which at least one packet has arrived.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembly {
    pub first_at: Time,
    /// Number of data packets, once known.
    count: Option<u32>,
    /// One past the highest data packet received.
    highest: u32,
    data: Bits,
    parity: Bits,
    /// Message bytes of the received data packets.
    bytes: u64,
    /// Data packets and parity packets, in order of arrival.
    parts: Vec<Part>,
    parities: Vec<Parity>,
    /// The largest number of bytes of a packet that may be non-zero, and the sum of those of the parity packets.
    real: usize,
    parity_bytes: u64,
    /// From parity packets: the number of bytes that each covers, and message bytes of the last data packet.
    covers: Option<(u64, u16)>,
}

#[derive(Debug, Clone)]
struct Part {
    index: u32,
    inline: InlineBytes,
    rest: Payload,
}

/// A parity packet less the data packets that have arrived. So a datagram costs time in proportion to the packets of
/// its message, not to their square.
#[derive(Debug, Clone)]
struct Parity {
    index: u32,
    sum: Vec<u8>,
}

/// Why a packet was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is inconsistent with others of its message.
    Contradiction,
    /// Its message has more parity packets than a receiver accepts.
    TooMuchParity,
}

use Refused::{Contradiction, TooMuchParity};

impl Parity {
    /// Subtracts a data packet of a message of `count`. (Subtraction is addition.)
    fn subtract(&mut self, part: &Part, count: u32) {
        let needed = part.real_bytes().next_multiple_of(2);
        if self.sum.len() < needed {
            self.sum.resize(needed, 0);
        }
        let factor = coefficient(count, self.index, part.index);
        // The inline bytes may end within a word.
        let inline = part.inline.as_slice();
        match &part.rest {
            Payload::Bytes(rest) if inline.len().is_multiple_of(2) => {
                add_multiple(&mut self.sum, inline, factor);
                add_multiple(&mut self.sum[inline.len()..], rest, factor);
            }
            Payload::Bytes(rest) => add_multiple(&mut self.sum, &[inline, rest].concat(), factor),
            Payload::Zeros(_) => add_multiple(&mut self.sum, inline, factor),
        }
    }
}

impl Part {
    /// Number of bytes that may be non-zero.
    fn real_bytes(&self) -> usize {
        let rest = match &self.rest {
            Payload::Bytes(bytes) => bytes.len(),
            Payload::Zeros(_) => 0,
        };
        self.inline.as_slice().len() + rest
    }
}

impl Assembly {
    /// Starts a new message; keeps the memory.
    pub fn begin(&mut self, now: Time) {
        self.first_at = now;
        self.count = None;
        self.highest = 0;
        self.data.clear();
        self.parity.clear();
        self.bytes = 0;
        self.parts.clear();
        self.parities.clear();
        self.covers = None;
        self.real = 0;
        self.parity_bytes = 0;
    }

    /// Memory in bytes; virtual bytes count as if they were real.
    #[inline]
    pub fn memory(&self) -> u64 {
        let tables = self.parts.capacity() * size_of::<Part>()
            + self.parities.capacity() * size_of::<Parity>()
            + self.data.memory()
            + self.parity.memory();
        tables as u64 + self.bytes + self.parity_bytes
    }

    /// Adds a data packet, which is the last one of its message if `is_last`.
    pub fn take_data(&mut self, index: u32, is_last: bool, content: Content) -> Result<(), Refused> {
        let count = if is_last { Some(index + 1) } else { self.count };
        let is_wrong = count.is_some_and(|count| {
            self.count.is_some_and(|known| known != count) || index >= count || self.highest > count
        });
        let Content { inline, rest } = content;
        let length = inline.as_slice().len() as u64 + rest.len();
        // Parity says how long the data packets are.
        let has_other_length = self.covers.is_some_and(|(covers, last)| {
            length != if Some(index + 1) == count { u64::from(last) } else { covers }
        });
        if is_wrong || has_other_length {
            return Err(Contradiction);
        }
        self.count = count;
        self.highest = self.highest.max(index + 1);
        if self.data.insert(index) {
            self.bytes += length;
            let part = Part { index, inline, rest };
            self.real = self.real.max(part.real_bytes());
            for parity in &mut self.parities {
                parity.subtract(&part, count.unwrap_or(0));
            }
            self.parts.push(part);
        }
        Ok(())
    }

    /// Adds a parity packet, of at most `most`; `number` continues the count of the data packets.
    pub fn take_parity(&mut self, number: u32, content: Content, most: u16) -> Result<(), Refused> {
        let inline = content.inline.as_slice();
        let header = ParityHeader::parse(inline).ok_or(Contradiction)?;
        let covers = (inline.len() as u64 + content.rest.len()).saturating_sub(ParityHeader::LENGTH as u64);
        let count = u32::from(header.data);
        let is_wrong = number < count
            || !covers.is_multiple_of(2)
            || u64::from(header.last) > covers
            || self.highest > count
            || self.count.is_some_and(|known| known != count)
            || self.covers.is_some_and(|known| known != (covers, header.last))
            || self.real as u64 > covers;
        if is_wrong {
            return Err(Contradiction);
        }
        let index = number - count;
        if index >= u32::from(most) {
            return Err(TooMuchParity);
        }
        self.count = Some(count);
        self.covers = Some((covers, header.last));
        if self.parity.insert(index) {
            let mut sum = inline[ParityHeader::LENGTH..].to_vec();
            if let Payload::Bytes(rest) = &content.rest {
                sum.extend_from_slice(rest);
            }
            sum.resize(sum.len().next_multiple_of(2), 0);
            self.parity_bytes += covers;
            let mut parity = Parity { index, sum };
            for part in &self.parts {
                parity.subtract(part, count);
            }
            self.parities.push(parity);
        }
        Ok(())
    }

    /// The message, if it is complete; and whether parity was needed.
    pub fn finish(&mut self) -> Option<(MessagePayload, bool)> {
        let count = self.count?;
        if self.data.count() >= count {
            return Some((self.join(), false));
        }
        if self.data.count() + self.parity.count() < count {
            return None;
        }
        self.recover(count)?;
        Some((self.join(), true))
    }

    /// Recovers the missing data packets from the parity packets.
    fn recover(&mut self, count: u32) -> Option<()> {
        let (covers, last) = self.covers?;
        let missing: Vec<u32> = (0..count).filter(|index| !self.data.contains(*index)).collect();
        let taken = self.parities.drain(..).take(missing.len());
        let sums: Vec<_> = taken.map(|parity| (parity.index, parity.sum)).collect();
        let found = solve(count, &missing, sums)?;
        for (index, bytes) in missing.into_iter().zip(found) {
            let length = if index + 1 == count { u64::from(last) } else { covers };
            self.insert_recovered(index, &bytes, length);
        }
        Some(())
    }

    /// Inserts a data packet of `length` bytes that begins with `bytes`, followed by zeros.
    fn insert_recovered(&mut self, index: u32, bytes: &[u8], length: u64) {
        self.data.insert(index);
        self.bytes += length;
        let bytes = &bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        // The first packet's head is kept even if it is zero; in the others, zeros need no memory.
        let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        let head = if index > 0 && is_zero(bytes) { 0 } else { bytes.len().min(MessagePayload::HEAD) };
        let (head, beyond) = bytes.split_at(head);
        let rest_length = length - head.len() as u64;
        let rest = if is_zero(beyond) {
            Payload::Zeros(rest_length)
        } else {
            let mut rest = beyond.to_vec();
            rest.resize(rest_length as usize, 0);
            Payload::Bytes(rest.into())
        };
        self.parts.push(Part { index, inline: InlineBytes::new(head).unwrap_or_default(), rest });
    }

    /// Concatenates all packets.
    fn join(&mut self) -> MessagePayload {
        self.parts.sort_unstable_by_key(|part| part.index);
        let Some(first) = self.parts.first_mut() else { return Payload::Zeros(0).into() };
        let head = std::mem::take(&mut first.inline);
        let length = self.bytes - head.as_slice().len() as u64;
        if self.parts.iter().all(|part| part.real_bytes() == 0) {
            return MessagePayload { head, rest: Payload::Zeros(length) };
        }
        if self.parts.len() == 1
            && let Some(part) = self.parts.pop()
        {
            return MessagePayload { head, rest: part.rest };
        }
        let mut bytes = Vec::with_capacity(length as usize);
        for part in self.parts.drain(..) {
            bytes.extend_from_slice(part.inline.as_slice());
            match part.rest {
                Payload::Bytes(real) => bytes.extend_from_slice(&real),
                Payload::Zeros(count) => bytes.resize(bytes.len() + count as usize, 0),
            }
        }
        MessagePayload { head, rest: Payload::Bytes(bytes.into()) }
    }
}

#[cfg(test)]
mod tests;
