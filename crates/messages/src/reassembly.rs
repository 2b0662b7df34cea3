//! Received messages: complete, incomplete, and discarded.
//!
//! For each stream the receiver keeps a window of message numbers, up to the newest one received. Within it a message
//! is unknown, incomplete or done; messages that leave it are discarded. So memory is bounded whatever is lost, and no
//! message is delivered twice.

use std::collections::{BTreeMap, VecDeque};

use jettison_core::Time;
use jettison_wire::{InlineBytes, OctopusHeader, Position, SequenceHeader};

use super::assembly::Assembly;
use super::layout::Content;
use super::message::Message;
use super::parameters::Settings;
use super::serial::unwrap_29;
use super::statistics::Tally;
use jettison_tcp::Payload;

/// The received messages.
#[derive(Debug)]
pub(super) struct Reassembly {
    streams: BTreeMap<u16, Window>,
    /// Window length in messages per stream, and the number of a stream's first message.
    length: usize,
    first_message: u32,
    /// Incomplete messages. Slots are reused, with their memory.
    assemblies: Vec<Assembly>,
    free: Vec<u32>,
    ready: VecDeque<Message>,
    pub counters: Counters,
}

/// Counters of messages by outcome.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub delivered: Tally,
    pub given_up: u64,
    pub recovered: u64,
    pub superfluous: u64,
}

/// The window of one stream.
#[derive(Debug)]
struct Window {
    /// The number of the first message in it.
    base: u64,
    entries: VecDeque<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Unknown,
    Incomplete(u32),
    Done,
}

/// A packet inconsistent with others of its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

impl Reassembly {
    pub fn new(settings: &Settings) -> Reassembly {
        Reassembly {
            streams: BTreeMap::new(),
            length: settings.reassembly,
            first_message: settings.first_message,
            assemblies: Vec::new(),
            free: Vec::new(),
            ready: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// The next complete message.
    pub fn poll(&mut self) -> Option<Message> {
        self.ready.pop_front()
    }

    /// Processes a data packet: its headers, its first bytes after them, and the rest.
    pub fn take(
        &mut self,
        header: &SequenceHeader,
        label: &OctopusHeader,
        inline: &[u8],
        rest: Payload,
        now: Time,
    ) -> Result<(), Malformed> {
        let inline = InlineBytes::new(inline).ok_or(Malformed)?;
        let first = u64::from(self.first_message);
        let window = self
            .streams
            .entry(label.stream)
            .or_insert_with(|| Window { base: first, entries: VecDeque::new() });
        // A number below zero would precede the first message.
        let number = unwrap_29(window.end(), label.message.get()).filter(|number| *number >= window.base);
        let Some(number) = number else {
            self.counters.superfluous += 1;
            return Ok(());
        };
        // A newer number moves the window, which discards the oldest incomplete messages.
        while let Some(slot) = window.make_room(number, self.length) {
            self.counters.given_up += 1;
            self.free.push(slot);
        }
        let entry = &mut window.entries[(number - window.base) as usize];
        // A message that is done takes no more packets.
        let slot = match *entry {
            Entry::Incomplete(slot) => slot,
            Entry::Done => {
                self.counters.superfluous += 1;
                return Ok(());
            }
            Entry::Unknown => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.assemblies.push(Assembly::default());
                    self.assemblies.len() as u32 - 1
                });
                self.assemblies[slot as usize].begin(now);
                *entry = Entry::Incomplete(slot);
                slot
            }
        };
        let assembly = &mut self.assemblies[slot as usize];
        let (index, content) = (u32::from(header.index), Content { inline, rest });
        let taken = if header.flags & SequenceHeader::FLAG_PARITY != 0 {
            assembly.take_parity(index, content)
        } else {
            let is_end = header.flags & SequenceHeader::FLAG_END != 0;
            assembly.take_data(index, is_end || label.position.is_tail(), content)
        };
        taken.map_err(|_| Malformed)?;
        // Deliver at once, independent of earlier messages.
        if let Some((payload, is_recovered)) = assembly.finish() {
            let first_at = assembly.first_at;
            *entry = Entry::Done;
            self.free.push(slot);
            window.forget_done();
            self.counters.delivered.add(payload.len());
            self.counters.recovered += u64::from(is_recovered);
            self.ready.push_back(Message { stream: label.stream, number: label.message, payload, first_at });
        }
        Ok(())
    }
}

/// Whether position, index and flags are consistent.
pub(super) fn is_consistent(header: &SequenceHeader, label: &OctopusHeader) -> bool {
    let is_parity = header.flags & SequenceHeader::FLAG_PARITY != 0;
    match label.position {
        Position::First | Position::Solo => header.index == 0 && !is_parity,
        Position::Middle | Position::Last => header.index > 0,
    }
}

impl Window {
    /// One past the newest number.
    fn end(&self) -> u64 {
        self.base + self.entries.len() as u64
    }

