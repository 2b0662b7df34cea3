//! When to probe, and at which rate: at the start, while probes still find more, in application-limited regions, after drops.
//!
//! WebRTC's documented behaviour: clusters at 3 and 6 times the start rate; then twice the estimate, while it is above 0.7 of what
//! the last probe asked for; if wanted, every 5 s in an application-limited region at twice the estimate; after a drop below 0.66 of
//! the estimate, one cluster at 0.85 of the former estimate once the queue has drained. A cluster lasts at least 15 ms and has at
//! least five packets. There are no probes while delays grow or fall, round trips are too long or losses lower the estimate, and
//! while an estimate that losses limit grows, they ask for at most 1.5 times as much. Rates are in bit/s.

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cluster::Cluster;

/// Multiples of the start rate.
const FIRST: [f64; 2] = [3.0, 6.0];
/// Multiple of a result, and of the estimate in an application-limited region.
const FURTHER: f64 = 2.0;
/// Share of a probe's rate that its result must reach for the next one.
const SUCCESS: f64 = 0.7;
/// Time to wait for a result.
const WAIT: Duration = Duration::from_secs(1);
/// Interval in application-limited regions, and between probes after drops.
const INTERVAL: Duration = Duration::from_secs(5);
/// A drop is large below this share of the estimate; the probe is at the second share of what it was.
const LARGE_DROP: f64 = 0.66;
const RECOVERY: f64 = 0.85;
/// A probe after a drop is worth its bytes if its rate, less this share of it, is above the estimate.
const UNCERTAINTY: f64 = 0.05;
/// Multiple of an estimate that losses limit.
const LOSSY: f64 = 1.5;
/// A drop is worth a probe for this time, and an application-limited region for the second time after its end.
const DROP_AGE: Duration = Duration::from_secs(5);
const ALR_AGE: Duration = Duration::from_secs(3);
/// Least duration and packets of a cluster.
const LEAST_TIME: f64 = 0.015;
const LEAST_PACKETS: u32 = 5;

/// When a large drop of the estimate is followed by a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterDrop {
    /// Never.
    Never,
    /// In an application-limited region, or up to 3 s after one, as WebRTC.
    #[default]
    Limited,
    /// Always.
    Always,
}

/// What limits the estimate, as far as it concerns probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Nothing that a probe would make worse.
    Delay,
    /// Losses, which become fewer.
    Losses,
    /// Delays grow or fall, round trips are too long, or losses lower the estimate.
    Congestion,
}

/// What the controller knows when it decides.
#[derive(Debug, Clone, Copy)]
pub struct ProbeContext {
    /// Now.
    pub now: Time,
    /// The estimate.
    pub estimate: f64,
    /// Since when the application limits the sender, if it does.
    pub limited_since: Option<Time>,
    /// End of the last such region.
    pub limited_until: Option<Time>,
    /// Whether the queue has drained right now.
    pub has_recovered: bool,
    /// What limits the estimate.
    pub limit: Limit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Nothing was sent yet.
    New,
    /// The results of probes may lead to more, above this rate.
    Waiting {
        threshold: f64,
    },
    Done,
}

/// The controller of probes.
#[derive(Debug, Clone)]
pub struct ProbeControl {
    // Parameters.
    max: f64,
    periodic: bool,
    after_drop: AfterDrop,
    // State.
    state: State,
    count: u32,
    probed_at: Option<Time>,
    recovered_at: Option<Time>,
    estimate: f64,
    /// The estimate before the last large drop, and its time.
    dropped: Option<(f64, Time)>,
}

impl ProbeControl {
    /// Creates it with the highest rate that is worth a probe; with `periodic` probes, application-limited regions have some.
    pub fn new(max: f64, periodic: bool, after_drop: AfterDrop) -> ProbeControl {
        ProbeControl {
            max,
            periodic,
            after_drop,
            state: State::New,
            count: 0,
            probed_at: None,
            recovered_at: None,
            estimate: 0.0,
            dropped: None,
        }
    }

