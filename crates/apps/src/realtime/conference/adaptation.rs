//! Rate control of a sender that backs off on loss: multiplicative decrease, additive increase.
//!
//! Not a standard algorithm: a generic "responsive flow" for experiments, with every constant a parameter.

use jettison_core::{Duration, Rate, Time};

use super::{Adapt, ConferenceParameters, ReceiverReport};

/// A sender's rate, and its response to the receiver's reports.
#[derive(Debug, Clone)]
pub(crate) struct RateControl {
    // Parameters.
    most: Rate,
    least: Rate,
    threshold: f64,
    decrease: f64,
    increase: Rate,
    hold: Duration,
    // State.
    rate: Rate,
    /// Time of the last congestion or increase.
    quiet_since: Time,
    /// From the last report: highest sequence number, and cumulative number of lost packets.
    highest: u32,
    lost: i32,
}

impl RateControl {
    /// Creates the control at the full rate; `None` for a sender that does not adapt.
    pub(crate) fn new(parameters: &ConferenceParameters) -> Option<RateControl> {
        (parameters.adapt == Adapt::OnLoss).then_some(RateControl {
            most: parameters.rate,
            least: parameters.min_rate,
            threshold: parameters.loss_threshold,
            decrease: parameters.decrease,
            increase: parameters.increase,
            hold: parameters.hold,
            rate: parameters.rate,
            quiet_since: Time::ZERO,
            highest: u32::MAX, // precedes sequence number 0
            lost: 0,
        })
    }

    /// Returns the sending rate.
    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// Starts the control.
    pub(crate) fn start(&mut self, now: Time) {
        self.quiet_since = now;
    }

    /// Handles a report. Loss is the difference to the last received report, as in RFC 3550 §6.4.4, so that a lost
    /// report is covered by the next one. (The fraction field in 256ths would hide a loss below one in 256.)
    pub(crate) fn handle_report(&mut self, report: &ReceiverReport, now: Time) {
        let expected = report.highest.wrapping_sub(self.highest) as i32;
        if expected <= 0 {
            return; // an older report, reordered
        }
        let lost = report.cumulative_lost - self.lost;
        (self.highest, self.lost) = (report.highest, report.cumulative_lost);
        let share = f64::from(lost.max(0)) / f64::from(expected);
        if share > self.threshold {
            self.rate = self.rate.mul_f64(self.decrease).max(self.least);
            self.quiet_since = now;
        } else if now.since(self.quiet_since) >= self.hold {
            self.rate = Rate::from_bits(self.rate.as_bits().saturating_add(self.increase.as_bits()));
            self.rate = self.rate.min(self.most);
            self.quiet_since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(change: impl FnOnce(&mut ConferenceParameters)) -> RateControl {
        let mut parameters = ConferenceParameters { adapt: Adapt::OnLoss, ..ConferenceParameters::default() };
        change(&mut parameters);
        RateControl::new(&parameters).expect("it adapts")
    }

    /// Returns the rate in kbit/s after a report that `lost` packets up to number `highest` are missing.
    fn after(control: &mut RateControl, second: u64, highest: u32, lost: i32) -> u64 {
        // The fraction is ignored.
        let report = ReceiverReport { fraction_lost: 0, cumulative_lost: lost, highest, jitter: 0 };
        control.handle_report(&report, Time::from_secs(second));
        control.rate().as_bits() / 1_000
    }

    #[test]
    fn any_new_loss_multiplies_the_rate_and_it_stays_there() {
        let mut control = control(|_| ());
        assert_eq!(after(&mut control, 1, 59, 0), 200);
        assert_eq!(after(&mut control, 2, 399, 1), 150, "one in 340 is loss too");
        assert_eq!(after(&mut control, 3, 459, 1), 150);
        assert_eq!(after(&mut control, 60, 2_000, 1), 150, "without `increase` it does not probe");
    }

    #[test]
    fn it_never_falls_below_the_least_rate() {
        let mut control = control(|p| p.decrease = 0.5);
        let rates: Vec<u64> = (1..=4).map(|n| after(&mut control, n.into(), 60 * n, n as i32)).collect();
        assert_eq!(rates, [100, 50, 50, 50]);
    }

    #[test]
    fn loss_up_to_the_threshold_is_not_congestion() {
        let mut control = control(|p| p.loss_threshold = 0.1);
        assert_eq!(after(&mut control, 1, 99, 10), 200, "10 of 100");
        assert_eq!(after(&mut control, 2, 199, 21), 150, "11 of 100");
    }

    #[test]
    fn a_lost_report_is_covered_by_the_next() {
        let mut control = control(|_| ());
        assert_eq!(after(&mut control, 1, 59, 0), 200);
        // The second report, with 5 lost packets, was itself lost; no loss followed.
        assert_eq!(after(&mut control, 3, 179, 5), 150);
    }

    #[test]
    fn a_reordered_report_is_ignored() {
        let mut control = control(|_| ());
        assert_eq!(after(&mut control, 2, 119, 3), 150);
        assert_eq!(after(&mut control, 2, 59, 1), 150);
        assert_eq!(after(&mut control, 3, 179, 3), 150);
    }

    #[test]
    fn each_hold_without_congestion_adds_the_increase_up_to_the_full_rate() {
        let mut control = control(|p| (p.increase, p.hold) = (Rate::from_kbit(30), Duration::from_secs(3)));
        assert_eq!(after(&mut control, 1, 59, 1), 150);
        let rates: Vec<u64> =
            (2..=10).map(|second| after(&mut control, second, 59 * second as u32, 1)).collect();
        assert_eq!(rates, [150, 150, 180, 180, 180, 200, 200, 200, 200]);
        // Congestion restarts the waiting time.
        assert_eq!(after(&mut control, 11, 700, 2), 150);
        assert_eq!(after(&mut control, 13, 800, 2), 150);
        assert_eq!(after(&mut control, 14, 900, 2), 180);
    }

    #[test]
    fn sequence_numbers_wrap() {
        let mut control = control(|_| ());
        control.highest = u32::MAX - 10;
        assert_eq!(after(&mut control, 1, 89, 1), 150);
        assert_eq!(control.highest, 89);
    }

    #[test]
    fn a_sender_that_does_not_adapt_has_no_control() {
        assert!(RateControl::new(&ConferenceParameters::default()).is_none());
    }
}
