//! GCC's arrival-time filter: groups of packets, and the delay gradient between groups.
//!
//! draft-ietf-rmcat-gcc-02 §5.1 to §5.3. Times are in milliseconds, the unit of the draft's constants.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use super::trendline::Trendline;
use crate::path::delay::{nanos, span};

/// State noise (q) and the first error covariance (e(0)).
const STATE_NOISE: f64 = 1e-3;
const FIRST_ERROR: f64 = 0.1;
/// Number of groups for the minimum time between departures (the draft's K).
const GROUPS: usize = 60;
/// Maximum duration of a group that arrives in one burst: otherwise a draining queue would never end it.
const LONGEST_BURST: i64 = 100_000_000;

/// The delay gradient at the end of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gradient {
    /// In milliseconds: the draft's m(i), or its equivalent.
    pub(crate) millis: f64,
    /// Number of groups so far.
    pub(crate) groups: u64,
    /// Arrival of the group's last packet, or of the next one ([`Rules`]), in milliseconds of the receiver's clock.
    pub(crate) arrived_at: f64,
    /// Time from the departure of the group before, in milliseconds.
    pub(crate) departed: f64,
}

/// Whose rules hold where the draft and WebRTC (`goog_cc/inter_arrival_delta.cc`, `delay_based_bwe.cc`) differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// A group's time is that of its own last packet.
    Draft,
    /// A group's time is the arrival of the packet that ends it, the first of the next group, in whole milliseconds: after a
    /// hole of the link that is much later. A burst also takes packets that arrive just `burst_time` apart, and those that left
    /// with its last one.
    Webrtc,
}

/// Groups packets and filters their delays.
#[derive(Debug, Clone)]
pub(crate) struct ArrivalFilter {
    // Parameters.
    burst: i64,
    rules: Rules,
    // State.
    filter: Filter,
    current: Option<Group>,
    previous: Option<Group>,
    groups: u64,
}

/// The filter that estimates the gradient from noisy samples.
#[derive(Debug, Clone)]
pub(crate) enum Filter {
    Kalman(Kalman),
    Trendline(Trendline),
}

/// The draft's filter.
#[derive(Debug, Clone)]
pub(crate) struct Kalman {
    // Parameters.
    chi: f64,
    // State.
    /// Times between the departures of the last groups, in milliseconds.
    apart: VecDeque<f64>,
    /// m_hat, e and var_v_hat.
    gradient: f64,
    error: f64,
    noise: f64,
}

/// A group of packets, in nanoseconds of both clocks.
#[derive(Debug, Clone, Copy)]
struct Group {
    first_sent: i64,
    last_sent: i64,
    first_arrived: i64,
    last_arrived: i64,
}

impl ArrivalFilter {
    pub(crate) fn new(burst: Duration, rules: Rules, filter: Filter) -> ArrivalFilter {
        ArrivalFilter { burst: span(burst), rules, filter, current: None, previous: None, groups: 0 }
    }

    /// Records the arrival of a packet; if it begins a group, returns the gradient of the group before.
    pub(crate) fn arrived(&mut self, sent_at: Time, arrived_at: Time) -> Option<Gradient> {
        let (sent, arrived) = (nanos(sent_at), nanos(arrived_at));
        let next = Group { first_sent: sent, last_sent: sent, first_arrived: arrived, last_arrived: arrived };
        let Some(group) = &mut self.current else {
            self.current = Some(next);
            return None;
        };
        let newest = if self.rules == Rules::Draft { group.last_sent } else { group.first_sent };
        if sent < newest {
            return None; // §5.1: out of order
        }
        if group.takes(sent, arrived, self.burst, self.rules) {
            group.last_sent = group.last_sent.max(sent);
            group.last_arrived = group.last_arrived.max(arrived);
            return None;
        }
        let complete = *group;
        self.current = Some(next);
        let before = self.previous.replace(complete)?;
        // §5.1: d(i) = t(i) − t(i−1) − (T(i) − T(i−1)).
        let departure = complete.last_sent.saturating_sub(before.last_sent) as f64 * 1e-6;
        let arrival = complete.last_arrived.saturating_sub(before.last_arrived) as f64 * 1e-6;
        let arrived_at = match self.rules {
            Rules::Draft => complete.last_arrived as f64 * 1e-6,
            Rules::Webrtc => (arrived as f64 * 1e-6).round(),
        };
        self.groups += 1;
        let millis = match &mut self.filter {
            Filter::Kalman(kalman) => kalman.filter(arrival - departure, departure),
            Filter::Trendline(line) => line.filter(arrival - departure, arrived_at),
        };
        Some(Gradient { millis, groups: self.groups, arrived_at, departed: departure })
    }
}

impl Kalman {
    pub(crate) fn new(chi: f64) -> Kalman {
        Kalman { chi, apart: VecDeque::with_capacity(GROUPS), gradient: 0.0, error: FIRST_ERROR, noise: 1.0 }
    }

    /// §5.3, for a delay variation d(i) and the time between the departures.
    fn filter(&mut self, variation: f64, departure: f64) -> f64 {
        if self.apart.len() == GROUPS {
            self.apart.pop_front();
        }
        self.apart.push_back(departure.max(0.0));
        let residual = variation - self.gradient;
        // alpha = (1 − chi)^(30 / (1000·f_max)), f_max in groups per millisecond.
        let shortest = self.apart.iter().copied().fold(f64::INFINITY, f64::min);
        let alpha = libm::pow(1.0 - self.chi, 30.0 * shortest / 1000.0);
        let outlier = 3.0 * self.noise.sqrt();
        let seen = residual.clamp(-outlier, outlier);
        self.noise = (alpha * self.noise + (1.0 - alpha) * seen * seen).max(1.0);
        let uncertain = self.error + STATE_NOISE;
        let gain = uncertain / (self.noise + uncertain);
        self.gradient += residual * gain;
        self.error = (1.0 - gain) * uncertain;
        self.gradient
    }
}

