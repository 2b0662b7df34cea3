//! Frames (RFC 9113, sections 4.1 and 6).

use jettison_tcp::Payload;

use crate::http::HttpError;

/// Length of a frame's head.
const HEAD: usize = 9;
/// Most bytes of a frame's payload unless a setting says otherwise (SETTINGS_MAX_FRAME_SIZE).
pub(super) const LONGEST: u32 = 16_384;

/// Types of frames.
pub(super) const DATA: u8 = 0x0;
pub(super) const HEADERS: u8 = 0x1;
pub(super) const RST_STREAM: u8 = 0x3;
pub(super) const SETTINGS: u8 = 0x4;
pub(super) const WINDOW_UPDATE: u8 = 0x8;

/// Flags.
pub(super) const ACK: u8 = 0x1;
pub(super) const END_STREAM: u8 = 0x1;
pub(super) const END_HEADERS: u8 = 0x4;

/// A setting's identifier: SETTINGS_INITIAL_WINDOW_SIZE.
pub(super) const INITIAL_WINDOW_SIZE: u16 = 0x4;

/// Head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) length: u32,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl Head {
    fn of(bytes: &[u8]) -> Head {
        let number = |range: std::ops::Range<usize>| {
            bytes[range].iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte))
        };
        Head { length: number(0..3), kind: bytes[3], flags: bytes[4], stream: number(5..9) & 0x7fff_ffff }
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Returns the head of a frame.
pub(super) fn head(length: u32, kind: u8, flags: u8, stream: u32) -> Vec<u8> {
    let mut bytes = length.to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes
}

/// Returns a frame of real bytes.
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = head(payload.len() as u32, kind, flags, stream);
    bytes.extend(payload);
    bytes
}

/// Returns a WINDOW_UPDATE frame; stream 0 is the connection.
pub(super) fn window_update(stream: u32, increment: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &increment.to_be_bytes())
}

/// Returns the 32-bit number at the beginning of a payload.
pub(super) fn number(payload: &[u8]) -> Option<u32> {
    payload.first_chunk::<4>().map(|bytes| u32::from_be_bytes(*bytes))
}

/// What a connection's stream holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A whole frame other than DATA.
    Frame(Head, Vec<u8>),
    /// Some content of a stream; whether it is the last.
    Data { stream: u32, bytes: u64, is_last: bool },
}

/// Cuts a byte stream that may be split anywhere into frames.
#[derive(Debug, Clone, Default)]
pub(super) struct FrameReader {
    /// Bytes of an incomplete head or payload.
    gathered: Vec<u8>,
    /// The frame in progress, and bytes of its payload yet to come.
    current: Option<(Head, u32)>,
}

impl FrameReader {
    /// Takes a piece of the stream and returns what is complete.
    ///
    /// # Errors
    /// If a frame is too long, or has no real bytes where they are required.
    pub(super) fn take(&mut self, payload: Payload) -> Result<Vec<Piece>, HttpError> {
        let mut pieces = Vec::new();
        let mut rest = payload;
        while !rest.is_empty() {
            let (head, left) = match self.current {
                Some(current) => current,
                None => {
                    rest = self.take_head(rest)?;
                    match self.current {
                        // A frame without payload is whole at once.
                        Some((head, 0)) => (head, 0),
                        _ => continue,
                    }
                }
            };
            let (now, later) = rest.split(u64::from(left));
            rest = later;
            let left = left - now.len() as u32;
            let is_whole = left == 0;
            self.current = (!is_whole).then_some((head, left));
            if head.kind == DATA {
                let is_last = is_whole && head.has(END_STREAM);
                pieces.push(Piece::Data { stream: head.stream, bytes: now.len(), is_last });
                continue;
            }
            match now {
                Payload::Bytes(bytes) => self.gathered.extend_from_slice(&bytes),
                Payload::Zeros(0) => {}
                Payload::Zeros(_) => {
                    return Err(HttpError::Syntax("content inside a control frame".to_owned()));
                }
            }
            if is_whole {
                pieces.push(Piece::Frame(head, std::mem::take(&mut self.gathered)));
            }
        }
        Ok(pieces)
    }

    /// Gathers a frame's head; returns what follows it.
    fn take_head(&mut self, payload: Payload) -> Result<Payload, HttpError> {
        let missing = HEAD - self.gathered.len();
        let (Payload::Bytes(bytes), rest) = payload.split(missing as u64) else {
            return Err(HttpError::Syntax("content outside a frame".to_owned()));
        };
        self.gathered.extend_from_slice(&bytes);
        if self.gathered.len() == HEAD {
            let head = Head::of(&std::mem::take(&mut self.gathered));
            if head.length > LONGEST {
                return Err(HttpError::TooLong);
            }
            self.current = Some((head, head.length));
        }
        Ok(rest)
    }
}
