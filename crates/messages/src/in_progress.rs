//! Messages in progress: from their first departure until all their packets are settled.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};
use jettison_wire::OctopusHeader;

use super::bits::Bits;
use super::layout::Layout;
use super::message::MessagePayload;
use super::send_buffer::{Waiting, remaining_slack};

/// A message in progress.
#[derive(Debug, Clone)]
pub(super) struct ActiveMessage {
    /// The label as set by the application.
    pub asked: OctopusHeader,
    /// The label on the wire: its slack is reduced by the time that the message waited.
    pub label: OctopusHeader,
    pub payload: MessagePayload,
    pub layout: Layout,
    pub accepted_at: Time,
    pub is_reliable: bool,
    /// The next packet to be sent for the first time.
    pub next: u32,
    /// Packets that have arrived.
    pub arrived: Bits,
    /// Number of packets that are lost and not retransmitted.
    pub given_up: u32,
    /// Number of transmissions in flight, plus lost packets that wait for retransmission.
    pub in_flight: u32,
    pub to_repair: u32,
    /// Whether its outcome has been reported.
    pub is_settled: bool,
}

impl ActiveMessage {
    /// Whether the receiver can complete it: enough packets have arrived.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.arrived.count() >= self.layout.data
    }

    /// Whether too many packets are lost for it to become complete.
    #[inline]
    pub fn cannot_complete(&self) -> bool {
        self.given_up > self.layout.parity
    }

    fn is_over(&self) -> bool {
        self.is_settled && self.next >= self.layout.packets() && self.in_flight == 0 && self.to_repair == 0
    }
}

/// A lost packet that waits for retransmission.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepairEntry {
    pub slot: u32,
    pub index: u16,
    /// Number of times that it was lost.
    pub attempts: u32,
    /// Sequence number under which it was lost last.
    pub sequence: u64,
    /// How that was found.
    pub found: jettison_tcp::Repair,
}

/// The messages in progress. Slots are reused, with their memory.
#[derive(Debug, Clone, Default)]
pub(super) struct InProgress {
    slots: Vec<ActiveMessage>,
    free: Vec<u32>,
    /// The message with packets still to be sent for the first time.
    current: Option<u32>,
    /// Lost packets, in order of detection.
    pub repairs: VecDeque<RepairEntry>,
}

impl InProgress {
    /// Starts a message; its packets are sent next.
    ///
    /// `ahead` is what its slack is less by in addition to its wait.
    pub fn begin(&mut self, waiting: Waiting, is_reliable: bool, ahead: Duration, now: Time) {
        let mut label = waiting.label;
        label.slack = remaining_slack(&label, now.since(waiting.accepted_at) + ahead);
        let mut begun = ActiveMessage {
            asked: waiting.label,
            label,
            payload: waiting.payload,
            layout: waiting.layout,
            accepted_at: waiting.accepted_at,
            is_reliable,
            next: 0,
            arrived: Bits::default(),
            given_up: 0,
            in_flight: 0,
            to_repair: 0,
            is_settled: false,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                let place = &mut self.slots[slot as usize];
                begun.arrived = std::mem::take(&mut place.arrived);
                begun.arrived.clear();
                *place = begun;
                slot
            }
            None => {
                self.slots.push(begun);
                self.slots.len() as u32 - 1
            }
        };
        self.current = Some(slot);
    }

    #[inline]
    pub fn message(&self, slot: u32) -> &ActiveMessage {
        &self.slots[slot as usize]
    }

    #[inline]
    pub fn message_mut(&mut self, slot: u32) -> &mut ActiveMessage {
        &mut self.slots[slot as usize]
    }

    /// The next packet to be sent for the first time, of the message in progress.
    #[inline]
    pub fn next_new(&self) -> Option<(u32, u16)> {
        self.current.map(|slot| (slot, self.slots[slot as usize].next as u16))
    }

    /// Records the departure of that packet.
    #[inline]
    pub fn advance(&mut self) {
        if let Some(slot) = self.current {
            let message = &mut self.slots[slot as usize];
            message.next += 1;
            if message.next >= message.layout.packets() {
                self.current = None;
            }
        }
    }

    /// The message with packets still to be sent for the first time, and its slot.
    #[inline]
    pub fn current(&self) -> Option<(u32, &ActiveMessage)> {
        self.current.map(|slot| (slot, &self.slots[slot as usize]))
    }

    /// Messages with packets in flight.
    pub fn in_flight(&self) -> impl Iterator<Item = &ActiveMessage> {
        self.slots.iter().filter(|message| message.in_flight > 0)
    }

    /// Abandons a message that can no longer become complete: its unsent packets are not sent.
    pub fn abandon(&mut self, slot: u32) {
        let message = &mut self.slots[slot as usize];
        message.next = message.layout.packets();
        if self.current == Some(slot) {
            self.current = None;
        }
    }

    /// Unsent bytes of the current message, including parity.
    #[inline]
    pub fn unsent(&self) -> u64 {
        self.current.map_or(0, |slot| {
            let message = &self.slots[slot as usize];
            message.layout.content_bytes_from(message.next)
        })
    }

    /// Frees the slot of a message if nothing refers to it any more.
    pub fn release_if_over(&mut self, slot: u32) {
        let message = &mut self.slots[slot as usize];
        if message.is_over() {
            // Once only: an empty payload marks a free slot.
            message.payload =
                MessagePayload { head: Default::default(), rest: jettison_tcp::Payload::Zeros(0) };
            message.is_settled = false;
            self.free.push(slot);
        }
    }
}
