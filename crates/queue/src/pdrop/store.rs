//! FIFO store from which whole messages can be removed at any position.

use jettison_core::Time;
use jettison_wire::{MessageNumber, OctopusHeader, Packet};
use rustc_hash::FxHashMap;

use crate::Backlog;

/// Index of no packet or no message.
const NONE: u32 = u32::MAX;

/// Packets in FIFO order, linked by message, and one list of droppable messages per priority. All operations take constant
/// time, except for the removal of a message, which is linear in its packets.
#[derive(Debug, Clone)]
pub(super) struct MessageStore {
    packets: Vec<Node>,
    /// Head of the free list of packets, linked by `newer`.
    free_packet: u32,
    oldest: u32,
    newest: u32,
    backlog: Backlog,
    messages: Vec<Message>,
    /// Head of the free list of messages, linked by `newer`.
    free_message: u32,
    /// Index in `messages` by stream slot and message number.
    by_number: FxHashMap<(u32, MessageNumber), u32>,
    levels: [Level; OctopusHeader::LEVELS],
}

/// A message of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    /// The stream's slot.
    pub slot: u32,
    pub message: MessageNumber,
    pub priority: u8,
    /// Whether it has begun to leave; then it must not be dropped.
    pub begun: bool,
}

/// A packet removed from the store, with the label of its message.
pub(super) struct Popped {
    pub packet: Packet,
    pub label: Option<Label>,
}

#[derive(Debug, Clone)]
struct Node {
    packet: Option<Packet>,
    older: u32,
    newer: u32,
    /// Index of its message; `NONE` for other traffic.
    message: u32,
    /// The next packet of its message.
    next: u32,
}

#[derive(Debug, Clone)]
struct Message {
    label: Label,
    first: u32,
    last: u32,
    backlog: Backlog,
    /// Neighbours in its level's list, while it is droppable.
    older: u32,
    newer: u32,
}

/// The backlog of one priority.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The droppable message that was queued last.
    newest: u32,
    /// Total backlog of the droppable messages.
    droppable: Backlog,
    /// Queued packets, droppable or not.
    waiting: u64,
}

impl Default for MessageStore {
    fn default() -> MessageStore {
        let level = Level { newest: NONE, droppable: Backlog::default(), waiting: 0 };
        MessageStore {
            packets: Vec::new(),
            free_packet: NONE,
            oldest: NONE,
            newest: NONE,
            backlog: Backlog::default(),
            messages: Vec::new(),
            free_message: NONE,
            by_number: FxHashMap::default(),
            levels: [level; OctopusHeader::LEVELS],
        }
    }
}

impl MessageStore {
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Number of messages with queued packets.
    pub fn messages(&self) -> usize {
        self.by_number.len()
    }

    /// The queued message with this number, with the label of its first packet.
    #[inline]
    pub fn find(&self, slot: u32, message: MessageNumber) -> Option<Label> {
        self.by_number.get(&(slot, message)).map(|at| self.messages[*at as usize].label)
    }

    /// Droppable backlog of all levels less important than `priority`.
    #[inline]
    pub fn droppable_below(&self, priority: u8) -> Backlog {
        self.levels.iter().skip(usize::from(priority) + 1).fold(Backlog::default(), |sum, level| Backlog {
            packets: sum.packets + level.droppable.packets,
            bytes: sum.bytes + level.droppable.bytes,
        })
    }

    /// Whether a packet more important than `priority` is queued.
    #[inline]
    pub fn holds_above(&self, priority: u8) -> bool {
        self.levels.iter().take(usize::from(priority)).any(|level| level.waiting > 0)
    }

    /// The least important droppable message; among equals, the one queued last.
    #[inline]
    pub fn least_important(&self) -> Option<Label> {
        let level = self.levels.iter().rev().find(|level| level.newest != NONE)?;
        Some(self.messages[level.newest as usize].label)
    }

    /// Appends a packet of a message or of other traffic (`label` is `None`), and stamps it.
    pub fn push(&mut self, packet: Packet, label: Option<Label>, now: Time) {
        let size = Backlog { packets: 1, bytes: u64::from(packet.meta.length) };
        let depth = self.backlog.packets as u32;
        let message = label.map_or(NONE, |label| self.message(label));
        let node = Node { packet: Some(packet), older: self.newest, newer: NONE, message, next: NONE };
        // Takes a node from the free list, or grows the slab.
        let at = if self.free_packet == NONE {
            self.packets.push(node);
            (self.packets.len() - 1) as u32
        } else {
            let at = self.free_packet;
            self.free_packet = self.packets[at as usize].newer;
            self.packets[at as usize] = node;
            at
        };
        match self.newest {
            NONE => self.oldest = at,
            newest => self.packets[newest as usize].newer = at,
        }
        self.newest = at;
        self.backlog = plus(self.backlog, size);
        if let Some(packet) = &mut self.packets[at as usize].packet {
            packet.meta.enqueued_at = now;
            packet.meta.enq_qdepth = depth;
        }
        if message == NONE {
            // Other traffic counts as priority 0.
            self.levels[0].waiting += 1;
            return;
        }
        // Links the packet to its message; a message that has begun to leave adds nothing to the droppable backlog.
        let entry = &mut self.messages[message as usize];
        entry.backlog = plus(entry.backlog, size);
        match entry.last {
            NONE => entry.first = at,
            last => self.packets[last as usize].next = at,
        }
        entry.last = at;
        let level = &mut self.levels[usize::from(entry.label.priority)];
        level.waiting += 1;
        if !entry.label.begun {
            level.droppable = plus(level.droppable, size);
        }
    }

