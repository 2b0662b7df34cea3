//! Data that the application wrote and the peer has not yet acknowledged.

use std::collections::VecDeque;

use crate::Payload;

/// The stream from the first unacknowledged byte, in pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct SendBuffer {
    pieces: VecDeque<Piece>,
    /// Offset after the last written byte.
    end: u64,
}

#[derive(Debug, Clone)]
struct Piece {
    start: u64,
    payload: Payload,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.payload.len()
    }
}

impl SendBuffer {
    /// Offset after the last written byte.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Appends payload; adjacent zeros become one piece.
    pub fn write(&mut self, payload: Payload) {
        if payload.is_empty() {
            return;
        }
        let start = self.end;
        // Offsets are compared as signed distances: stay well below 2^63.
        let room = (1 << 62) - self.end.min(1 << 62);
        match (self.pieces.back_mut(), payload) {
            (Some(Piece { payload: Payload::Zeros(count), .. }), Payload::Zeros(more)) => {
                *count += more.min(room);
                self.end += more.min(room);
            }
            (_, Payload::Zeros(more)) => {
                self.end += more.min(room);
                self.pieces.push_back(Piece { start, payload: Payload::Zeros(more.min(room)) });
            }
            (_, bytes) => {
                self.end += bytes.len();
                self.pieces.push_back(Piece { start, payload: bytes });
            }
        }
    }

    /// Removes data at or after `offset`.
    pub fn truncate(&mut self, offset: u64) {
        while let Some(last) = self.pieces.pop_back() {
            if last.end() <= offset {
                self.pieces.push_back(last);
                break;
            }
            if last.start < offset {
                let (payload, _) = last.payload.split(offset - last.start);
                self.pieces.push_back(Piece { start: last.start, payload });
                break;
            }
        }
        self.end = self.end.min(offset);
    }

    /// Removes pieces wholly below `offset`, which are acknowledged.
    #[inline]
    pub fn release_below(&mut self, offset: u64) {
        while let Some(first) = self.pieces.front() {
            if first.end() > offset {
                break;
            }
            self.pieces.pop_front();
        }
    }

    fn position(&self, offset: u64) -> usize {
        if self.pieces.len() <= 1 { 0 } else { self.pieces.partition_point(|piece| piece.end() <= offset) }
    }

    /// Number of the `limit` bytes from `offset` that have the same kind, real or virtual.
    #[inline]
    pub fn uniform(&self, offset: u64, limit: u64) -> u64 {
        let mut at = self.position(offset);
        let Some(piece) = self.pieces.get(at) else {
            return 0;
        };
        let mut reach = piece.end() - offset;
        if matches!(piece.payload, Payload::Bytes(_)) {
            // Consecutive writes of real bytes share segments.
            while reach < limit {
                at += 1;
                match self.pieces.get(at) {
                    Some(next) if matches!(next.payload, Payload::Bytes(_)) => reach += next.payload.len(),
                    _ => break,
                }
            }
        }
        reach.min(limit)
    }

    /// The real bytes of `length` from `offset`; `None` if they are virtual.
    #[inline]
    pub fn bytes(&self, offset: u64, length: u64) -> Option<Box<[u8]>> {
        let mut at = self.position(offset);
        let piece = self.pieces.get(at)?;
        if length == 0 || matches!(piece.payload, Payload::Zeros(_)) {
            return None;
        }
        let mut bytes = Vec::with_capacity(length as usize);
        let mut skip = (offset - piece.start) as usize;
        while let Some(Piece { payload: Payload::Bytes(source), .. }) = self.pieces.get(at) {
            let wanted = length as usize - bytes.len();
            let part = &source[skip..];
            bytes.extend_from_slice(&part[..wanted.min(part.len())]);
            if bytes.len() == length as usize {
                break;
            }
            (at, skip) = (at + 1, 0);
        }
        Some(bytes.into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_never_mix_real_and_virtual_bytes() {
        let mut buffer = SendBuffer::default();
        buffer.write(Payload::from(&b"abc"[..]));
        buffer.write(Payload::from(&b"de"[..]));
        buffer.write(Payload::Zeros(100));
        buffer.write(Payload::Zeros(50));
        buffer.write(Payload::from(&b"f"[..]));
        assert_eq!(buffer.end(), 156);
        assert_eq!(buffer.uniform(0, 10), 5);
        assert_eq!(buffer.bytes(1, 4).as_deref(), Some(&b"bcde"[..]));
        assert_eq!(buffer.uniform(5, 1000), 150);
        assert_eq!(buffer.bytes(5, 150), None);
        buffer.release_below(10);
        assert_eq!(buffer.uniform(10, 1000), 145);
        assert_eq!(buffer.bytes(155, 1).as_deref(), Some(&b"f"[..]));
    }

    #[test]
    fn unbounded_zeros_stay_one_piece_and_below_the_limit_of_offsets() {
        let mut buffer = SendBuffer::default();
        buffer.write(Payload::Zeros(u64::MAX / 2));
        buffer.write(Payload::Zeros(u64::MAX / 2));
        assert_eq!((buffer.pieces.len(), buffer.end()), (1, 1 << 62));
    }

    #[test]
    fn truncating_drops_what_follows() {
        let mut buffer = SendBuffer::default();
        buffer.write(Payload::Zeros(10));
        buffer.write(Payload::from(&b"abcd"[..]));
        buffer.truncate(12);
        assert_eq!((buffer.end(), buffer.bytes(10, 2).as_deref()), (12, Some(&b"ab"[..])));
        buffer.truncate(4);
        assert_eq!((buffer.end(), buffer.pieces.len()), (4, 1));
    }
}