    /// The first probes, when media begins.
    pub fn start(&mut self, now: Time, start: f64, out: &mut Vec<Cluster>) {
        if self.state == State::New {
            self.estimate = start;
            FIRST.iter().for_each(|factor| self.probe(now, factor * start, self.max, true, out));
        }
    }

    /// Follows the estimate, and probes if it is time.
    pub fn update(&mut self, context: &ProbeContext, out: &mut Vec<Cluster>) {
        let ProbeContext { now, estimate, .. } = *context;
        if estimate < LARGE_DROP * self.estimate {
            self.dropped = Some((self.estimate, now));
        }
        self.estimate = estimate;
        let max = match context.limit {
            Limit::Delay => self.max,
            Limit::Losses => self.max.min(LOSSY * estimate),
            Limit::Congestion => 0.0,
        };
        if let State::Waiting { threshold } = self.state {
            if estimate > threshold {
                self.probe(now, FURTHER * estimate, max, true, out);
            } else if self.probed_at.is_some_and(|at| now.since(at) > WAIT) {
                self.state = State::Done;
            }
        }
        if self.state != State::Done {
            return;
        }
        if context.has_recovered && self.may_recover(context) {
            if let Some((before, _)) = self.dropped.take() {
                self.recovered_at = Some(now);
                self.probe(now, RECOVERY * before, max, false, out);
            }
            return;
        }
        if let Some(since) = context.limited_since.filter(|_| self.periodic) {
            let last = self.probed_at.map_or(since, |at| at.max(since));
            if now.since(last) >= INTERVAL {
                self.probe(now, FURTHER * estimate, max, true, out);
            }
        }
    }

    fn may_recover(&self, context: &ProbeContext) -> bool {
        let now = context.now;
        let is_limited = match self.after_drop {
            AfterDrop::Never => false,
            AfterDrop::Always => true,
            AfterDrop::Limited => {
                context.limited_since.is_some()
                    || context.limited_until.is_some_and(|at| now.since(at) < ALR_AGE)
            }
        };
        let is_recent = self.dropped.is_some_and(|(before, at)| {
            // The probe must tell more than the estimate does.
            now.since(at) < DROP_AGE && (1.0 - UNCERTAINTY) * RECOVERY * before > self.estimate
        });
        is_limited && is_recent && self.recovered_at.is_none_or(|at| now.since(at) >= INTERVAL)
    }

