//! What every link can do.

use jettison_core::{Bytes, Rate, Time};

/// What carries packets after the queue, in one direction. It takes no queueing decision.
///
/// Time never runs backwards from call to call, and a packet's size is its IP length plus
/// [`overhead`](LinkModel::overhead). The caller asks [`ready_at`](LinkModel::ready_at), waits until then, takes a
/// packet from the queue and hands its size to [`begin`](LinkModel::begin).
pub trait LinkModel: Send {
    /// The earliest instant, not before `now`, at which the link can begin to carry the next packet: `now` itself
    /// if it is free, [`Time::MAX`] if it never will be.
    fn ready_at(&mut self, now: Time) -> Time;

    /// Begins to carry a packet of `wire_bytes` (IP length + overhead) at `now`, which is not before
    /// [`ready_at`](LinkModel::ready_at): the instant at which its last bit has left.
    fn begin(&mut self, wire_bytes: u32, now: Time) -> Time;

    /// Capacity at `now`, for disciplines that are told it.
    fn rate(&self, now: Time) -> Rate;

    /// The next instant after `now` at which [`rate`](LinkModel::rate) may change by schedule; `None` for never.
    fn next_change(&self, now: Time) -> Option<Time>;

    /// Bytes that the link adds to a packet's IP length.
    fn overhead(&self) -> u32;

    /// What the link could have carried in `[from, to)`, overhead included: utilisation's denominator.
    fn capacity(&self, from: Time, to: Time) -> Bytes;
}
