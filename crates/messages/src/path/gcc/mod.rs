//! GCC, Google's congestion control for real-time communication: a bitrate by delay gradient and losses.
//!
//! draft-ietf-rmcat-gcc-02; Carlucci et al., *Analysis and Design of the Google Congestion Control for WebRTC*, MMSys 2016.
//! Packets sent in one burst form a group. A filter estimates the change of the delay from group to group: the draft's
//! Kalman filter (`arrival.rs`), or WebRTC's regression line through the last groups (`trendline.rs`). An adaptive
//! threshold decides whether that is over-use (`overuse.rs`); the delay-based rate grows until over-use, then falls to
//! 0.85 of the incoming rate; the loss-based rate falls above 10 % of losses (`rate.rs`). The smaller rate is the
//! target bitrate. All of it runs at the sender, on the arrival times in ACKs, as in WebRTC today.
//!
//! There is no window: the encoder keeps the rate, and packets are paced at a multiple of it.

mod rate;

use jettison_core::{Bytes, Duration, Gauge, Gauges, Rate, Time};
use jettison_registry::style::{Line::Solid, OLIVE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gcc::arrival::{ArrivalFilter, Filter, Kalman, Rules};
use crate::gcc::overuse::{Following, OveruseDetector};
use crate::gcc::trendline::Trendline;
use rate::{DelayRate, Incoming, LossRate};

use super::entry::{MessageController, PathContext};
use super::{PathAck, PathController};

/// The window if none is configured: no limit, and far from overflow.
const NO_LIMIT: u64 = 1 << 40;
/// Factor on the rate at a probe timeout.
const TIMEOUT: f64 = 0.8;

/// What it reports of its state.
const GAUGES: &[Gauge] = &[DELAY_RATE, LOSS_RATE, INCOMING_RATE, GRADIENT, THRESHOLD, STATE];

const DELAY_RATE: Gauge = Gauge::new("gcc_delay_rate", "Mbit/s", "A_hat, the rate by delay.");
const LOSS_RATE: Gauge =
    Gauge::new("gcc_loss_rate", "Mbit/s", "As_hat, the rate by losses; none before the first report.");
const INCOMING_RATE: Gauge = Gauge::new(
    "gcc_incoming_rate",
    "Mbit/s",
    "R_hat, the rate at which packets arrive; none before a whole window.",
);
const GRADIENT: Gauge = Gauge::new(
    "gcc_gradient",
    "ms",
    "Delay gradient as it is compared with the threshold; none before the first group.",
);
const THRESHOLD: Gauge = Gauge::new("gcc_threshold", "ms", "Threshold of over-use, del_var_th.");
const STATE: Gauge =
    Gauge::new("gcc_state", "1", "Rate control by delay: -1 decreases, 0 holds, 1 increases.");

/// Parameters of `gcc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GccParameters {
    /// Initial target bitrate (WebRTC's).
    pub start_rate: Rate,
    /// Minimum target bitrate.
    pub min_rate: Rate,
    /// Maximum target bitrate.
    pub max_rate: Rate,
    /// Growth factor per second until the first over-use or loss. WebRTC finds its initial rate with probes, which the
    /// draft does not describe; 1.08 is the draft's growth alone.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub startup: f64,
    /// Packets sent within this time form one group (burst_time).
    pub burst_time: Duration,
    /// The filter that estimates the delay gradient.
    pub filter: GccFilter,
    /// Adaptation speed of the Kalman filter's noise estimate (chi: 0.001 to 0.1).
    #[schemars(range(min = 0.001, max = 0.1))]
    pub chi: f64,
    /// The delay gradient is multiplied by the number of groups so far, at most by this, before the comparison with the
    /// threshold (60 in WebRTC, also with its Kalman filter; not in the draft).
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub gradient_gain: f64,
    /// Factor on the incoming rate after an over-use (beta).
    #[schemars(range(min = 0.5, max = 0.99))]
    pub beta: f64,
    /// Measurement window of the incoming rate (T: 0.5 s to 1 s).
    pub rate_window: Duration,
    /// Interval between loss reports, as in RTCP receiver reports.
    pub report_interval: Duration,
    /// Ratio of the pacing rate to the target bitrate (as WebRTC's pacer; 1 in the draft, with which header overhead
    /// accumulates in the sender's queue if the bitrate is fully used).
    #[schemars(range(min = 1.0, max = 10.0))]
    pub pacing_factor: f64,
    /// Maximum bytes in flight; no limit without it.
    pub window: Option<Bytes>,
}

