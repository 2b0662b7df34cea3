//! The received messages of one stream: a window of numbers up to the newest one.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};
use jettison_wire::MessageNumber;

use super::limits::Limits;
use super::serial::unwrap_29;

/// Added to all numbers, so that none is below zero.
const ORIGIN: u64 = 1 << MessageNumber::BITS;

/// The window of one stream.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// The number of the first message in it.
    base: u64,
    entries: VecDeque<Entry>,
    /// Time of the last packet taken, or at first that of the window's creation.
    pub heard: Time,
    has_heard: bool,
    /// Number of the sender's restart that its messages belong to.
    epoch: u32,
    /// The last implausible number, which waits for confirmation.
    candidate: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Unknown,
    Incomplete(u32),
    Done,
}

/// What a receiver knows of a message number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// In the window, or little beyond.
    Plausible(u64),
    /// Before the window, or of a repeated packet beyond it.
    Old,
    /// Far from the window, and not confirmed.
    Implausible,
    /// Far behind the window, and confirmed: the window begins again with it.
    Restart(u64),
}

/// When to follow a jump of the numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct JumpRule {
    /// Distance from the window up to which a number needs no confirmation.
    pub reach: u64,
    /// Time for which the window must have been silent.
    pub quiet: Duration,
}

impl Window {
    pub fn new(first: u32, epoch: u32, now: Time) -> Window {
        Window {
            base: ORIGIN + u64::from(first),
            entries: VecDeque::new(),
            heard: now,
            has_heard: false,
            epoch,
            candidate: None,
        }
    }

    /// Whether no packet has been taken for `time`, or none at all.
    pub fn is_quiet(&self, time: Duration, now: Time) -> bool {
        !self.has_heard || now.since(self.heard) >= time
    }

    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Memory of the entries in bytes.
    #[inline]
    pub fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    /// The slots of its incomplete messages.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Incomplete(slot) => Some(*slot),
            _ => None,
        })
    }

    /// The standing of the message of a packet, of which `is_new` says whether the packet's own number is new. Else it
    /// can only belong to a message up to the next one.
    #[inline]
    pub fn standing(&mut self, wire: MessageNumber, is_new: bool, rule: JumpRule, now: Time) -> Standing {
        let reach = if is_new { rule.reach } else { 1 };
        match unwrap_29(self.end(), wire.get()) {
            Some(number) if number >= self.base && number < self.end() + reach => {
                self.heard = now;
                self.has_heard = true;
                Standing::Plausible(number)
            }
            _ if !is_new => Standing::Old,
            Some(number) if number < self.base && number + reach >= self.base => Standing::Old,
            number => self.jump(number, wire.get(), rule, now),
        }
    }

    /// A number far from the window.
    #[cold]
    fn jump(&mut self, number: Option<u64>, wire: u32, rule: JumpRule, now: Time) -> Standing {
        let follows = |before: u32| {
            let ahead = wire.wrapping_sub(before) & ((1 << MessageNumber::BITS) - 1);
            // Other packets of the same message, too.
            ahead <= Limits::STEP
        };
        let is_confirmed = self.candidate.replace(wire).is_some_and(follows);
        // A stream that has not begun yet must not be taken before its first messages come, either.
        let is_silent = now.since(self.heard) >= rule.quiet;
        let (true, true, Some(number)) = (is_confirmed, is_silent, number) else {
            return Standing::Implausible;
        };
        self.candidate = None;
        self.heard = now;
        self.has_heard = true;
        if number < self.base { Standing::Restart(number) } else { Standing::Plausible(number) }
    }

    /// Empties the window and begins again with `number`; returns that number in the window.
    pub fn restart(&mut self, number: u64) -> u64 {
        self.entries.clear();
        // Far from zero, as numbers are unwrapped around it.
        self.base = ORIGIN + (number & (ORIGIN - 1));
        self.base
    }

    #[inline]
    pub fn entry_mut(&mut self, number: u64) -> &mut Entry {
        &mut self.entries[(number - self.base) as usize]
    }

    /// Marks a number as done, if it is still in the window.
    pub fn discard(&mut self, number: u64) {
        let at = number.checked_sub(self.base).and_then(|at| self.entries.get_mut(at as usize));
        if let Some(entry) = at {
            *entry = Entry::Done;
        }
    }

    /// One past the newest number.
    #[inline]
    fn end(&self) -> u64 {
        self.base + self.entries.len() as u64
    }

    /// Extends the window to `number`, keeping at most `length` messages. Returns the slot of an incomplete message
    /// that leaves it; then it must be called again.
    #[inline]
    pub fn make_room(&mut self, number: u64, length: usize) -> Option<u32> {
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

    #[inline]
    pub fn forget_done(&mut self) {
        while self.entries.front() == Some(&Entry::Done) {
            self.entries.pop_front();
            self.base += 1;
        }
    }
}