    /// Extends the window to `number`, keeping at most `length` messages. Returns the slot of an incomplete message
    /// that leaves it; then it must be called again.
    fn make_room(&mut self, number: u64, length: usize) -> Option<u32> {
        let base = (number + 1).saturating_sub(length as u64);
        while self.base < base {
            match self.entries.pop_front() {
                Some(entry) => {
                    self.base += 1;
                    if let Entry::Incomplete(slot) = entry {
                        return Some(slot);
                    }
                }
                None => self.base = base,
            }
        }
        while self.end() <= number {
            self.entries.push_back(Entry::Unknown);
        }
        None
    }

    fn forget_done(&mut self) {
        while self.entries.front() == Some(&Entry::Done) {
            self.entries.pop_front();
            self.base += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_wire::{MessageNumber, PacketKind};

    use super::super::parameters::OctopusParameters;
    use super::*;

    fn reassembly(length: u32) -> Reassembly {
        let parameters = OctopusParameters { reassembly: length, ..OctopusParameters::default() };
        Reassembly::new(&Settings::from(&parameters))
    }

    fn label(number: u32) -> OctopusHeader {
        OctopusHeader {
            position: Position::Solo,
            message: MessageNumber::new(number),
            priority: 0,
            drop_flag: false,
            threshold: 0,
            bitrate_threshold: 0,
            slack: 0,
            stream: 7,
        }
    }

    /// Delivers one of the two packets of a message of 150 bytes.
    fn packet(reassembly: &mut Reassembly, number: u32, index: u16) -> Result<(), Malformed> {
        let position = if index == 0 { Position::First } else { Position::Last };
        let header = SequenceHeader { kind: PacketKind::Data, flags: 0, index, sequence: 0 };
        let label = OctopusHeader { position, ..label(number) };
        let length = if index == 0 { 100 } else { 50 };
        reassembly.take(&header, &label, &[], Payload::Zeros(length), Time::from_millis(u64::from(index)))
    }

    fn delivered(reassembly: &mut Reassembly) -> Vec<u32> {
        std::iter::from_fn(|| reassembly.poll()).map(|message| message.number.get()).collect()
    }

    #[test]
    fn each_message_is_delivered_as_soon_as_it_is_complete() {
        let mut reassembly = reassembly(10);
        for (number, index) in [(0, 0), (1, 1), (2, 0), (1, 0), (0, 1)] {
            packet(&mut reassembly, number, index).unwrap();
        }
        let first = reassembly.poll().expect("message 1");
        assert_eq!((first.stream, first.number.get(), first.payload.len()), (7, 1, 150));
        assert_eq!(first.first_at, Time::from_millis(1), "its last packet arrived first");
        assert_eq!(delivered(&mut reassembly), [0]);
    }

    #[test]
    fn nothing_is_delivered_twice() {
        let mut reassembly = reassembly(10);
        for number in [0, 2, 0, 2, 0] {
            packet(&mut reassembly, number, 0).unwrap();
            packet(&mut reassembly, number, 1).unwrap();
        }
        assert_eq!(delivered(&mut reassembly), [0, 2]);
        assert_eq!(reassembly.counters.superfluous, 6);
    }

    #[test]
    fn old_messages_are_discarded_for_new_ones() {
        let mut reassembly = reassembly(3);
        for number in 0..100 {
            packet(&mut reassembly, number, 0).unwrap();
        }
        assert_eq!(reassembly.counters.given_up, 97);
        assert_eq!(reassembly.assemblies.len(), 3, "slots are reused");
        packet(&mut reassembly, 96, 1).unwrap();
        packet(&mut reassembly, 97, 1).unwrap();
        assert_eq!(delivered(&mut reassembly), [97]);
        // A jump far ahead costs no more than the window.
        packet(&mut reassembly, 1 << 27, 0).unwrap();
        assert_eq!(reassembly.counters.given_up, 99);
    }

    #[test]
    fn numbers_wrap() {
        let last = (1 << 29) - 1;
        let parameters = OctopusParameters { first_message: last, ..OctopusParameters::default() };
        let mut reassembly = Reassembly::new(&Settings::from(&parameters));
        for number in [0, last, 1] {
            packet(&mut reassembly, number, 0).unwrap();
            packet(&mut reassembly, number, 1).unwrap();
        }
        assert_eq!(delivered(&mut reassembly), [0, last, 1]);
    }

    #[test]
    fn position_index_and_flags_must_be_consistent() {
        let is_consistent = |index, position, flags| {
            let header = SequenceHeader { kind: PacketKind::Data, flags, index, sequence: 0 };
            super::is_consistent(&header, &OctopusHeader { position, ..label(0) })
        };
        assert!(is_consistent(0, Position::First, 0) && is_consistent(3, Position::Last, 0));
        assert!(!is_consistent(3, Position::First, 0) && !is_consistent(0, Position::Last, 0));
        assert!(!is_consistent(0, Position::Solo, SequenceHeader::FLAG_PARITY));
    }

    #[test]
    fn a_packet_inconsistent_with_its_message_is_reported() {
        let mut reassembly = reassembly(3);
        packet(&mut reassembly, 0, 1).unwrap();
        let header = SequenceHeader { kind: PacketKind::Data, flags: 0, index: 4, sequence: 0 };
        let label = OctopusHeader { position: Position::Last, ..label(0) };
        assert_eq!(reassembly.take(&header, &label, &[], Payload::Zeros(9), Time::ZERO), Err(Malformed));
    }
}
