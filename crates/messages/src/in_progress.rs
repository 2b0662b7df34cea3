//! Messages that have begun to leave, until all their packets are settled.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::OctopusHeader;

use super::bits::Bits;
use super::layout::Layout;
use super::message::MessagePayload;
use super::send_buffer::{Waiting, remaining_slack};

/// A message that has begun to leave.
#[derive(Debug)]
pub(super) struct Begun {
    /// The label as the application asked for it.
    pub asked: OctopusHeader,
    /// The label on the wire: its slack is less by the time that the message waited.
    pub label: OctopusHeader,
    pub payload: MessagePayload,
    pub layout: Layout,
    pub accepted_at: Time,
    pub is_reliable: bool,
    /// The next packet that leaves for the first time.
    pub next: u32,
    /// Packets that arrived.
    pub arrived: Bits,
    /// Packets that are lost and not sent again.
    pub given_up: u32,
    /// Transmissions in flight, and lost packets that wait to be sent again.
    pub in_flight: u32,
    pub to_repair: u32,
    /// What became of it has been told.
    pub is_settled: bool,
}

impl Begun {
    /// Whether the receiver can have it whole: any so many packets do.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.arrived.count() >= self.layout.data
    }

    /// Whether too many packets are given up for the rest to make it whole.
    #[inline]
    pub fn is_hopeless(&self) -> bool {
        self.given_up > self.layout.parity
    }

    fn is_over(&self) -> bool {
        self.is_settled && self.next >= self.layout.packets() && self.in_flight == 0 && self.to_repair == 0
    }
}

/// A lost packet that waits to be sent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepairEntry {
    pub slot: u32,
    pub index: u16,
    /// Times that it was lost.
    pub attempts: u32,
}

/// All of them. Places are used again, with their memory.
#[derive(Debug, Default)]
pub(super) struct Underway {
    slots: Vec<Begun>,
    free: Vec<u32>,
    /// The message of which packets still leave for the first time.
    current: Option<u32>,
    /// Lost packets, in the order in which their losses were found.
    pub repairs: VecDeque<RepairEntry>,
}

impl Underway {
    /// A message begins to leave; its packets come next.
    pub fn begin(&mut self, waiting: Waiting, is_reliable: bool, now: Time) {
        let mut label = waiting.label;
        label.slack = remaining_slack(&label, now.since(waiting.accepted_at));
        let mut begun = Begun {
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
    pub fn message(&self, slot: u32) -> &Begun {
        &self.slots[slot as usize]
    }

    #[inline]
    pub fn message_mut(&mut self, slot: u32) -> &mut Begun {
        &mut self.slots[slot as usize]
    }

    /// The next packet that leaves for the first time, of a message that has begun to leave.
    #[inline]
    pub fn next_new(&self) -> Option<(u32, u16)> {
        self.current.map(|slot| (slot, self.slots[slot as usize].next as u16))
    }

    /// That packet leaves.
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

    /// The message of which packets still leave for the first time, and its place.
    #[inline]
    pub fn current(&self) -> Option<(u32, &Begun)> {
        self.current.map(|slot| (slot, &self.slots[slot as usize]))
    }

    /// Messages of which something is in flight.
    pub fn in_flight(&self) -> impl Iterator<Item = &Begun> {
        self.slots.iter().filter(|message| message.in_flight > 0)
    }

    /// A message cannot be whole any more: what of it has not left stays here.
    pub fn abandon(&mut self, slot: u32) {
        let message = &mut self.slots[slot as usize];
        message.next = message.layout.packets();
        if self.current == Some(slot) {
            self.current = None;
        }
    }

    /// Bytes of the present message that have not left, parity included.
    #[inline]
    pub fn unsent(&self) -> u64 {
        self.current.map_or(0, |slot| {
            let message = &self.slots[slot as usize];
            message.layout.content_bytes_from(message.next)
        })
    }

    /// Frees the place of a message if nothing refers to it any more.
    pub fn release_if_over(&mut self, slot: u32) {
        let message = &mut self.slots[slot as usize];
        if message.is_over() {
            // Once only: the payload tells that the place is free.
            message.payload =
                MessagePayload { head: Default::default(), rest: jettison_tcp::Payload::Zeros(0) };
            message.is_settled = false;
            self.free.push(slot);
        }
    }
}