/// The filter that estimates the delay gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GccFilter {
    /// Slope of the delay over the last 20 groups, with a threshold that falls quickly: WebRTC since 2017.
    #[default]
    Trendline,
    /// The Kalman filter and the threshold of the draft and of the paper.
    Kalman,
}

impl Default for GccParameters {
    fn default() -> GccParameters {
        GccParameters {
            start_rate: Rate::from_kbit(300),
            min_rate: Rate::from_kbit(30),
            max_rate: Rate::from_mbit(100),
            startup: 2.0,
            burst_time: Duration::from_millis(5),
            filter: GccFilter::default(),
            chi: 0.01,
            gradient_gain: 60.0,
            beta: 0.85,
            rate_window: Duration::from_millis(500),
            report_interval: Duration::from_secs(1),
            pacing_factor: 2.5,
            window: None,
        }
    }
}

impl GccParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, value, low, high) in [
            ("startup", self.startup, 1.0, 10.0),
            ("chi", self.chi, 0.001, 0.1),
            ("gradient_gain", self.gradient_gain, 1.0, 1000.0),
            ("beta", self.beta, 0.5, 0.99),
            ("pacing_factor", self.pacing_factor, 1.0, 10.0),
        ] {
            let holds = (low..=high).contains(&value);
            ParameterError::unless(holds, key, || format!("must be {low} to {high}, got {value}"))?;
        }
        ParameterError::unless(!self.min_rate.is_zero(), "min_rate", || {
            "must be > 0 bit/s, got 0 bit/s".into()
        })?;
        ParameterError::unless(self.max_rate >= self.min_rate, "max_rate", || {
            format!("must be at least min_rate ({}), got {}", self.min_rate, self.max_rate)
        })?;
        for (key, value) in [("rate_window", self.rate_window), ("report_interval", self.report_interval)] {
            let holds = value >= Duration::from_millis(10);
            ParameterError::unless(holds, key, || format!("must be at least 10 ms, got {value}"))?;
        }
        ParameterError::unless(self.window != Some(Bytes::ZERO), "window", || {
            "must be > 0 bytes, got 0 bytes".into()
        })
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Gcc {
    // Parameters.
    packet: u64,
    window: u64,
    pacing_factor: f64,
    burst_time: Duration,
    min_rate: f64,
    // State.
    filter: ArrivalFilter,
    detector: OveruseDetector,
    incoming: Incoming,
    by_delay: DelayRate,
    by_loss: LossRate,
}

impl Gcc {
    /// A controller with its initial rate.
    pub fn new(parameters: &GccParameters, context: &PathContext<'_>) -> Gcc {
        let bits = |rate: Rate| rate.as_bits() as f64;
        let bounds = (bits(parameters.min_rate), bits(parameters.max_rate));
        let packet = context.packet.max(1);
        let (filter, following) = match parameters.filter {
            GccFilter::Trendline => (Filter::Trendline(Trendline::default()), Following::TRENDLINE),
            GccFilter::Kalman => (Filter::Kalman(Kalman::new(parameters.chi)), Following::DRAFT),
        };
        Gcc {
            packet,
            window: parameters.window.map_or(NO_LIMIT, |window| window.get().max(packet)),
            pacing_factor: parameters.pacing_factor,
            burst_time: parameters.burst_time,
            min_rate: bounds.0,
            filter: ArrivalFilter::new(parameters.burst_time, Rules::Draft, filter),
            detector: OveruseDetector::new(parameters.gradient_gain, following),
            incoming: Incoming::new(parameters.rate_window),
            by_delay: DelayRate::new(
                bits(parameters.start_rate),
                parameters.beta,
                parameters.startup,
                bounds,
            ),
            by_loss: LossRate::new(parameters.report_interval),
        }
    }

