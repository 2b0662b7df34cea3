//! Messages: the unit that an application sends, that is dropped, and that is delivered.

use jettison_core::Time;
use jettison_wire::{InlineBytes, MessageNumber, OctopusHeader};
use thiserror::Error;

use jettison_tcp::Payload;

/// What a message holds: its first bytes, and the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePayload {
    /// The first bytes, in the message's first packet: at most [`MessagePayload::HEAD`].
    pub head: InlineBytes,
    /// The rest: real bytes, or a count of virtual zeros.
    pub rest: Payload,
}

impl MessagePayload {
    /// Bytes of `head` at most: what a packet keeps inline beside the transport's own headers.
    pub const HEAD: usize =
        InlineBytes::CAPACITY - jettison_wire::SequenceHeader::LENGTH - OctopusHeader::LENGTH;

    /// Length in bytes, the head included.
    #[inline]
    pub fn len(&self) -> u64 {
        self.head.as_slice().len() as u64 + self.rest.len()
    }
    /// Whether there is nothing in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Payload> for MessagePayload {
    fn from(rest: Payload) -> MessagePayload {
        MessagePayload { head: InlineBytes::default(), rest }
    }
}

/// How a message may be dropped. All zero: it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageParams {
    /// 0 to 7; a higher one is less important.
    pub priority: u8,
    /// Whether it makes earlier messages of priority `threshold` or above superfluous.
    pub drop_flag: bool,
    /// 0 to 7; see `drop_flag`.
    pub threshold: u8,
    /// Superfluous while the stream has less bandwidth than this, in kbit/s; 0 for never.
    pub bitrate_threshold: u32,
    /// How long it may wait before it may be dropped, in ms, at most 511.
    pub slack: u16,
}

impl MessageParams {
    /// Whether the values fit the header.
    ///
    /// # Errors
    /// The value that does not.
    pub fn validate(&self) -> Result<(), SendError> {
        let levels = OctopusHeader::LEVELS as u8;
        if self.priority >= levels || self.threshold >= levels {
            return Err(SendError::Level(self.priority.max(self.threshold)));
        }
        if self.bitrate_threshold > OctopusHeader::MAX_BITRATE {
            return Err(SendError::Bitrate(self.bitrate_threshold));
        }
        if self.slack > OctopusHeader::MAX_SLACK {
            return Err(SendError::Slack(self.slack));
        }
        Ok(())
    }
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SendError {
    /// The send buffer has no room at present; it may have some later.
    #[error("the send buffer is full: {room} bytes are free, the message has {length}")]
    Full {
        /// Bytes of the message.
        length: u64,
        /// Bytes that are free.
        room: u64,
    },
    /// The message is larger than the whole send buffer: it never fits.
    #[error("a message of {length} bytes never fits the send buffer of {capacity} bytes")]
    TooLarge {
        /// Bytes of the message.
        length: u64,
        /// Bytes of the buffer.
        capacity: u64,
    },
    /// The message has more packets than its index counts.
    #[error("a message of {0} bytes has more than 65535 packets")]
    TooManyPackets(u64),
    /// A message of no bytes.
    #[error("a message has at least one byte")]
    Empty,
    /// More bytes in the head than fit beside the headers, or than a packet has.
    #[error("a message's head has {0} bytes: at most {most} fit", most = MessagePayload::HEAD)]
    Head(usize),
    /// A priority or threshold above 7.
    #[error("{0} is no priority or threshold: there are 8, from 0 to 7")]
    Level(u8),
    /// A bitrate threshold above 24 bits.
    #[error("a bitrate threshold of {0} kbit/s: at most 16777215")]
    Bitrate(u32),
    /// A slack above 9 bits.
    #[error("a slack of {0} ms: at most 511")]
    Slack(u16),
    /// Parameters that would let a message of a reliable stream be dropped.
    #[error("stream {0} is reliable: its messages cannot be dropped, so all their parameters are zero")]
    Reliable(u16),
}

/// A message that has arrived whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The stream it belongs to.
    pub stream: u16,
    /// Its number within the stream.
    pub number: MessageNumber,
    /// What it holds.
    pub payload: MessagePayload,
    /// When the first packet of it arrived.
    pub first_at: Time,
}

/// What became of a message that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageEvent {
    /// All of it was acknowledged.
    Acknowledged {
        /// Its stream.
        stream: u16,
        /// Its number.
        number: MessageNumber,
    },
    /// The send buffer dropped it before any of it left.
    Dropped {
        /// Its stream.
        stream: u16,
        /// Its number.
        number: MessageNumber,
        /// Bytes of it.
        length: u64,
        /// Why.
        reason: jettison_core::DropReason,
    },
    /// A part of it was lost and will not be sent again.
    Lost {
        /// Its stream.
        stream: u16,
        /// Its number.
        number: MessageNumber,
    },
}
