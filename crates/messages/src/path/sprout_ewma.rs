//! Sprout-EWMA in Salsify's variant: the time between arrivals determines the number of packets in flight.
//!
//! Fouladi et al., *Salsify*, NSDI 2018, §3.2 (after Sprout-EWMA of Winstein et al., NSDI 2013, §5.3): a moving average τ
//! of the time between arrivals, `τ ← α·(T_i − T_{i−1} − grace) + (1 − α)·τ`. The grace is the sender's pause between
//! the two packets, so that a link does not appear slow because nothing was sent. With d the target delay, d/τ packets
//! may be in flight, and an encoder may produce a frame of the remaining size.
//!
//! Salsify sends frames at once, and its grace is the time between sending the two packets. Here a full window may
//! also hold packets back: then each leaves when another has arrived, the pauses are as long as the times between
//! arrivals, and by that rule the link would appear infinitely fast. So `grace = "idle"` uses only the part of the
//! pause in which the link was idle: from the last arrival until the packet was due, which is its departure plus the
//! recent minimum of one-way delays.

use jettison_core::{Bytes, Duration, Gauge, Gauges, Rate, Time};
use jettison_registry::style::{Line::Dashed, ROSE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delay::{BaseDelay, nanos, one_way_delay};
use super::entry::{MessageController, PathContext};
use super::{PathAck, PathController};

/// The minimum delays are kept for one to two times this.
const BASE_WIDTH: Duration = Duration::from_secs(10);

/// What it reports of its state.
const GAUGES: &[Gauge] = &[INTERVAL];

const INTERVAL: Gauge = Gauge::new(
    "sprout_ewma_interval",
    "ms",
    "τ, the moving average of the time between arrivals; none before the second.",
);

/// Parameters of `sprout-ewma`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SproutEwmaParameters {
    /// Weight of a new time between arrivals (§3.2: 0.1, about the last ten).
    #[schemars(range(min = 0.001, max = 1.0))]
    pub alpha: f64,
    /// Target delay (§3.2: 100 ms), within which the packets in flight are to be delivered.
    pub delay: Duration,
    /// The part of the time between two arrivals that is not due to the link.
    pub grace: Grace,
    /// Maximum of the bandwidth estimate: without a queue, times between arrivals do not reflect the link.
    pub max_rate: Rate,
}

/// The part of the time between two arrivals that is not due to the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grace {
    /// The time from the first arrival until the second packet was due.
    Idle,
    /// The time between sending the two, as in the paper, for senders that no window holds back; negative results
    /// count as zero.
    #[default]
    SendGap,
}

impl Default for SproutEwmaParameters {
    fn default() -> SproutEwmaParameters {
        SproutEwmaParameters {
            alpha: 0.1,
            delay: Duration::from_millis(100),
            grace: Grace::default(),
            max_rate: Rate::from_mbit(1000),
        }
    }
}

impl SproutEwmaParameters {
    /// Checks the values; the error names the key and the valid range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless((0.001..=1.0).contains(&self.alpha), "alpha", || {
            format!("must be 0.001 to 1, got {}", self.alpha)
        })?;
        ParameterError::unless(!self.delay.is_zero(), "delay", || "must be > 0 s, got 0 s".into())?;
        ParameterError::unless(!self.max_rate.is_zero(), "max_rate", || {
            "must be > 0 bit/s, got 0 bit/s".into()
        })
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct SproutEwma {
    // Parameters.
    parameters: SproutEwmaParameters,
    packet: u64,
    initial_window: u64,
    // State.
    /// One-way delays, up to the offset of the clocks.
    delays: BaseDelay<2>,
    /// Departure and arrival of the last packet, by their own clocks, in nanoseconds.
    last: Option<(i64, i64)>,
    /// τ, in nanoseconds; `None` before the second arrival.
    interval: Option<f64>,
}

impl SproutEwma {
    /// A controller with its initial window.
    pub fn new(parameters: SproutEwmaParameters, context: &PathContext<'_>) -> SproutEwma {
        SproutEwma {
            parameters,
            packet: context.packet.max(1),
            initial_window: context.initial_window,
            delays: BaseDelay::new(BASE_WIDTH),
            last: None,
            interval: None,
        }
    }