    /// §6: the smaller of both rates.
    fn target(&self) -> Rate {
        let by_delay = self.by_delay.rate();
        let rate = self.by_loss.rate().map_or(by_delay, |by_loss| by_loss.min(by_delay));
        Rate::from_bits(rate.max(self.min_rate) as u64)
    }
}

impl PathController for Gcc {
    fn on_ack(&mut self, ack: &PathAck<'_>) {
        let now = ack.sample.now;
        for arrived in ack.arrived {
            let Some(at) = arrived.arrived_at else { continue };
            self.incoming.arrived(at, arrived.bytes);
            let signal =
                self.filter.arrived(arrived.sent_at, at).and_then(|gradient| self.detector.detect(gradient));
            if let Some(signal) = signal {
                self.by_delay.signal(signal, self.incoming.rate(), now);
            }
        }
        let (arrived, lost) = (ack.arrived.len() as u64, ack.lost.len() as u64);
        if self.by_loss.count(now, arrived, lost, self.by_delay.rate()) {
            self.by_delay.end_start();
        }
        self.by_delay.tick(self.incoming.rate(), now, ack.sample.smoothed_rtt);
    }

    fn on_timeout(&mut self, _now: Time, _in_flight: u64) {
        self.by_delay.scale(TIMEOUT);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.target().mul_f64(self.pacing_factor))
    }

    /// §4: the bytes of one burst time at the target bitrate.
    fn pacing_quantum(&self) -> Option<u64> {
        Some(self.target().bytes_in(self.burst_time).get().max(self.packet))
    }

    fn bandwidth(&self) -> Option<Rate> {
        Some(self.target())
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let mbit = |rate: Option<f64>| rate.map_or(f64::NAN, |bits| bits / 1e6);
        out.set(&DELAY_RATE, mbit(Some(self.by_delay.rate())));
        out.set(&LOSS_RATE, mbit(self.by_loss.rate()));
        out.set(&INCOMING_RATE, mbit(self.incoming.rate()));
        out.set(&GRADIENT, self.detector.gradient().unwrap_or(f64::NAN));
        out.set(&THRESHOLD, self.detector.threshold());
        out.set(&STATE, self.by_delay.direction());
    }
}

/// Its entry in the list of the message transport's controllers.
pub(super) fn entry() -> Entry<MessageController> {
    Entry::<MessageController>::new("gcc", "GCC", build)
        .style(OLIVE, Solid)
        .summary("WebRTC's bitrate by delay gradient and losses")
        .source("draft-ietf-rmcat-gcc-02; Carlucci et al., MMSys 2016")
        .page("appendix/path-controllers.md")
        .gauges(GAUGES)
}

