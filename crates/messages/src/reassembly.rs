//! Received messages: complete, incomplete, and discarded.
//!
//! For each stream the receiver keeps a window of message numbers, up to the newest one received. Within it a message
//! is unknown, incomplete or done; messages that leave it are discarded. So memory is bounded whatever is lost, and no
//! message is delivered twice. The number of streams and the memory of all incomplete messages are limited as well, and
//! numbers far from the window must be confirmed (see `limits.rs`): anybody may send a datagram.

use std::collections::{BTreeMap, VecDeque};

use jettison_core::Time;
use jettison_wire::{InlineBytes, OctopusHeader, Position, SequenceHeader};

use super::assembly::Refused;
use super::incomplete::Incomplete;
use super::layout::Content;
use super::limits::Limits;
use super::message::Message;
use super::parameters::Settings;
use super::receiver::Place;
use super::statistics::Tally;
use super::window::{Entry, JumpRule, Standing, Window};
use jettison_tcp::Payload;

/// The received messages.
#[derive(Debug, Clone)]
pub(super) struct Reassembly {
    streams: BTreeMap<u16, Window>,
    most_streams: usize,
    /// Window length in messages per stream, and the number of a stream's first message.
    length: usize,
    first_message: u32,
    jumps: JumpRule,
    most_parity: u16,
    incomplete: Incomplete,
    ready: VecDeque<Message>,
    pub counters: Counters,
}

/// Counters of messages by outcome, and of what was refused or discarded for a limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub delivered: Tally,
    pub given_up: u64,
    pub recovered: u64,
    pub superfluous: u64,
    pub implausible: u64,
    pub parity_refused: u64,
    pub streams_refused: u64,
    pub streams_evicted: u64,
    pub messages_evicted: u64,
}

/// Why a packet was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTaken {
    /// It is inconsistent with others of its message.
    Malformed,
    /// It is implausible, or exceeds a limit. It must have no effect, not even an ACK.
    Refused,
}

