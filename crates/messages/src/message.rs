//! Messages: the unit of sending, dropping and delivery.

use jettison_core::Time;
use jettison_wire::{InlineBytes, MessageNumber, OctopusHeader};
use thiserror::Error;

use jettison_tcp::Payload;

/// The contents of a message: its first bytes, and the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePayload {
    /// The first bytes, in the message's first packet: at most [`MessagePayload::HEAD`].
    pub head: InlineBytes,
    /// The rest: real bytes, or a number of virtual zeros.
    pub rest: Payload,
}

impl MessagePayload {
    /// Maximum length of `head`: the inline bytes of a packet minus the transport's headers.
    pub const HEAD: usize =
        InlineBytes::CAPACITY - jettison_wire::SequenceHeader::LENGTH - OctopusHeader::LENGTH;

    /// Length in bytes, the head included.
    #[inline]
    pub fn len(&self) -> u64 {
        self.head.as_slice().len() as u64 + self.rest.len()
    }
    /// Whether the message is empty.
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

/// Drop rules of a message. All zero: it is never dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageParams {
    /// Priority, 0 (highest) to 7 (lowest).
    pub priority: u8,
    /// Whether it makes earlier messages with a priority number of at least `threshold` obsolete.
    pub drop_flag: bool,
    /// Threshold of `drop_flag`, 0 to 7.
    pub threshold: u8,
    /// The message is obsolete while its stream has less bandwidth than this, in kbit/s; 0 disables the rule.
    pub bitrate_threshold: u32,
    /// Time that the message may wait before it may be dropped, in ms, at most 511.
    pub slack: u16,
}

impl MessageParams {
    /// Checks that the values fit the header.
    ///
    /// # Errors
    /// The value that does not fit.
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

/// A message that the send buffer did not accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SendError {
    /// The send buffer is full; it may have room later.
    #[error("the send buffer is full: the message has {length} bytes, {room} bytes are free")]
    Full {
        /// Length of the message in bytes.
        length: u64,
        /// Free bytes.
        room: u64,
    },
    /// The message is larger than the send buffer.
    #[error("a message must fit the send buffer of {capacity} bytes, got {length} bytes")]
    TooLarge {
        /// Length of the message in bytes.
        length: u64,
        /// Size of the send buffer in bytes.
        capacity: u64,
    },
    /// The message has too many packets for their index.
    #[error("a message must have at most 65535 packets; {0} bytes need more")]
    TooManyPackets(u64),
    /// The message is empty.
    #[error("a message must have at least 1 byte, got 0")]
    Empty,
    /// The head is longer than fits next to the headers, or than a packet.
    #[error("the head of a message must have at most {max} bytes, got {0}", max = MessagePayload::HEAD)]
    Head(usize),
    /// A priority or threshold above 7.
    #[error("priority and threshold must be 0 to 7, got {0}")]
    Level(u8),
    /// A bitrate threshold above 24 bits.
    #[error("the bitrate threshold must be at most 16777215 kbit/s, got {0} kbit/s")]
    Bitrate(u32),
    /// A slack above 9 bits.
    #[error("slack must be at most 511 ms, got {0} ms")]
    Slack(u16),
    /// Drop rules for a message of a reliable stream.
    #[error("messages of the reliable stream {0} cannot be dropped: all their parameters must be zero")]
    Reliable(u16),
}

/// A complete message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The stream.
    pub stream: u16,
    /// The number within the stream.
    pub number: MessageNumber,
    /// The contents.
    pub payload: MessagePayload,
    /// Arrival time of its first packet.
    pub first_at: Time,
}

/// The outcome of a message that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageEvent {
    /// The message was acknowledged completely.
    Acknowledged {
        /// Its stream.
        stream: u16,
        /// Its number.
        number: MessageNumber,
    },
    /// The send buffer dropped the message before any of it was sent.
    Dropped {
        /// Its stream.
        stream: u16,
        /// Its number.
        number: MessageNumber,
        /// Length in bytes.
        length: u64,
        /// Reason of the drop.
        reason: jettison_core::DropReason,
    },
    /// A part of the message was lost and will not be retransmitted.
    Lost {
        /// Its stream.
        stream: u16,
        /// Its number.
        number: MessageNumber,
    },
}
