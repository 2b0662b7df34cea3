//! Bytes that a program has written and the kernel has not accepted yet.

use std::collections::VecDeque;
use std::io::IoSlice;

use jettison_tcp::Payload;

use super::zeros::ZEROS;

/// Payloads of a stream in order.
#[derive(Debug, Default)]
pub(super) struct SendQueue {
    pieces: VecDeque<Payload>,
    /// Bytes of the first payload that the kernel has accepted, for a payload of real bytes.
    accepted: usize,
    length: u64,
}

/// Maximum number of slices per system call.
pub(super) const MOST_SLICES: usize = 32;
/// Maximum number of bytes per system call: the kernel's buffer has no room for more.
const MOST_BYTES: u64 = 1 << 20;

impl SendQueue {
    pub(super) fn len(&self) -> u64 {
        self.length
    }
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn push(&mut self, payload: Payload) {
        if payload.is_empty() {
            return;
        }
        self.length = self.length.saturating_add(payload.len());
        match (self.pieces.back_mut(), payload) {
            (Some(Payload::Zeros(last)), Payload::Zeros(more)) => *last = last.saturating_add(more),
            (_, payload) => self.pieces.push_back(payload),
        }
    }

    pub(super) fn clear(&mut self) {
        *self = SendQueue::default();
    }

    /// Fills `out` with the first bytes, for one system call. Returns the number of slices.
    pub(super) fn slices<'q>(&'q self, out: &mut [IoSlice<'q>; MOST_SLICES]) -> usize {
        let (mut count, mut bytes, mut accepted) = (0, 0, self.accepted);
        for piece in &self.pieces {
            let mut left = match piece {
                Payload::Bytes(piece) => {
                    let slice = &piece[std::mem::take(&mut accepted)..];
                    out[count] = IoSlice::new(slice);
                    bytes += slice.len() as u64;
                    count += 1;
                    0
                }
                Payload::Zeros(zeros) => *zeros,
            };
            while left > 0 && count < MOST_SLICES && bytes < MOST_BYTES {
                let length = left.min(ZEROS.len() as u64);
                out[count] = IoSlice::new(&ZEROS[..length as usize]);
                (left, bytes, count) = (left - length, bytes + length, count + 1);
            }
            if count == MOST_SLICES || bytes >= MOST_BYTES {
                break;
            }
        }
        count
    }

    /// Removes bytes that the kernel has accepted.
    pub(super) fn advance(&mut self, mut taken: u64) {
        self.length = self.length.saturating_sub(taken);
        while taken > 0 {
            match self.pieces.front_mut() {
                None => return,
                Some(Payload::Zeros(zeros)) if *zeros > taken => {
                    *zeros -= taken;
                    return;
                }
                Some(Payload::Bytes(bytes)) if (bytes.len() - self.accepted) as u64 > taken => {
                    self.accepted += taken as usize;
                    return;
                }
                Some(piece) => taken -= piece.len() - self.accepted as u64,
            }
            self.pieces.pop_front();
            self.accepted = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(queue: &mut SendQueue, step: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while !queue.is_empty() {
            let mut slices = [IoSlice::new(&[]); MOST_SLICES];
            let count = queue.slices(&mut slices);
            let bytes: Vec<u8> = slices[..count].iter().flat_map(|slice| slice.iter().copied()).collect();
            let taken = bytes.len().min(step);
            all.extend_from_slice(&bytes[..taken]);
            queue.advance(taken as u64);
        }
        all
    }

    #[test]
    fn bytes_keep_their_order_for_any_number_accepted_per_call() {
        for step in [1, 3, 7, 1 << 20] {
            let mut queue = SendQueue::default();
            let mut expected = Vec::new();
            for number in 1..40_u8 {
                queue.push(Payload::from(&vec![number; 5][..]));
                queue.push(Payload::Zeros(u64::from(number)));
                queue.push(Payload::Zeros(0));
                expected.extend_from_slice(&[number; 5]);
                expected.extend(std::iter::repeat_n(0, usize::from(number)));
            }
            assert_eq!(queue.len(), expected.len() as u64);
            assert_eq!(drained(&mut queue, step), expected);
            assert_eq!(queue.len(), 0);
        }
    }

    #[test]
    fn an_endless_transfer_needs_no_memory() {
        let mut queue = SendQueue::default();
        queue.push(Payload::Zeros(u64::MAX / 2));
        let mut slices = [IoSlice::new(&[]); MOST_SLICES];
        let count = queue.slices(&mut slices);
        let offered: usize = slices[..count].iter().map(|slice| slice.len()).sum();
        assert!(offered as u64 >= MOST_BYTES && offered < 2 << 20, "{offered}");
        queue.advance(offered as u64);
        assert_eq!(queue.len(), u64::MAX / 2 - offered as u64);
    }
}