    fn arrived(&mut self, now: Time, sent_at: Time, arrived_at: Time) {
        let base = self.delays.update(now, one_way_delay(sent_at, arrived_at));
        let (sent, arrived) = (nanos(sent_at), nanos(arrived_at));
        let Some((sent_before, arrived_before)) = self.last.replace((sent, arrived)) else { return };
        let grace = match self.parameters.grace {
            Grace::Idle => sent.saturating_add(base).saturating_sub(arrived_before).max(0),
            Grace::SendGap => sent.saturating_sub(sent_before),
        };
        let apart = arrived.saturating_sub(arrived_before).saturating_sub(grace).max(0) as f64;
        let alpha = self.parameters.alpha;
        self.interval =
            Some(self.interval.map_or(apart, |interval| alpha * apart + (1.0 - alpha) * interval));
    }

    /// τ in seconds, at least that of the maximum bandwidth.
    fn seconds(&self) -> Option<f64> {
        let least = self.packet as f64 * 8.0 / self.parameters.max_rate.as_bits() as f64;
        self.interval.map(|interval| (interval * 1e-9).max(least))
    }
}

impl PathController for SproutEwma {
    fn on_ack(&mut self, ack: &PathAck<'_>) {
        for arrived in ack.arrived {
            if let Some(at) = arrived.arrived_at {
                self.arrived(ack.sample.now, arrived.sent_at, at);
            }
        }
    }

    /// d/τ packets, at least one.
    fn window(&self) -> u64 {
        let Some(seconds) = self.seconds() else { return self.initial_window.max(self.packet) };
        let packets = (self.parameters.delay.as_secs_f64() / seconds).max(1.0);
        (packets * self.packet as f64) as u64
    }

    fn bandwidth(&self) -> Option<Rate> {
        self.seconds().map(|seconds| {
            let bits = self.packet as f64 * 8.0 / seconds;
            Rate::from_bits((bits as u64).max(1)).max(Rate::of(Bytes::new(1), Duration::from_secs(8)))
        })
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&INTERVAL, self.interval.map_or(f64::NAN, |nanos| nanos / 1e6));
    }

    fn budget(&self, _now: Time, in_flight: u64) -> Option<u64> {
        Some(self.window().saturating_sub(in_flight))
    }
}

/// Its entry in the list of the message transport's controllers.
pub(super) fn entry() -> Entry<MessageController> {
    Entry::<MessageController>::new("sprout-ewma", "Sprout-EWMA", build)
        .style(ROSE, Dashed)
        .summary("a window of 100 ms of packets, by a moving average of the time between arrivals")
        .source("Fouladi et al., Salsify, NSDI 2018, §3.2; Winstein et al., Sprout, NSDI 2013, §5.3")
        .page("appendix/path-controllers.md")
        .gauges(GAUGES)
}

fn build(
    parameters: SproutEwmaParameters,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(SproutEwma::new(parameters, context)))
}

#[cfg(test)]
mod tests {
    use jettison_wire::Ecn;
    use serde_json::json;

    use super::super::ArrivedPacket;
    use super::super::testing::{Link, PACKET, Source, Toy, build, context, run, sample};
    use super::*;

    /// A controller after packets with these departures and arrivals, in milliseconds.
    fn after(grace: Grace, packets: &[(u64, u64)]) -> SproutEwma {
        let parameters = SproutEwmaParameters { grace, ..SproutEwmaParameters::default() };
        let mut controller = SproutEwma::new(parameters, &context());
        for (sequence, (sent, arrived)) in packets.iter().enumerate() {
            let arrived = ArrivedPacket {
                sequence: sequence as u64,
                bytes: PACKET,
                sent_at: Time::from_millis(*sent),
                arrived_at: Some(Time::from_millis(*arrived)),
                ecn: Ecn::NotEct,
            };
            let totals = sample(Time::from_millis(1000), PACKET, 0);
            controller.on_ack(&PathAck { sample: &totals, arrived: &[arrived], lost: &[] });
        }
        controller
    }

    #[test]
    fn salsify_3_2_the_average_weighs_a_new_interval_by_a_tenth() {
        let controller = after(Grace::Idle, &[(0, 10), (0, 20), (0, 40)]);
        assert_eq!(controller.interval, Some(0.1 * 20e6 + 0.9 * 10e6));
    }

