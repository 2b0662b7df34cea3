//! Unacknowledged mode: reassembly (TS 38.322 §5.2.2.2), with the state variables of §7.1.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use super::ranges::Ranges;
use super::{Segment, Verdict};
use crate::cellular::RlcParameters;

/// Numbers of the sender, and the receiver.
#[derive(Debug, Clone)]
pub(super) struct Um {
    t_reassembly: Duration,
    /// UM_Window_Size: half of the numbers (§7.2).
    window: u32,
    /// RX_Next_Reassembly: the earliest number that is still considered.
    next_reassembly: u32,
    /// RX_Next_Highest: the number after the highest that came.
    next_highest: u32,
    /// RX_Timer_Trigger: the number after the one that started the timer.
    trigger: u32,
    expires: Option<Time>,
    /// Segmented SDUs from number `first` on.
    first: u32,
    sdus: VecDeque<Buffer>,
}

/// An SDU that is segmented.
#[derive(Debug, Clone)]
struct Buffer {
    sdu: u32,
    of: u32,
    got: Ranges,
    /// Whether it was delivered or discarded.
    is_done: bool,
}

impl Um {
    pub fn new(parameters: &RlcParameters) -> Um {
        Um {
            t_reassembly: parameters.t_reassembly,
            window: 1 << (parameters.sn_length - 1),
            next_reassembly: 0,
            next_highest: 0,
            trigger: 0,
            expires: None,
            first: 0,
            sdus: VecDeque::new(),
        }
    }

    /// The number of an SDU that is going to be segmented (TX_Next, §5.2.2.1).
    pub fn number(&mut self, sdu: u32, of: u32) -> u32 {
        self.sdus.push_back(Buffer { sdu, of, got: Ranges::default(), is_done: false });
        self.first + self.sdus.len() as u32 - 1
    }

    fn buffer(&mut self, number: u32) -> Option<&mut Buffer> {
        self.sdus.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn is_done(&self, number: u32) -> bool {
        number < self.first
            || self.sdus.get((number - self.first) as usize).is_some_and(|buffer| buffer.is_done)
    }

    /// The first number from `number` on that was neither delivered nor discarded.
    fn first_open(&self, mut number: u32) -> u32 {
        while number < self.next_highest && self.is_done(number) {
            number += 1;
        }
        number
    }

    /// A PDU came (§5.2.2.2.2, §5.2.2.2.3).
    pub fn receive(&mut self, segment: &Segment, now: Time, verdicts: &mut Vec<Verdict>) {
        // Without a number it is a whole SDU.
        let Some(number) = segment.number else { return verdicts.push(Verdict::Complete(segment.sdu)) };
        if number < self.next_reassembly {
            return;
        }
        let Some(buffer) = self.buffer(number).filter(|buffer| !buffer.is_done) else { return };
        buffer.got.add(segment.from, segment.to);
        let is_whole = buffer.got.is_whole(buffer.of);
        if is_whole {
            buffer.is_done = true;
            verdicts.push(Verdict::Complete(segment.sdu));
        }
        if number >= self.next_highest {
            self.next_highest = number + 1;
            let lowest = self.next_highest.saturating_sub(self.window);
            if self.next_reassembly < lowest {
                self.discard_below(lowest, verdicts);
                self.next_reassembly = lowest;
            }
        }
        self.next_reassembly = self.first_open(self.next_reassembly);
        if self.expires.is_some()
            && (self.trigger <= self.next_reassembly
                || (self.next_highest == self.next_reassembly + 1 && !self.has_gap()))
        {
            self.expires = None;
        }
        self.start(now);
        self.forget();
    }

    pub fn expires(&self) -> Option<Time> {
        self.expires
    }

    /// t-Reassembly expires (§5.2.2.2.4).
    pub fn expire(&mut self, now: Time, verdicts: &mut Vec<Verdict>) {
        if self.expires.is_none_or(|at| at > now) {
            return;
        }
        self.expires = None;
        let next = self.first_open(self.trigger);
        self.discard_below(next, verdicts);
        self.next_reassembly = self.next_reassembly.max(next);
        self.start(now);
        self.forget();
    }

    /// Starts the timer if segments are missing before others.
    fn start(&mut self, now: Time) {
        let is_missing = self.next_highest > self.next_reassembly + 1
            || (self.next_highest == self.next_reassembly + 1 && self.has_gap());
        if self.expires.is_none() && is_missing {
            self.trigger = self.next_highest;
            self.expires = Some(now.saturating_add(self.t_reassembly));
        }
    }

    /// Whether bytes of the SDU with number RX_Next_Reassembly are missing before the last one that came.
    fn has_gap(&self) -> bool {
        let at = self.next_reassembly.checked_sub(self.first);
        at.and_then(|at| self.sdus.get(at as usize)).is_some_and(|buffer| buffer.got.has_gap())
    }

    fn discard_below(&mut self, number: u32, verdicts: &mut Vec<Verdict>) {
        let count = number.saturating_sub(self.first) as usize;
        for buffer in self.sdus.iter_mut().take(count).filter(|buffer| !buffer.is_done) {
            buffer.is_done = true;
            verdicts.push(Verdict::Lost(buffer.sdu));
        }
    }

    /// Forgets what no PDU belongs to any more.
    fn forget(&mut self) {
        while self.first < self.next_reassembly && self.sdus.pop_front().is_some() {
            self.first += 1;
        }
    }
}
