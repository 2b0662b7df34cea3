//! Reassembly of the stream at the receiver.

use std::collections::{BTreeMap, VecDeque};

use crate::Payload;
use crate::ranges::RangeSet;

/// Payload by stream offset. In-order data is appended to the application's queue; for out-of-order data, a range set
/// holds the offsets, and only real bytes are stored: the rest of a range is zeros.
#[derive(Debug, Clone, Default)]
pub(super) struct Reassembly {
    /// RCV.NXT as a stream offset.
    next: u64,
    ready: VecDeque<Payload>,
    ready_bytes: u64,
    held: RangeSet,
    /// Bytes in `held`.
    waiting: u64,
    held_bytes: BTreeMap<u64, Box<[u8]>>,
}

impl Reassembly {
    /// RCV.NXT as a stream offset.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// In-order bytes available to the application.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.ready_bytes
    }

    /// Bytes held out of order, behind a gap.
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// The ranges held out of order.
    #[inline]
    pub fn held(&self) -> &RangeSet {
        &self.held
    }

    /// Removes the application's next piece, at most `max` bytes.
    pub fn read(&mut self, max: u64) -> Option<Payload> {
        if max == 0 {
            return None;
        }
        let front = self.ready.front_mut()?;
        let payload = match front {
            Payload::Zeros(count) if *count > max => {
                *count -= max;
                Payload::Zeros(max)
            }
            whole if whole.len() <= max => self.ready.pop_front()?,
            Payload::Bytes(_) | Payload::Zeros(_) => {
                let (head, tail) = self.ready.pop_front()?.split(max);
                self.ready.push_front(tail);
                head
            }
        };
        self.ready_bytes -= payload.len();
        Some(payload)
    }

    /// Inserts `length` bytes at `start`, all zeros if `bytes` is `None`. Returns whether any of it is new.
    #[inline]
    pub fn insert(&mut self, start: u64, length: u64, bytes: Option<&[u8]>) -> bool {
        if start == self.next && self.held.is_empty() && length > 0 {
            self.deliver(length, bytes);
            return true;
        }
        self.insert_out_of_order(start, length, bytes)
    }

    #[inline]
    fn deliver(&mut self, length: u64, bytes: Option<&[u8]>) {
        self.next += length;
        self.ready_bytes += length;
        match (bytes, self.ready.back_mut()) {
            (None, Some(Payload::Zeros(count))) => *count += length,
            (None, _) => self.ready.push_back(Payload::Zeros(length)),
            (Some(bytes), _) => self.ready.push_back(Payload::from(bytes)),
        }
    }

    fn insert_out_of_order(&mut self, start: u64, length: u64, bytes: Option<&[u8]>) -> bool {
        let end = start + length;
        let mut from = start.max(self.next);
        let mut is_new = false;
        while let Some((gap_start, gap_end)) = self.held.first_uncovered(from, end) {
            is_new = true;
            self.waiting += gap_end - gap_start;
            if let Some(bytes) = bytes {
                let part = &bytes[(gap_start - start) as usize..(gap_end - start) as usize];
                self.held_bytes.insert(gap_start, part.into());
            }
            from = gap_end;
        }
        if is_new {
            self.held.insert(start.max(self.next), end);
            self.advance();
        }
        is_new
    }

    /// Moves contiguous data to the application's queue.
    fn advance(&mut self) {
        let Some((_, end)) = self.held.first().filter(|(start, _)| *start == self.next) else {
            return;
        };
        self.waiting -= end - self.next;
        while let Some(entry) = self.held_bytes.first_entry().filter(|entry| *entry.key() < end) {
            let (at, bytes) = entry.remove_entry();
            if at > self.next {
                self.deliver(at - self.next, None);
            }
            self.deliver(bytes.len() as u64, Some(&bytes));
        }
        if end > self.next {
            self.deliver(end - self.next, None);
        }
        self.held.remove_below(end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drain(reassembly: &mut Reassembly, max: u64) -> Vec<u8> {
        let mut stream = Vec::new();
        while let Some(payload) = reassembly.read(max) {
            match payload {
                Payload::Bytes(bytes) => stream.extend_from_slice(&bytes),
                Payload::Zeros(count) => stream.resize(stream.len() + count as usize, 0),
            }
        }
        stream
    }

    #[test]
    fn merges_zeros_and_keeps_bytes_apart() {
        let mut reassembly = Reassembly::default();
        assert!(reassembly.insert(0, 1000, None));
        assert!(reassembly.insert(1000, 1000, None));
        assert!(reassembly.insert(2000, 3, Some(b"abc")));
        assert_eq!(reassembly.readable(), 2003);
        assert_eq!(reassembly.read(u64::MAX), Some(Payload::Zeros(2000)));
        assert_eq!(reassembly.read(2), Some(Payload::from(&b"ab"[..])));
        assert_eq!(reassembly.read(2), Some(Payload::from(&b"c"[..])));
        assert_eq!(reassembly.read(2), None);
    }

    proptest! {
        /// Segments of real and virtual bytes, in any order, overlapping or repeated, yield the stream.
        #[test]
        fn any_order_gives_the_stream(mut pieces in prop::collection::vec((0u64..200, 1u64..40), 0..60), max in 1u64..50) {
            let stream: Vec<u8> = (0..240u64).map(|i| if (i / 20) % 2 == 0 { i as u8 | 1 } else { 0 }).collect();
            pieces.extend((0..240).step_by(10).map(|start| (start, 10)));
            let mut reassembly = Reassembly::default();
            let mut out = Vec::new();
            for (start, length) in pieces {
                let part = &stream[start as usize..((start + length) as usize).min(240)];
                let real = part.iter().any(|byte| *byte != 0);
                let had: u64 = reassembly.next();
                reassembly.insert(start, part.len() as u64, real.then_some(part));
                prop_assert!(reassembly.next() >= had);
                let held: u64 = reassembly.held().iter_down().map(|(start, end)| end - start).sum();
                prop_assert_eq!(reassembly.waiting(), held);
                out.extend(drain(&mut reassembly, max));
            }
            prop_assert_eq!(out, stream);
            prop_assert!(reassembly.held().is_empty());
            prop_assert!(reassembly.held_bytes.is_empty());
        }
    }
}