fn build(
    parameters: GccParameters,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Gcc::new(&parameters, context)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Link, PACKET, Source, Toy, build, context, run, sample};
    use super::super::{ArrivedPacket, LostPacket};
    use super::*;
    use jettison_wire::Ecn;

    fn media(link: Link) -> Toy {
        Toy { source: Source::Frames(Duration::from_micros(33_333)), ..Toy::new(link) }
    }

    #[test]
    fn gcc_4_bursts_leave_at_a_multiple_of_the_target() {
        let controller = build(&entry(), json!({ "start_rate": "4 Mbit/s" }));
        assert_eq!(controller.bandwidth(), Some(Rate::from_mbit(4)));
        assert_eq!(controller.pacing_rate(), Some(Rate::from_mbit(10)));
        assert_eq!(controller.pacing_quantum(), Some(2500));
        assert_eq!(controller.window(), NO_LIMIT);
        let limited = build(&entry(), json!({ "window": "60 kB" }));
        assert_eq!((limited.window(), limited.pacing_quantum()), (60_000, Some(PACKET)));
    }

    #[test]
    fn gcc_6_the_smaller_of_both_rates_is_the_target() {
        let mut controller = Gcc::new(&GccParameters::default(), &context());
        let lost: Vec<LostPacket> =
            (0..5).map(|sequence| LostPacket { sequence, bytes: PACKET, sent_at: Time::ZERO }).collect();
        let arrived = ArrivedPacket {
            sequence: 9,
            bytes: PACKET,
            sent_at: Time::ZERO,
            arrived_at: None,
            ecn: Ecn::NotEct,
        };
        let mut report = |second, lost: &[LostPacket]| {
            let totals = sample(Time::from_secs(second), PACKET, 0);
            controller.on_ack(&PathAck { sample: &totals, arrived: &[arrived; 5], lost });
            controller.target().as_bits() as f64
        };
        assert_eq!(report(0, &[]), 300e3);
        // Half of the packets are lost in the first report, before the rate grows: a quarter less.
        assert!((report(1, &lost) - 0.75 * 300e3).abs() < 60e3);
        assert!(controller.by_delay.rate() > controller.by_loss.rate().expect("losses limit"));
    }

    #[test]
    fn frames_at_its_bitrate_use_a_fixed_link_with_a_bounded_queue() {
        let mut controller = build(&entry(), json!({}));
        let run = run(&mut *controller, media(Link::fixed(10)), 60);
        assert!(run.mbit(20, 60) > 7.0, "{}", run.mbit(20, 60));
        assert!(run.delay(20, 60, 95) < 200.0, "{}", run.delay(20, 60, 95));
    }

    #[test]
    fn backs_off_when_the_rate_falls_to_a_fifth() {
        let rates = vec![(Time::ZERO, Rate::from_mbit(10)), (Time::from_secs(30), Rate::from_mbit(2))];
        let mut controller = build(&entry(), json!({}));
        let run = run(&mut *controller, media(Link::Rates(rates)), 70);
        assert!(run.mbit(45, 70) > 1.5, "{}", run.mbit(45, 70));
        assert!(run.delay(45, 70, 95) < 100.0, "{}", run.delay(45, 70, 95));
        let told = controller.bandwidth().expect("it always has a target").as_mbit_f64();
        assert!(told < 2.6, "{told}");
    }

    #[test]
    fn the_drafts_filter_backs_off_too() {
        let rates = vec![(Time::ZERO, Rate::from_mbit(10)), (Time::from_secs(30), Rate::from_mbit(2))];
        let mut controller = build(&entry(), json!({ "filter": "kalman", "pacing_factor": 1.0 }));
        let run = run(&mut *controller, media(Link::Rates(rates)), 80);
        assert!(run.mbit(60, 80) > 1.5, "{}", run.mbit(60, 80));
        // Its threshold follows slow growth, so the queue is longer.
        assert!(run.delay(60, 80, 95) < 600.0, "{}", run.delay(60, 80, 95));
    }

    #[test]
    fn a_shallow_buffer_is_detected_by_losses() {
        let mut controller = build(&entry(), json!({}));
        let toy = Toy { buffer: 8 * PACKET, ..media(Link::fixed(4)) };
        let run = run(&mut *controller, toy, 60);
        let share = run.dropped as f64 / (run.dropped + run.carried.len() as u64) as f64;
        assert!(share < 0.15, "{share}");
        assert!(run.mbit(20, 60) > 1.5, "{}", run.mbit(20, 60));
    }

    #[test]
    fn a_timeout_reduces_by_a_fifth() {
        let mut controller = build(&entry(), json!({}));
        controller.on_timeout(Time::from_secs(1), PACKET);
        assert_eq!(controller.bandwidth(), Some(Rate::from_kbit(240)));
    }

    #[test]
    fn parameters_are_checked() {
        let refuse = |parameters| entry().build(&parameters, &context()).unwrap_err().to_string();
        assert!(refuse(json!({ "chi": 0.5 })).starts_with("chi: "));
        assert!(refuse(json!({ "max_rate": "1 kbit/s" })).starts_with("max_rate: "));
        assert!(refuse(json!({ "rate_window": "1 ms" })).starts_with("rate_window: "));
        assert!(refuse(json!({ "window": "0 B" })).starts_with("window: "));
    }
}