impl Group {
    /// §5.2: whether a packet left, or arrived, in the same burst as the group.
    fn takes(&self, sent: i64, arrived: i64, burst: i64, rules: Rules) -> bool {
        if sent.saturating_sub(self.first_sent) <= burst {
            return true;
        }
        let apart = arrived.saturating_sub(self.last_arrived);
        let variation = apart.saturating_sub(sent.saturating_sub(self.last_sent));
        let (is_near, left_with) = match rules {
            Rules::Draft => (apart < burst, false),
            Rules::Webrtc => (apart <= burst, sent == self.last_sent),
        };
        left_with || (is_near && variation < 0 && arrived.saturating_sub(self.first_arrived) < LONGEST_BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> ArrivalFilter {
        with_rules(Rules::Draft)
    }

    fn with_rules(rules: Rules) -> ArrivalFilter {
        ArrivalFilter::new(Duration::from_millis(5), rules, Filter::Kalman(Kalman::new(0.01)))
    }

    fn gradients(filter: &mut ArrivalFilter, packets: impl IntoIterator<Item = (u64, u64)>) -> Vec<Gradient> {
        packets
            .into_iter()
            .filter_map(|(sent, arrived)| filter.arrived(Time::from_micros(sent), Time::from_micros(arrived)))
            .collect()
    }

    #[test]
    fn gcc_5_2_packets_that_leave_within_a_burst_time_are_a_group() {
        // Two bursts of three packets, and the starts of a third and a fourth.
        let packets = [(0, 20_000), (1_000, 21_200), (5_000, 22_400), (10_000, 30_000), (12_000, 31_200)];
        let mut filter = filter();
        assert_eq!(gradients(&mut filter, packets), []);
        assert_eq!(gradients(&mut filter, [(20_000, 40_000)]).len(), 1);
        assert_eq!(gradients(&mut filter, [(30_000, 50_000)]).len(), 1);
    }

    #[test]
    fn gcc_5_2_a_burst_after_an_outage_is_one_group() {
        let mut filter = filter();
        // Sent 10 ms apart, all delivered within a millisecond.
        let packets = (0..8).map(|n| (n * 10_000, 200_000 + n * 100));
        assert_eq!(gradients(&mut filter, packets), []);
    }

    #[test]
    fn gcc_5_1_packets_out_of_order_are_ignored() {
        let mut filter = filter();
        gradients(&mut filter, [(0, 20_000), (10_000, 30_000)]);
        let before = filter.clone();
        gradients(&mut filter, [(8_000, 30_100)]);
        assert_eq!(format!("{before:?}"), format!("{filter:?}"));
    }

    #[test]
    fn webrtc_dates_a_group_by_the_arrival_of_the_packet_that_ends_it() {
        // Groups of one packet; the third arrives after a hole of the link.
        let packets = [(0, 20_000), (10_000, 30_000), (20_000, 329_700), (30_000, 340_000)];
        let times = |rules| {
            let gradients = gradients(&mut with_rules(rules), packets);
            gradients.iter().map(|gradient| gradient.arrived_at).collect::<Vec<_>>()
        };
        assert_eq!(times(Rules::Draft), [30.0, 329.7]);
        assert_eq!(times(Rules::Webrtc), [330.0, 340.0]);
    }

    #[test]
    fn webrtc_takes_packets_just_5_ms_apart_and_those_that_left_together_for_one_burst() {
        let count =
            |rules, packets: &[(u64, u64)]| gradients(&mut with_rules(rules), packets.iter().copied()).len();
        // Sent 10 ms apart, delivered 5 ms apart by a link that was held up.
        let held: Vec<(u64, u64)> = (0..5).map(|n| (10_000 * n, 100_000 + 5_000 * n)).collect();
        assert_eq!([count(Rules::Draft, &held), count(Rules::Webrtc, &held)], [3, 0]);
        // The third packet extends the burst of the first two; the fourth left with it, and is late.
        let together = [
            (0, 50_000),
            (10_000, 51_000),
            (20_000, 52_000),
            (20_000, 80_000),
            (40_000, 90_000),
            (60_000, 110_000),
        ];
        assert_eq!([count(Rules::Draft, &together), count(Rules::Webrtc, &together)], [2, 1]);
    }

    #[test]
    fn gcc_5_3_a_steady_path_has_no_gradient_and_a_growing_queue_has_its_own() {
        let mut filter = filter();
        let steady = gradients(&mut filter, (0..200).map(|n| (n * 10_000, 20_000 + n * 10_000)));
        assert!(steady.iter().all(|gradient| gradient.millis.abs() < 1e-9));
        // From now on each group takes half a millisecond longer than the previous one.
        let growing =
            gradients(&mut filter, (200..600).map(|n| (n * 10_000, 20_000 + n * 10_000 + (n - 200) * 500)));
        let last = growing.last().expect("there are groups").millis;
        assert!((0.4..0.55).contains(&last), "{last}");
    }

    #[test]
    fn gcc_5_3_the_first_steps_are_the_drafts() {
        let mut filter = filter();
        // The first variation is 2 ms over 10 ms.
        let seen = gradients(&mut filter, [(0, 20_000), (10_000, 32_000), (20_000, 42_000)]);
        let alpha = libm::pow(0.99, 0.3);
        let noise = (alpha + (1.0 - alpha) * 4.0f64).max(1.0);
        let gain = 0.101 / (noise + 0.101);
        assert!((seen[0].millis - 2.0 * gain).abs() < 1e-12, "{}", seen[0].millis);
        assert_eq!(seen[0].arrived_at, 32.0);
    }
}
