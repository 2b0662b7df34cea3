//! Payload of a stream: real bytes, or a number of virtual zeros.

/// A piece of a stream. HTTP headers are real bytes; bodies may be virtual, and then cost no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Real bytes.
    Bytes(Box<[u8]>),
    /// A number of zero bytes that are not in memory.
    Zeros(u64),
}

impl Payload {
    /// Length in bytes.
    #[inline]
    pub fn len(&self) -> u64 {
        match self {
            Payload::Bytes(bytes) => bytes.len() as u64,
            Payload::Zeros(count) => *count,
        }
    }

    /// Whether the payload is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Splits at `at` bytes; either part may be empty.
    pub fn split(self, at: u64) -> (Payload, Payload) {
        match self {
            Payload::Zeros(count) => {
                let head = at.min(count);
                (Payload::Zeros(head), Payload::Zeros(count - head))
            }
            Payload::Bytes(bytes) => {
                let at = usize::try_from(at).map_or(bytes.len(), |at| at.min(bytes.len()));
                if at == bytes.len() {
                    (Payload::Bytes(bytes), Payload::Bytes(Box::default()))
                } else {
                    let (head, tail) = bytes.split_at(at);
                    (Payload::Bytes(head.into()), Payload::Bytes(tail.into()))
                }
            }
        }
    }
}

impl From<&[u8]> for Payload {
    fn from(bytes: &[u8]) -> Payload {
        Payload::Bytes(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_keep_every_byte() {
        assert_eq!(Payload::Zeros(10).split(4), (Payload::Zeros(4), Payload::Zeros(6)));
        assert_eq!(Payload::Zeros(3).split(4), (Payload::Zeros(3), Payload::Zeros(0)));
        let (head, tail) = Payload::from(&b"abcdef"[..]).split(2);
        assert_eq!((head, tail), (Payload::from(&b"ab"[..]), Payload::from(&b"cdef"[..])));
        assert_eq!(Payload::from(&b"ab"[..]).split(u64::MAX).0.len(), 2);
    }
}
