//! Bounds of what a receiver keeps and computes for unauthenticated datagrams.

use jettison_core::{Bytes, Duration};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds of a receiver's state, and of the work for a datagram. What exceeds them is refused or evicts the least
/// recently used, and is counted in [`crate::OctopusStatistics`].
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct Limits {
    /// Maximum number of streams that a receiver keeps. A new stream replaces the least recently used one that has been
    /// silent for `quiet`; without such a stream its packets are refused.
    pub streams: u32,
    /// Memory for incomplete messages, virtual bytes included. Beyond it the least recently used message is discarded.
    /// Default: four times `send_buffer`.
    pub memory: Option<Bytes>,
    /// Maximum number of parity packets of a message. A sender makes no more; a receiver refuses those beyond.
    pub parity: u16,
    /// Time for which the current numbers (of packets, of a stream's messages) must be silent before numbers far from
    /// them are followed.
    pub quiet: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { streams: 256, memory: None, parity: 256, quiet: Duration::from_secs(1) }
    }
}

impl Limits {
    /// Sequence numbers up to this far beyond the newest one are taken without confirmation: more than the packets that
    /// a burst of losses takes, and little enough that random numbers do not move the window of 65,536 off the sender's.
    pub(super) const REACH: u64 = 1 << 12;
    /// The same for message numbers, unless `reassembly` is larger.
    pub(super) const MESSAGE_REACH: u64 = 1 << 10;
    /// A jump is confirmed by a number up to this far beyond the first one: a few packets may be lost.
    pub(super) const STEP: u32 = 8;
    /// Maximum number of ACKs that wait to be sent.
    pub(super) const DUE_ACKS: usize = 1 << 10;
    /// Maximum UDP payload in bytes.
    pub(super) const DATAGRAM: u64 = u16::MAX as u64;

    /// The memory for incomplete messages, in bytes.
    pub(super) fn memory(&self, send_buffer: Bytes) -> u64 {
        self.memory.map_or(send_buffer.get().saturating_mul(4), Bytes::get)
    }

    pub(super) fn validate(&self, mss: u16) -> Result<(), ParameterError> {
        let holds = (1..=1 << 16).contains(&self.streams);
        ParameterError::require(holds, "limits.streams", "be 1 to 65536", self.streams)?;
        if let Some(memory) = self.memory {
            let holds = memory.get() >= u64::from(mss);
            let packet = format!("be at least one packet of {mss} bytes");
            ParameterError::require(holds, "limits.memory", &packet, memory)?;
        }
        let holds = self.quiet >= Duration::from_millis(1);
        ParameterError::require(holds, "limits.quiet", "be >= 1 ms", self.quiet)
    }
}