    #[test]
    fn salsify_3_2_the_window_is_the_packets_that_arrive_in_100_ms() {
        let controller = after(Grace::SendGap, &[(0, 10), (0, 20)]);
        assert_eq!(controller.window(), 10 * PACKET);
        assert_eq!(controller.budget(Time::ZERO, 4 * PACKET), Some(6 * PACKET));
        assert_eq!(controller.budget(Time::ZERO, 40 * PACKET), Some(0));
        assert_eq!(controller.bandwidth(), Some(Rate::from_bits(PACKET * 8 * 100)));
    }

    #[test]
    fn salsify_3_2_the_pause_between_frames_is_subtracted() {
        // Two frames of two packets, 100 ms apart; the first packet of the second one finds a queue of 5 ms.
        let packets = [(0, 20), (0, 30), (100, 125), (100, 135)];
        let weigh = |interval: f64, sample: f64| 0.1 * sample + 0.9 * interval;
        // It was due at 120 ms, and took 5 ms more.
        assert_eq!(after(Grace::Idle, &packets).interval, Some(weigh(weigh(10e6, 5e6), 10e6)));
        // 95 ms between arrivals minus 100 ms between departures is negative and counts as zero.
        assert_eq!(after(Grace::SendGap, &packets).interval, Some(weigh(weigh(10e6, 0.0), 10e6)));
    }

    #[test]
    fn a_full_window_is_not_a_pause() {
        // Two packets wait at the link; each later one is sent when one arrives.
        let packets: Vec<(u64, u64)> = (0..50u64).map(|n| (n.saturating_sub(2) * 10, 40 + n * 10)).collect();
        let interval = |grace| after(grace, &packets).seconds().expect("it has heard");
        assert!((interval(Grace::Idle) - 0.010).abs() < 1e-9);
        assert!(interval(Grace::SendGap) < 0.001);
    }

    #[test]
    fn an_outage_is_forgotten_soon() {
        // One second between two arrivals; then single packets without a queue.
        let mut packets: Vec<(u64, u64)> = vec![(0, 20), (0, 1020)];
        packets.extend((0..60).map(|n| (2000 + n * 100, 2020 + n * 100)));
        assert!(after(Grace::Idle, &packets).window() > 20 * PACKET);
    }

    #[test]
    fn fills_a_fixed_link_with_100_ms_in_flight() {
        let mut controller = build(&entry(), json!({ "grace": "idle" }));
        let run = run(&mut *controller, Toy::new(Link::fixed(10)), 20);
        assert!(run.mbit(2, 20) > 9.5, "{}", run.mbit(2, 20));
        // 100 ms are in flight, of which 40 ms are the path's.
        assert!(run.delay(2, 20, 95) < 75.0, "{}", run.delay(2, 20, 95));
    }

    #[test]
    fn backs_off_when_the_rate_falls_to_a_fifth() {
        let rates = vec![(Time::ZERO, Rate::from_mbit(10)), (Time::from_secs(10), Rate::from_mbit(2))];
        let mut controller = build(&entry(), json!({ "grace": "idle" }));
        let run = run(&mut *controller, Toy::new(Link::Rates(rates)), 20);
        assert!(run.delay(12, 20, 95) < 80.0, "{}", run.delay(12, 20, 95));
        assert!(run.mbit(12, 20) > 1.9, "{}", run.mbit(12, 20));
    }

    #[test]
    fn frames_with_pauses_still_show_the_links_rate() {
        // 10 packets every 33 ms: 3.6 Mbit/s on a link of 10 Mbit/s.
        let toy = Toy {
            source: Source::Fixed(Duration::from_millis(33), 10 * PACKET),
            ..Toy::new(Link::fixed(10))
        };
        let mut controller = build(&entry(), json!({}));
        run(&mut *controller, toy, 10);
        let told = controller.bandwidth().expect("it has heard").as_mbit_f64();
        // The first packet of a frame finds no queue: the estimate is a tenth or more too high.
        assert!((9.0..14.0).contains(&told), "{told}");
    }

    #[test]
    fn parameters_are_checked() {
        let refuse = |parameters| entry().build(&parameters, &context()).unwrap_err().to_string();
        assert!(refuse(json!({ "alpha": 0.0 })).starts_with("alpha: "));
        assert!(refuse(json!({ "delay": "0 s" })).starts_with("delay: "));
        assert!(refuse(json!({ "max_rate": "0 bit/s" })).starts_with("max_rate: "));
    }
}
