//! The deadlines of the sending half.

use jettison_core::{Duration, Time};

use super::sender::Sender;

/// Maximum number of doublings of the probe timeout.
const MAX_DOUBLINGS: u32 = 30;

impl Sender {
    /// The earliest deadline.
    pub fn next_wakeup(&self) -> Option<Time> {
        // RFC 9002 §6.2.1: the probe timer is not armed while the loss timer runs.
        let loss_or_probe = if self.loss_at != Time::MAX { self.loss_at } else { self.probe_at };
        let own = loss_or_probe.min(self.pacing_at);
        let own = (own != Time::MAX).then_some(own);
        own.into_iter().chain(self.controller.next_wakeup()).min()
    }

    /// Processes the deadlines that have expired at `now`; a premature call does nothing.
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
        // Restart the timer, so that a probe that cannot leave does not expire again immediately.
        self.last_sent_at = now;
        self.arm_probe(now);
    }

    /// RFC 9002 §6.2.1: arms the probe timer from the last departure. If the RTT has just decreased, that time may be
    /// past: then it expires immediately.
    pub fn arm_probe(&mut self, now: Time) {
        self.probe_at = match self.flight.bytes() {
            0 => Time::MAX,
            _ => self.last_sent_at.saturating_add(self.probe_timeout()).max(now),
        };
    }

    /// The probe timeout, including back-off (RFC 9002 §6.2.1).
    pub fn probe_timeout(&self) -> Duration {
        // After an outage the smoothed RTT includes the outage: a faster path must not wait that long.
        let round_trips = match self.rtt.minimum() {
            Duration::MAX => Duration::ZERO,
            minimum => minimum.saturating_mul(3),
        };
        let longest = self.settings.max_pto.max(round_trips);
        let timeout = self.probe_base().saturating_mul(1 << self.timeouts).min(longest);
        timeout.max(self.settings.min_pto)
    }
}
