//! CoDel's part of COBALT: signals that come faster the longer a queue stands, and slow down again once it does not.

use jettison_core::{Duration, Time};

use super::Aqm;

/// A row of signals, each `interval / √count` after the one before it.
///
/// While the sojourn time is too long, each signal raises the count. While it is not, the same schedule runs backwards: a signal
/// that would be due lowers the count instead, so that a queue that returns soon meets about the rate that controlled it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ramp {
    /// Signals, less those that were due below target.
    count: u32,
    /// Time of the next step, up or down; `None` before the first queue above target.
    next: Option<Time>,
    /// Whether the sojourn time of the last packet was too long: CoDel's dropping state.
    is_rising: bool,
}

impl Ramp {
    /// Whether a packet that departs now, with a sojourn time too long or not, is signalled.
    #[inline]
    pub fn departure(&mut self, aqm: &Aqm, is_too_long: bool, now: Time) -> bool {
        match (is_too_long, self.is_rising) {
            (false, _) => {
                self.rest(aqm, now);
                return false;
            }
            (true, false) => self.turn(aqm, now),
            (true, true) => {}
        }
        let due = self.next.unwrap_or(now);
        if due > now {
            return false;
        }
        self.count = self.count.saturating_add(1);
        self.next = Some(due.saturating_add(aqm.step(self.count)));
        true
    }

    /// Goes from falling to rising.
    #[cold]
    fn turn(&mut self, aqm: &Aqm, now: Time) {
        self.fall(aqm, now);
        // Linux signals a queue that has never been above its target at once, and waits for a step otherwise (measured).
        let wait = self.next.map_or(Duration::ZERO, |_| aqm.step(self.count));
        (self.is_rising, self.count, self.next) = (true, self.count.max(1), Some(now.saturating_add(wait)));
    }

    /// Signals from the next packet on.
    pub fn start(&mut self, now: Time) {
        *self = Ramp { count: self.count.max(1), next: Some(now), is_rising: true };
    }

    /// Stops rising and steps down by the time that has passed.
    #[inline]
    pub fn rest(&mut self, aqm: &Aqm, now: Time) {
        self.is_rising = false;
        self.fall(aqm, now);
    }

    /// Stops rising if the queue was empty in between; the schedule stays as it is.
    #[inline]
    pub fn interrupted(&mut self) {
        self.is_rising = false;
    }

    /// Steps down by the time that has passed.
    #[inline]
    pub fn fall(&mut self, aqm: &Aqm, now: Time) {
        while let Some(next) = self.next.filter(|next| self.count > 0 && *next <= now) {
            self.count -= 1;
            self.next = Some(next.saturating_add(aqm.step(self.count)));
        }
    }

    /// The count of signals.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether the last packet's sojourn time was too long.
    pub fn is_rising(&self) -> bool {
        self.is_rising
    }
}
