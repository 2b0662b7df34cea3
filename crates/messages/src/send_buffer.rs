//! Messages waiting to be sent, in order of sending over all streams.
//!
//! Before the first packet of a message leaves, the routers' verdict (`Droppers`) is applied to the message, with the
//! controller's bandwidth estimate; messages that should not be sent are dropped here, as a whole. A message that has
//! begun to leave is no longer in this buffer and never dropped.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::{OctopusHeader, Position};

use super::layout::Layout;
use super::message::{MessageParams, MessagePayload, SendError};

/// A waiting message.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    /// The label of the whole message, with the application's slack.
    pub label: OctopusHeader,
    pub payload: MessagePayload,
    pub layout: Layout,
    pub accepted_at: Time,
    /// Whether a dropper made it stale when that was accepted ([`SendVerdict::Authors`](super::parameters::SendVerdict)).
    pub is_marked: bool,
}

/// The queue, bounded in bytes.
#[derive(Debug, Clone)]
pub(super) struct SendBuffer {
    capacity: u64,
    bytes: u64,
    queue: VecDeque<Waiting>,
}

impl SendBuffer {
    pub fn new(capacity: u64) -> SendBuffer {
        SendBuffer { capacity, bytes: 0, queue: VecDeque::new() }
    }

    /// Checks whether a message of `length` bytes fits now, next to `begun` bytes of the message in progress.
    pub fn check(&self, length: u64, begun: u64) -> Result<(), SendError> {
        if length > self.capacity {
            return Err(SendError::TooLarge { length, capacity: self.capacity });
        }
        let room = self.capacity.saturating_sub(self.bytes + begun);
        if length > room {
            return Err(SendError::Full { length, room });
        }
        Ok(())
    }

    pub fn push(&mut self, waiting: Waiting) {
        self.bytes += waiting.payload.len();
        self.queue.push_back(waiting);
    }

    /// Marks the messages that `dropper` makes stale, except those that have waited no longer than their slack or have
    /// one packet.
    pub fn mark_stale(&mut self, dropper: &OctopusHeader, slack: bool, now: Time) {
        let is_of_stream = |w: &&mut Waiting| w.label.stream == dropper.stream;
        for waiting in self.queue.iter_mut().filter(is_of_stream) {
            let slack = if slack { u64::from(waiting.label.slack) } else { 0 };
            let is_stale = waiting.label.priority >= dropper.threshold && waiting.layout.data > 1;
            waiting.is_marked |= is_stale && now.since(waiting.accepted_at).as_millis() > slack;
        }
    }

    /// The next message to be sent.
    #[inline]
    pub fn front(&self) -> Option<&Waiting> {
        self.queue.front()
    }

    pub fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.queue.pop_front()?;
        self.bytes -= waiting.payload.len();
        Some(waiting)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Number of waiting bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The label of a message as a whole.
pub(super) fn label(
    stream: u16,
    message: jettison_wire::MessageNumber,
    params: &MessageParams,
) -> OctopusHeader {
    OctopusHeader {
        position: Position::Solo,
        message,
        priority: params.priority,
        drop_flag: params.drop_flag,
        threshold: params.threshold,
        bitrate_threshold: params.bitrate_threshold,
        slack: params.slack,
        stream,
    }
}

/// The slack that remains after `waited` at the sender.
pub(super) fn remaining_slack(label: &OctopusHeader, waited: jettison_core::Duration) -> u16 {
    let waited = u16::try_from(waited.as_millis()).unwrap_or(u16::MAX);
    label.slack.saturating_sub(waited)
}