    /// Removes the oldest packet; its message begins to leave. `begun` in the returned label is the state before.
    pub fn pop(&mut self) -> Option<Popped> {
        if self.oldest == NONE {
            return None;
        }
        let message = self.packets[self.oldest as usize].message;
        let label = (message != NONE).then(|| {
            let label = self.messages[message as usize].label;
            if !label.begun {
                self.unlist(message);
                self.messages[message as usize].label.begun = true;
            }
            label
        });
        let packet = self.take(self.oldest)?;
        Some(Popped { packet, label })
    }

    /// Removes all queued packets of a message, oldest first.
    pub fn remove(&mut self, slot: u32, message: MessageNumber, mut each: impl FnMut(Packet)) {
        let Some(at) = self.by_number.get(&(slot, message)).copied() else { return };
        if !self.messages[at as usize].label.begun {
            self.unlist(at);
            self.messages[at as usize].label.begun = true;
        }
        // `take` frees the message's entry with its last packet.
        for _ in 0..self.messages[at as usize].backlog.packets {
            let first = self.messages[at as usize].first;
            if let Some(packet) = self.take(first) {
                each(packet);
            }
        }
    }

    /// Index of the message with this label; creates it if none of its packets is queued.
    fn message(&mut self, label: Label) -> u32 {
        if let Some(at) = self.by_number.get(&(label.slot, label.message)) {
            return *at;
        }
        let entry =
            Message { label, first: NONE, last: NONE, backlog: Backlog::default(), older: NONE, newer: NONE };
        let at = if self.free_message == NONE {
            self.messages.push(entry);
            (self.messages.len() - 1) as u32
        } else {
            let at = self.free_message;
            self.free_message = self.messages[at as usize].newer;
            self.messages[at as usize] = entry;
            at
        };
        self.by_number.insert((label.slot, label.message), at);
        if !label.begun {
            let level = &mut self.levels[usize::from(label.priority)];
            let older = std::mem::replace(&mut level.newest, at);
            self.messages[at as usize].older = older;
            if older != NONE {
                self.messages[older as usize].newer = at;
            }
        }
        at
    }

    /// Removes a message from its level's list of droppable messages.
    fn unlist(&mut self, at: u32) {
        let Message { label, backlog, older, newer, .. } = self.messages[at as usize];
        let level = &mut self.levels[usize::from(label.priority)];
        level.droppable = minus(level.droppable, backlog);
        match newer {
            NONE => level.newest = older,
            newer => self.messages[newer as usize].older = older,
        }
        if older != NONE {
            self.messages[older as usize].newer = newer;
        }
    }

    /// Removes a packet of other traffic, or the first packet of a message that is not in a droppable list.
    fn take(&mut self, at: u32) -> Option<Packet> {
        let Node { packet, older, newer, message, next } = {
            let free = Node { packet: None, older: NONE, newer: self.free_packet, message: NONE, next: NONE };
            self.free_packet = at;
            std::mem::replace(&mut self.packets[at as usize], free)
        };
        match older {
            NONE => self.oldest = newer,
            older => self.packets[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.packets[newer as usize].older = older,
        }
        let packet = packet?;
        let size = Backlog { packets: 1, bytes: u64::from(packet.meta.length) };
        self.backlog = minus(self.backlog, size);
        if message == NONE {
            self.levels[0].waiting -= 1;
            return Some(packet);
        }
        let entry = &mut self.messages[message as usize];
        entry.backlog = minus(entry.backlog, size);
        entry.first = next;
        let label = entry.label;
        self.levels[usize::from(label.priority)].waiting -= 1;
        if next == NONE {
            entry.newer = self.free_message;
            self.free_message = message;
            self.by_number.remove(&(label.slot, label.message));
        }
        Some(packet)
    }
}

fn plus(a: Backlog, b: Backlog) -> Backlog {
    Backlog { packets: a.packets + b.packets, bytes: a.bytes + b.bytes }
}

fn minus(a: Backlog, b: Backlog) -> Backlog {
    Backlog { packets: a.packets - b.packets, bytes: a.bytes - b.bytes }
}
