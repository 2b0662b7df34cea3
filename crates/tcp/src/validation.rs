//! Congestion window validation: the window of a sender that was idle, or that did not fill it.
//!
//! An unused window says little about the path. Three rules reduce it ([`RestartRule`]); controllers with a rule of
//! their own (newCWV, BBR) ignore them.

use jettison_core::{Duration, Time};

use super::parameters::RestartRule;
use super::sender::Sender;
use crate::congestion::{ApplicationLimited, IdleRestart, Phase};

/// Linux's window after an idle time: a halving for each RTO that was followed by more idleness, not below the initial window.
fn linux_window(window: u64, initial: u64, idle: Duration, rto: Duration) -> u64 {
    let halvings = (idle.as_nanos().max(1) - 1) / rto.as_nanos().max(1);
    (window >> halvings.min(63)).max(initial.min(window))
}

impl Sender {
    /// Reduces the window before the first data after an idle time of an RTO.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let idle = now.since(self.last_sent_at);
        let rto = self.rtt.rto();
        let rule = self.settings.idle_restart;
        // RFC 5681 §4.1: more than the RTO. RFC 2861 §3.2: the RTO.
        let is_idle = idle > rto || (idle == rto && rule == RestartRule::Rfc2861);
        if self.board.next() == 0 || !is_idle {
            return;
        }
        let window = self.controller.window();
        let initial = self.settings.initial_window;
        let (restart_window, least_ssthresh) = match rule {
            _ if !self.settings.slow_start_after_idle => (None, 0),
            RestartRule::Rfc5681 => (Some(initial), 0),
            RestartRule::Linux => (Some(linux_window(window, initial, idle, rto)), window / 4 * 3),
            // RFC 2861 §3.2: from at most the receiver's window on, and not below a segment.
            RestartRule::Rfc2861 => {
                let rtos = idle.as_nanos() / rto.as_nanos().max(1);
                let window_now = window.min(self.peer_window_max) >> rtos.min(63);
                (Some(window_now.max(self.mss)), window / 4 * 3)
            }
        };
        let restart = IdleRestart { now, idle, rto, restart_window, least_ssthresh };
        self.controller.on_idle_restart(&restart);
        self.refresh_window();
        self.last_sent_at = now;
        self.window_filled_at = now;
        self.window_used = 0;
    }

    /// RFC 2861 §3.1, after the last segment that may leave now: an RTO in which the application did not fill the window
    /// reduces it to halfway between itself and what was used.
    pub(super) fn validate_use(&mut self, now: Time) {
        if self.last_sent_at != now {
            return;
        }
        if self.flight() + self.mss > self.window || self.board.una() < self.limited_until {
            self.window_filled_at = now;
            self.window_used = 0;
            return;
        }
        if self.unsent() > 0 || self.phase != Phase::Open {
            return;
        }
        self.window_used = self.window_used.max(self.board.flight_size());
        if now.since(self.window_filled_at) >= self.rtt.rto() {
            let window = self.controller.window();
            let usable = window.min(self.peer_window_max);
            self.controller.on_application_limited(&ApplicationLimited {
                now,
                window: (usable + self.window_used) / 2,
                least_ssthresh: window / 4 * 3,
            });
            self.refresh_window();
            self.window_filled_at = now;
            self.window_used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.1 and 7.2 over 10 Mbit/s and 100 ms (`tcp_slow_start_after_idle` 1): the window in segments before and after a
    /// rest. The rest counts from the departure of the last segment, an RTT of 173 to 340 ms before its ACK.
    #[test]
    fn windows_after_a_rest_are_those_of_a_kernel() {
        for (rest, rto, before, after) in [
            (280, 572, 284, 284),
            (380, 380, 148, 148),
            (490, 380, 151, 75),
            (780, 384, 151, 37),
            (1_080, 380, 151, 37),
            (1_380, 380, 150, 18),
            (1_980, 380, 151, 10),
            (3_180, 380, 151, 10),
            (645, 536, 284, 142),
            (774, 376, 145, 36),
            (1_030, 516, 263, 131),
            (2_120, 524, 271, 16),
        ] {
            let (idle, rto) = (Duration::from_millis(rest), Duration::from_millis(rto));
            assert_eq!(linux_window(before, 10, idle, rto), after, "{rest} ms with an RTO of {rto}");
        }
    }
}
