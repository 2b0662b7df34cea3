//! The interface of all links.

use dyn_clone::DynClone;
use jettison_core::{Bytes, Rate, Time};

/// A transmission model for packets after the queue, in one direction. It makes no queueing decision.
///
/// `now` never decreases from call to call, and a packet's size is its IP length plus
/// [`overhead`](LinkModel::overhead). The caller asks [`ready_at`](LinkModel::ready_at), waits until then, takes a
/// packet from the queue and passes its size to [`begin`](LinkModel::begin).
pub trait LinkModel: DynClone + Send {
    /// The earliest instant, not before `now`, at which the link can begin the next packet: `now` if it is free,
    /// [`Time::MAX`] if it never will be.
    fn ready_at(&mut self, now: Time) -> Time;

    /// Begins a packet of `wire_bytes` (IP length + overhead) at `now`, which must not be before
    /// [`ready_at`](LinkModel::ready_at). Returns the instant at which its last bit has left.
    fn begin(&mut self, wire_bytes: u32, now: Time) -> Time;

    /// Capacity at `now`, for disciplines that use it.
    fn rate(&self, now: Time) -> Rate;

    /// The next scheduled change of [`rate`](LinkModel::rate) after `now`, if any.
    fn next_change(&self, now: Time) -> Option<Time>;

    /// Bytes that the link adds to the IP length of a packet.
    fn overhead(&self) -> u32;

    /// Capacity in `[from, to)`, overhead included: the denominator of utilisation.
    fn capacity(&self, from: Time, to: Time) -> Bytes;
}

dyn_clone::clone_trait_object!(LinkModel);
