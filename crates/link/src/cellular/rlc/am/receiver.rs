//! The receiver of acknowledged mode: reassembly and status reports (TS 38.322 §5.2.3.2, §5.3.4), with the state variables of §7.1.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use super::super::ranges::Ranges;
use super::{Segment, Verdict};

/// A status report: SDUs before `ack` came, except for the parts that are missing (§6.2.2.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Status {
    pub ack: u32,
    pub missing: Vec<(u32, u32, u32)>,
}

#[derive(Debug, Clone)]
pub(super) struct Receiver {
    t_reassembly: Duration,
    t_status_prohibit: Duration,
    window: u32,
    /// RX_Next: the first SDU that is not complete, and those from it on.
    next: u32,
    sdus: VecDeque<Buffer>,
    /// RX_Highest_Status: the end of what a report may cover.
    highest_status: u32,
    /// RX_Next_Highest: the number after the highest that came.
    next_highest: u32,
    /// RX_Next_Status_Trigger: the number after the one that started the timer.
    trigger: u32,
    expires: Option<Time>,
    /// A report is due; it waits while t-StatusProhibit runs.
    is_due: bool,
    prohibited_until: Time,
    /// The number of a poll whose report is delayed until it would cover it.
    polled: Option<u32>,
}

#[derive(Debug, Clone, Default)]
struct Buffer {
    of: u32,
    got: Ranges,
    is_done: bool,
}

impl Receiver {
    pub fn new(t_reassembly: Duration, t_status_prohibit: Duration, window: u32) -> Receiver {
        Receiver {
            t_reassembly,
            t_status_prohibit,
            window,
            next: 0,
            sdus: VecDeque::new(),
            highest_status: 0,
            next_highest: 0,
            trigger: 0,
            expires: None,
            is_due: false,
            prohibited_until: Time::ZERO,
            polled: None,
        }
    }

    fn buffer(&mut self, number: u32) -> Option<&mut Buffer> {
        let at = number.checked_sub(self.next)? as usize;
        while self.sdus.len() <= at {
            self.sdus.push_back(Buffer::default());
        }
        self.sdus.get_mut(at)
    }

    fn is_done(&self, number: u32) -> bool {
        number.checked_sub(self.next).is_none_or(|at| self.sdus.get(at as usize).is_some_and(|b| b.is_done))
    }

    /// The first number from `number` on whose SDU is not complete.
    fn first_open(&self, mut number: u32) -> u32 {
        while number < self.next_highest && self.is_done(number) {
            number += 1;
        }
        number
    }

    /// A PDU came (§5.2.3.2.2, §5.2.3.2.3).
    pub fn receive(&mut self, segment: &Segment, now: Time, verdicts: &mut Vec<Verdict>) {
        let number = segment.sdu;
        if number >= self.next
            && number < self.next + self.window
            && let Some(buffer) = self.buffer(number).filter(|buffer| !buffer.is_done)
        {
            buffer.of = segment.of;
            buffer.got.add(segment.from, segment.to);
            if buffer.got.is_whole(segment.of) {
                buffer.is_done = true;
                verdicts.push(Verdict::Complete(number));
            }
            self.next_highest = self.next_highest.max(number + 1);
            self.advance();
            self.restart(now);
        }
        if segment.poll {
            self.polled = Some(self.polled.map_or(number, |before| before.max(number)));
        }
        self.check_poll();
    }

    /// Moves RX_Highest_Status and RX_Next over what is complete.
    fn advance(&mut self) {
        self.highest_status = self.first_open(self.highest_status);
        while self.sdus.front().is_some_and(|buffer| buffer.is_done) {
            self.sdus.pop_front();
            self.next += 1;
        }
        self.highest_status = self.highest_status.max(self.next);
    }

    fn restart(&mut self, now: Time) {
        let is_there = self.trigger <= self.next || (self.trigger == self.next + 1 && !self.has_gap());
        if self.expires.is_some() && is_there {
            self.expires = None;
        }
        let is_missing =
            self.next_highest > self.next + 1 || (self.next_highest == self.next + 1 && self.has_gap());
        if self.expires.is_none() && is_missing {
            self.trigger = self.next_highest;
            self.expires = Some(now.saturating_add(self.t_reassembly));
        }
    }

    /// Whether bytes of the SDU RX_Next are missing before the last one that came.
    fn has_gap(&self) -> bool {
        self.sdus.front().is_some_and(|buffer| buffer.got.has_gap())
    }

    /// A poll is answered when the report would cover its number (§5.3.4).
    fn check_poll(&mut self) {
        if self.polled.is_some_and(|number| number < self.highest_status || number >= self.next + self.window)
        {
            self.polled = None;
            self.is_due = true;
        }
    }

    pub fn next_timer(&self) -> Option<Time> {
        let report = self.is_due.then_some(self.prohibited_until);
        [self.expires, report].into_iter().flatten().min()
    }

    /// t-Reassembly expires, if it is time (§5.2.3.2.4): a report names what is missing.
    pub fn expire(&mut self, now: Time) {
        if self.expires.is_none_or(|at| at > now) {
            return;
        }
        self.expires = None;
        self.highest_status = self.first_open(self.trigger.max(self.highest_status));
        let is_missing = self.next_highest > self.highest_status + 1
            || (self.next_highest == self.highest_status + 1 && self.has_gap_at(self.highest_status));
        if is_missing {
            self.trigger = self.next_highest;
            self.expires = Some(now.saturating_add(self.t_reassembly));
        }
        self.is_due = true;
        self.check_poll();
    }

    fn has_gap_at(&self, number: u32) -> bool {
        let at = number.checked_sub(self.next).map(|at| at as usize);
        at.and_then(|at| self.sdus.get(at)).is_some_and(|buffer| buffer.got.has_gap())
    }

    /// The report that is due, unless t-StatusProhibit runs (§5.3.4).
    pub fn report(&mut self, now: Time) -> Option<Status> {
        if !self.is_due || now < self.prohibited_until {
            return None;
        }
        self.is_due = false;
        self.prohibited_until = now.saturating_add(self.t_status_prohibit);
        let mut missing = Vec::new();
        for number in self.next..self.highest_status {
            match self.sdus.get((number - self.next) as usize) {
                Some(buffer) if buffer.is_done => {}
                // Of an SDU whose end did not come, the length is not known: all behind what came is missing.
                Some(buffer) => {
                    let of = if buffer.of == 0 { u32::MAX } else { buffer.of };
                    missing.extend(buffer.got.missing(of).map(|(from, to)| (number, from, to)));
                }
                None => missing.push((number, 0, u32::MAX)),
            }
        }
        Some(Status { ack: self.highest_status, missing })
    }

    /// The sender gave an SDU up.
    pub fn give_up(&mut self, number: u32) {
        if let Some(buffer) = self.buffer(number) {
            buffer.is_done = true;
            self.next_highest = self.next_highest.max(number + 1);
            self.advance();
        }
    }
}