impl Reassembly {
    pub fn new(settings: &Settings) -> Reassembly {
        Reassembly {
            streams: BTreeMap::new(),
            most_streams: settings.most_streams,
            length: settings.reassembly,
            first_message: settings.first_message,
            jumps: JumpRule {
                reach: Limits::MESSAGE_REACH.max(settings.reassembly as u64),
                quiet: settings.quiet,
            },
            most_parity: settings.most_parity,
            incomplete: Incomplete::new(settings.memory),
            ready: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// The next complete message.
    pub fn poll(&mut self) -> Option<Message> {
        self.ready.pop_front()
    }

    /// Memory for incomplete messages in bytes, and number of streams.
    pub fn held(&self) -> (u64, usize) {
        (self.incomplete.used(), self.streams.len())
    }

    /// Processes a data packet: its headers, its first bytes after them, and the rest; and its place among the packets.
    pub fn take(
        &mut self,
        header: &SequenceHeader,
        label: &OctopusHeader,
        inline: &[u8],
        rest: Payload,
        place: &Place,
        now: Time,
    ) -> Result<(), NotTaken> {
        let inline = InlineBytes::new(inline).ok_or(NotTaken::Malformed)?;
        // A packet whose number is not new is a duplicate, or its number was taken by another sender's packet. It may
        // complete what is known, and open nothing.
        let Place { epoch, is_new, .. } = *place;
        let may_open = is_new && self.streams.len() < self.most_streams;
        if !may_open && !self.streams.contains_key(&label.stream) {
            if !is_new {
                self.counters.superfluous += 1;
                return Ok(());
            }
            self.evict_stream(now)?;
        }
        let first = self.first_message;
        let window = self.streams.entry(label.stream).or_insert_with(|| Window::new(first, epoch, now));
        let memory = window.memory();
        if epoch != window.epoch() {
            // Another sender's numbers are followed only if the known one is silent.
            if !window.is_quiet(self.jumps.quiet, now) {
                self.counters.implausible += 1;
                return Err(NotTaken::Refused);
            }
            self.counters.given_up += release_all(window, &mut self.incomplete);
            *window = Window::new(first, epoch, now);
        }
        let number = match window.standing(label.message, is_new, self.jumps, now) {
            Standing::Plausible(number) => number,
            Standing::Old => {
                self.counters.superfluous += 1;
                self.incomplete.account(memory, window.memory());
                return Ok(());
            }
            Standing::Implausible => {
                self.counters.implausible += 1;
                self.incomplete.account(memory, window.memory());
                return Err(NotTaken::Refused);
            }
            Standing::Restart(number) => {
                self.counters.given_up += release_all(window, &mut self.incomplete);
                window.restart(number)
            }
        };
        // A newer number moves the window, which discards the oldest incomplete messages.
        while let Some(slot) = window.make_room(number, self.length) {
            self.counters.given_up += 1;
            self.incomplete.release(slot);
        }
        self.incomplete.account(memory, window.memory());
        let entry = window.entry_mut(number);
        // A message that is done takes no more packets.
        let slot = match *entry {
            Entry::Incomplete(slot) => slot,
            Entry::Done => {
                self.counters.superfluous += 1;
                return Ok(());
            }
            Entry::Unknown => {
                let slot = self.incomplete.begin((label.stream, number), now);
                *entry = Entry::Incomplete(slot);
                slot
            }
        };
        let assembly = self.incomplete.assembly(slot);
        let (index, content) = (u32::from(header.index), Content { inline, rest });
        let taken = if header.flags & SequenceHeader::FLAG_PARITY != 0 {
            assembly.take_parity(index, content, self.most_parity)
        } else {
            let is_end = header.flags & SequenceHeader::FLAG_END != 0;
            assembly.take_data(index, is_end || label.position.is_tail(), content)
        };
        // Deliver at once, independent of earlier messages.
        if taken.is_ok()
            && let Some((payload, is_recovered)) = assembly.finish()
        {
            let first_at = assembly.first_at;
            *entry = Entry::Done;
            self.incomplete.changed(slot);
            self.incomplete.release(slot);
            window.forget_done();
            self.counters.delivered.add(payload.len());
            self.counters.recovered += u64::from(is_recovered);
            self.ready.push_back(Message { stream: label.stream, number: label.message, payload, first_at });
            return Ok(());
        }
        self.incomplete.changed(slot);
        while let Some((slot, (stream, number))) = self.incomplete.excess() {
            self.counters.messages_evicted += 1;
            self.incomplete.release(slot);
            if let Some(window) = self.streams.get_mut(&stream) {
                window.discard(number);
            }
        }
        taken.map_err(|refused| match refused {
            Refused::Contradiction => NotTaken::Malformed,
            Refused::TooMuchParity => {
                self.counters.parity_refused += 1;
                NotTaken::Refused
            }
        })
    }

    /// Makes room for another stream, in place of the least recently used one.
    #[cold]
    fn evict_stream(&mut self, now: Time) -> Result<(), NotTaken> {
        let oldest = self.streams.iter().min_by_key(|(_, window)| window.heard);
        let quiet = oldest.filter(|(_, window)| window.is_quiet(self.jumps.quiet, now)).map(|(id, _)| *id);
        let Some(mut window) = quiet.and_then(|stream| self.streams.remove(&stream)) else {
            self.counters.streams_refused += 1;
            return Err(NotTaken::Refused);
        };
        self.counters.streams_evicted += 1;
        self.counters.given_up += release_all(&mut window, &mut self.incomplete);
        self.incomplete.account(window.memory(), 0);
        Ok(())
    }
}

/// Discards the incomplete messages of a window; returns their number. The window must be replaced or restarted then.
fn release_all(window: &mut Window, incomplete: &mut Incomplete) -> u64 {
    window.slots().map(|slot| incomplete.release(slot)).count() as u64
}

/// Whether position, index and flags are consistent.
pub(super) fn is_consistent(header: &SequenceHeader, label: &OctopusHeader) -> bool {
    let is_parity = header.flags & SequenceHeader::FLAG_PARITY != 0;
    match label.position {
        Position::First | Position::Solo => header.index == 0 && !is_parity,
        Position::Middle | Position::Last => header.index > 0,
    }
}

#[cfg(test)]
mod tests {
    use jettison_wire::{MessageNumber, PacketKind};

    use super::super::parameters::OctopusParameters;
    use super::*;

    const NEW: Place = Place::first();

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
    fn packet(reassembly: &mut Reassembly, number: u32, index: u16) -> Result<(), NotTaken> {
        let position = if index == 0 { Position::First } else { Position::Last };
        let header = SequenceHeader { kind: PacketKind::Data, flags: 0, index, sequence: 0 };
        let label = OctopusHeader { position, ..label(number) };
        let length = if index == 0 { 100 } else { 50 };
        reassembly.take(
            &header,
            &label,
            &[],
            Payload::Zeros(length),
            &NEW,
            Time::from_millis(u64::from(index)),
        )
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
        assert_eq!(reassembly.incomplete.slots(), 3, "slots are reused");
        packet(&mut reassembly, 96, 1).unwrap();
        packet(&mut reassembly, 97, 1).unwrap();
        assert_eq!(delivered(&mut reassembly), [97]);
        // A jump far ahead must be confirmed, after a silence; it costs no more than the window.
        let far = |reassembly: &mut Reassembly, number, seconds| {
            let header = SequenceHeader { kind: PacketKind::Data, flags: 0, index: 0, sequence: 0 };
            let label = OctopusHeader { position: Position::First, ..label(number) };
            reassembly.take(&header, &label, &[], Payload::Zeros(100), &NEW, Time::from_secs(seconds))
        };
        for (number, seconds) in [(1 << 27, 0), ((1 << 27) + 1, 0), (1 << 26, 5)] {
            assert_eq!(far(&mut reassembly, number, seconds), Err(NotTaken::Refused));
        }
        assert_eq!((reassembly.counters.given_up, reassembly.counters.implausible), (97, 3));
        assert_eq!(far(&mut reassembly, (1 << 26) + 1, 5), Ok(()));
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
        assert_eq!(
            reassembly.take(&header, &label, &[], Payload::Zeros(9), &NEW, Time::ZERO),
            Err(NotTaken::Malformed)
        );
    }
}