    fn probe(&mut self, now: Time, rate: f64, max: f64, leads_on: bool, out: &mut Vec<Cluster>) {
        if max <= 0.0 {
            return;
        }
        // At the maximum there is nothing more to find.
        let (rate, leads_on) = if rate >= max { (max, false) } else { (rate, leads_on) };
        if rate <= self.estimate && self.state != State::New {
            self.state = State::Done;
            return;
        }
        let bytes = (rate * LEAST_TIME / 8.0) as u64;
        out.push(Cluster { id: self.count, rate, packets: LEAST_PACKETS, bytes });
        self.count += 1;
        self.probed_at = Some(now);
        self.state = if leads_on { State::Waiting { threshold: SUCCESS * rate } } else { State::Done };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(out: &mut Vec<Cluster>) -> Vec<f64> {
        out.drain(..).map(|cluster| cluster.rate / 1e3).collect()
    }

    fn started() -> (ProbeControl, Vec<Cluster>) {
        let (mut control, mut out) = (ProbeControl::new(100e6, true, AfterDrop::Limited), Vec::new());
        control.start(Time::ZERO, 300e3, &mut out);
        (control, out)
    }

    fn at_ms(ms: u64, estimate: f64) -> ProbeContext {
        let now = Time::from_millis(ms);
        let limit = Limit::Delay;
        ProbeContext { now, estimate, limited_since: None, limited_until: None, has_recovered: false, limit }
    }

    fn at(seconds: u64, estimate: f64) -> ProbeContext {
        at_ms(1000 * seconds, estimate)
    }

    #[test]
    fn it_starts_with_three_and_six_times_the_start_rate() {
        let (_, mut out) = started();
        assert_eq!((out[1].packets, out[1].bytes), (5, 3375), "15 ms of 1.8 Mbit/s");
        assert_eq!(rates(&mut out), [900.0, 1800.0]);
    }

    #[test]
    fn it_doubles_while_the_estimate_is_above_0_7_of_the_probe() {
        let (mut control, mut out) = started();
        rates(&mut out);
        control.update(&at_ms(100, 0.9e6), &mut out);
        assert_eq!(rates(&mut out), [0.0; 0], "the larger one counts");
        control.update(&at_ms(110, 1.7e6), &mut out);
        assert_eq!(rates(&mut out), [3400.0]);
        control.update(&at_ms(200, 2.3e6), &mut out);
        assert_eq!(rates(&mut out), [0.0; 0], "below 0.7 · 3.4 Mbit/s");
    }

    #[test]
    fn a_late_result_leads_to_no_other_probe() {
        let (mut control, mut out) = started();
        rates(&mut out);
        control.update(&at(2, 300e3), &mut out);
        control.update(&at(2, 1.7e6), &mut out);
        assert_eq!(rates(&mut out), [0.0; 0]);
    }

    #[test]
    fn an_application_limited_region_is_probed_every_five_seconds_if_wanted() {
        for periodic in [true, false] {
            let (mut control, mut out) = started();
            control.periodic = periodic;
            rates(&mut out);
            let mut probed = Vec::new();
            for second in 2..20 {
                let limited_since = Some(Time::from_secs(3));
                control.update(&ProbeContext { limited_since, ..at(second, 1e6) }, &mut out);
                probed.extend(rates(&mut out).into_iter().map(|rate| (second, rate)));
            }
            let expected = [(8, 2000.0), (13, 2000.0), (18, 2000.0)];
            assert_eq!(probed, if periodic { &expected[..] } else { &[] });
        }
    }

    #[test]
    fn a_large_drop_is_probed_once_the_queue_has_drained() {
        for (after_drop, limited_until, found) in [
            (AfterDrop::Limited, Some(Time::from_secs(9)), vec![3400.0]),
            (AfterDrop::Limited, Some(Time::from_secs(5)), vec![]),
            (AfterDrop::Always, None, vec![3400.0]),
            (AfterDrop::Never, Some(Time::from_secs(9)), vec![]),
        ] {
            let (mut control, mut out) = started();
            control.after_drop = after_drop;
            rates(&mut out);
            control.update(&at(5, 4e6), &mut out);
            rates(&mut out);
            control.update(&at(7, 4e6), &mut out);
            control.update(&at(9, 2e6), &mut out);
            let context = ProbeContext { limited_until, has_recovered: true, ..at(10, 2e6) };
            control.update(&context, &mut out);
            assert_eq!(rates(&mut out), found, "{after_drop:?} {limited_until:?}");
        }
    }

    #[test]
    fn congestion_forbids_probes_and_losses_bound_them() {
        for (limit, found) in
            [(Limit::Delay, vec![3400.0]), (Limit::Losses, vec![2550.0]), (Limit::Congestion, vec![])]
        {
            let (mut control, mut out) = started();
            rates(&mut out);
            control.update(&ProbeContext { limit, ..at_ms(100, 1.7e6) }, &mut out);
            assert_eq!(rates(&mut out), found, "{limit:?}");
        }
    }

    #[test]
    fn no_probe_asks_for_more_than_the_maximum() {
        let (mut control, mut out) = (ProbeControl::new(1e6, true, AfterDrop::Limited), Vec::new());
        control.start(Time::ZERO, 300e3, &mut out);
        assert_eq!(rates(&mut out), [900.0, 1000.0]);
        control.update(&at_ms(100, 1e6), &mut out);
        assert_eq!(rates(&mut out), [0.0; 0]);
    }
}
