//! The deadlines of the sending half.

use jettison_core::{Duration, Time};

use super::sender::Sender;

/// Doublings of the probe timeout that count.
const MAX_DOUBLINGS: u32 = 30;

impl Sender {
    /// The earliest deadline.
    pub fn next_wakeup(&self) -> Option<Time> {
        // RFC 9002 §6.2.1: no probe timeout while the loss timer runs.
        let loss_or_probe = if self.loss_at != Time::MAX { self.loss_at } else { self.probe_at };
        let own = loss_or_probe.min(self.pacing_at);
        let own = (own != Time::MAX).then_some(own);
        own.into_iter().chain(self.controller.next_wakeup()).min()
    }

    /// Does what is due at `now`; too early a call does nothing.
    pub fn handle_wakeup(&mut self, now: Time) {
        if self.pacing_at <= now {
            self.pacing_at = Time::MAX;
        }
        if self.controller.next_wakeup().is_some_and(|at| at <= now) {
            self.controller.handle_wakeup(now, self.flight.bytes());
        }
        if self.loss_at <= now {
            self.handle_loss_timer(now);
        } else if self.loss_at == Time::MAX && self.probe_at <= now {
            self.on_probe_timeout(now);
        }
    }

    /// RFC 9002 §6.2.4.
    fn on_probe_timeout(&mut self, now: Time) {
        self.counters.timeouts += 1;
        self.timeouts = (self.timeouts + 1).min(MAX_DOUBLINGS);
        self.probes = self.settings.probe_packets;
        self.controller.on_timeout(now, self.flight.bytes());
        // From now on: if no probe can leave, this is not asked for at once again.
        self.last_sent_at = now;
        self.arm_probe(now);
    }

    /// RFC 9002 §6.2.1: from the last packet that left on. With an RTT that has just become less, that may be over already: at
    /// once, then.
    pub fn arm_probe(&mut self, now: Time) {
        self.probe_at = match self.flight.bytes() {
            0 => Time::MAX,
            _ => self.last_sent_at.saturating_add(self.probe_timeout()).max(now),
        };
    }

    /// The probe timeout, doubled as often as it has expired in a row (RFC 9002 §6.2.1).
    pub fn probe_timeout(&self) -> Duration {
        // After an outage the smoothed RTT is that of what waited through it: a path that can do better is not given so long.
        let round_trips = match self.rtt.minimum() {
            Duration::MAX => Duration::ZERO,
            minimum => minimum.saturating_mul(3),
        };
        let longest = self.settings.max_pto.max(round_trips);
        self.probe_base().saturating_mul(1 << self.timeouts).min(longest)
    }
}
