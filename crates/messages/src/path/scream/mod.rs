//! SCReAM: a self-clocked window that keeps the queue delay at a target, and a bitrate for the encoder.
//!
//! RFC 8298, *Self-Clocked Rate Adaptation for Multimedia*. The network congestion control (§4.1.2) is a window after
//! LEDBAT (RFC 6817): faster while the delay shows no trend (fast increase), then towards the target delay, and
//! reduced by losses and ECN marks. The media rate control (§4.1.3, `media.rs`) gives the target bitrate. Names in
//! comments are the RFC's.
//!
//! The RFC's receiver reports every 20 ms at high rates (§4.2.1). Here every packet has an ACK; the control acts on the
//! accumulated feedback after each such interval, and immediately on losses.

mod delay;
mod media;

use jettison_core::{Bytes, Duration, Gauge, Gauges, Rate, Time};
use jettison_registry::style::{Line::Solid, SKY};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Ecn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use delay::QueueDelay;
use media::{MediaParameters, MediaRate};

use super::entry::{MessageController, PathContext};
use super::{PathAck, PathController, PathSent};

/// Trend that ends fast increase, and below which it may resume (QDELAY_TREND_TH, QDELAY_TREND_LO).
const TREND_THRESHOLD: f64 = 0.2;
/// Time for which the trend must be low before it resumes (T_RESUME_FAST_INCREASE).
const RESUME_AFTER: Duration = Duration::from_secs(5);
/// Length in seconds of the window of the maximum flight (§4.1.2.2).
const FLIGHT_SECONDS: usize = 5;
/// Weight of the last RTT in the share of RTTs with losses (loss_event_rate).
const LOSS_WEIGHT: f64 = 0.01;

/// What it reports of its state.
const GAUGES: &[Gauge] = &[QUEUE_DELAY, TARGET_DELAY, TREND, FAST_INCREASE, WINDOW];

const QUEUE_DELAY: Gauge =
    Gauge::new("scream_queue_delay", "ms", "qdelay, the estimate of the queue's delay.");
const TARGET_DELAY: Gauge =
    Gauge::new("scream_target_delay", "ms", "qdelay_target, the delay that is aimed at.");
const TREND: Gauge = Gauge::new("scream_trend", "1", "qdelay_trend, from 0 to 1: whether the delay grows.");
const FAST_INCREASE: Gauge = Gauge::new("scream_fast_increase", "1", "1 in fast increase, 0 outside.");
const WINDOW: Gauge = Gauge::new("scream_window", "bytes", "cwnd of the network congestion control.");

/// Parameters of `scream`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScreamParameters {
    /// Target of the queue delay (QDELAY_TARGET_LO).
    pub target_delay: Duration,
    /// Maximum of the target if competing flows fill the queue (QDELAY_TARGET_HI).
    pub max_target_delay: Duration,
    /// Whether the target is raised for competing flows (RFC 8298 §4.1.2.3).
    pub competing_flows: bool,
    /// Minimum window (MIN_CWND), which is also the initial one.
    pub min_window: Bytes,
    /// Maximum ratio of the window to the recent maximum of bytes in flight (MAX_BYTES_IN_FLIGHT_HEAD_ROOM).
    #[schemars(range(min = 1.0, max = 10.0))]
    pub head_room: f64,
    /// Speed at which the window approaches the target (GAIN).
    #[schemars(range(min = 0.01, max = 10.0))]
    pub gain: f64,
    /// Factor on the window after a loss (BETA_LOSS).
    #[schemars(range(min = 0.1, max = 1.0))]
    pub beta_loss: f64,
    /// Factor on the window, and on the target bitrate, after an ECN mark (BETA_ECN).
    #[schemars(range(min = 0.1, max = 1.0))]
    pub beta_ecn: f64,
    /// Factor on the target bitrate after a loss (BETA_R).
    #[schemars(range(min = 0.1, max = 1.0))]
    pub beta_rate: f64,
    /// Whether packets are ECN-capable, as ECT(0).
    pub ecn: bool,
    /// Minimum time between reactions to feedback without losses (RFC 8298 §4.2.1).
    pub feedback_interval: Duration,
    /// Initial target bitrate.
    pub start_rate: Rate,
    /// Minimum target bitrate (TARGET_BITRATE_MIN).
    pub min_rate: Rate,
    /// Maximum target bitrate (TARGET_BITRATE_MAX).
    pub max_rate: Rate,
    /// Maximum increase of the target bitrate per second (RAMP_UP_SPEED).
    pub ramp_up: Rate,
    /// Weight of a growing queue delay in limiting the target bitrate, 0 to 1 (PRE_CONGESTION_GUARD).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub pre_congestion_guard: f64,
    /// Weight of the sender's queue in limiting the target bitrate, 0 to 2 (TX_QUEUE_SIZE_FACTOR).
    #[schemars(range(min = 0.0, max = 2.0))]
    pub queue_factor: f64,
    /// Minimum pacing rate (RATE_PACE_MIN).
    pub min_pacing: Rate,
}

impl Default for ScreamParameters {
    fn default() -> ScreamParameters {
        ScreamParameters {
            target_delay: Duration::from_millis(100),
            max_target_delay: Duration::from_millis(400),
            competing_flows: true,
            min_window: Bytes::new(3000),
            head_room: 1.1,
            gain: 1.0,
            beta_loss: 0.8,
            beta_ecn: 0.9,
            beta_rate: 0.9,
            ecn: false,
            feedback_interval: Duration::from_millis(20),
            start_rate: Rate::from_kbit(300),
            min_rate: Rate::from_kbit(64),
            max_rate: Rate::from_mbit(100),
            ramp_up: Rate::from_kbit(200),
            pre_congestion_guard: 0.1,
            queue_factor: 1.0,
            min_pacing: Rate::from_kbit(50),
        }
    }
}

impl ScreamParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, value, low, high) in [
            ("head_room", self.head_room, 1.0, 10.0),
            ("gain", self.gain, 0.01, 10.0),
            ("beta_loss", self.beta_loss, 0.1, 1.0),
            ("beta_ecn", self.beta_ecn, 0.1, 1.0),
            ("beta_rate", self.beta_rate, 0.1, 1.0),
            ("pre_congestion_guard", self.pre_congestion_guard, 0.0, 1.0),
            ("queue_factor", self.queue_factor, 0.0, 2.0),
        ] {
            let holds = (low..=high).contains(&value);
            ParameterError::unless(holds, key, || format!("must be {low} to {high}, got {value}"))?;
        }
        ParameterError::unless(self.target_delay >= Duration::from_millis(1), "target_delay", || {
            format!("must be at least 1 ms, got {}", self.target_delay)
        })?;
        ParameterError::unless(self.max_target_delay >= self.target_delay, "max_target_delay", || {
            format!("must be at least target_delay ({}), got {}", self.target_delay, self.max_target_delay)
        })?;
        ParameterError::unless(!self.min_rate.is_zero(), "min_rate", || {
            "must be > 0 bit/s, got 0 bit/s".into()
        })?;
        ParameterError::unless(self.max_rate >= self.min_rate, "max_rate", || {
            format!("must be at least min_rate ({}), got {}", self.min_rate, self.max_rate)
        })?;
        ParameterError::unless(!self.min_pacing.is_zero(), "min_pacing", || {
            "must be > 0 bit/s, got 0 bit/s".into()
        })
    }

    fn media(&self) -> MediaParameters {
        MediaParameters {
            start: self.start_rate.as_bits() as f64,
            min: self.min_rate.as_bits() as f64,
            max: self.max_rate.as_bits() as f64,
            ramp_up: self.ramp_up.as_bits() as f64,
            beta_loss: self.beta_rate,
            beta_ecn: self.beta_ecn,
            pre_congestion_guard: self.pre_congestion_guard,
            queue_factor: self.queue_factor,
        }
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Scream {
    // Parameters.
    parameters: ScreamParameters,
    /// MSS.
    packet: f64,
    /// MIN_CWND, at least two packets.
    least: f64,
    // State.
    delay: QueueDelay,
    media: MediaRate,
    /// cwnd, in bytes.
    window: f64,
    in_fast_increase: bool,
    /// The last time at which the trend was too high for fast increase.
    trend_high_at: Time,
    /// bytes_newly_acked, bytes_in_flight.
    newly_acked: u64,
    in_flight: u64,
    /// Maximum bytes in flight in each of the last seconds, the current one first.
    flights: [u64; FLIGHT_SECONDS],
    second: u64,
    /// Times of the last reactions to feedback and to congestion.
    acted_at: Option<Time>,
    congested_at: Option<Time>,
    has_loss: bool,
    has_mark: bool,
    /// loss_event_rate; whether the current RTT had a loss, and its end.
    loss_event_rate: f64,
    is_lossy_round: bool,
    round_ends_at: Time,
    smoothed_rtt: Duration,
}

impl Scream {
    /// A controller with the minimum window, in fast increase.
    pub fn new(parameters: ScreamParameters, context: &PathContext<'_>) -> Scream {
        let packet = context.packet.max(1) as f64;
        let least = (parameters.min_window.get() as f64).max(2.0 * packet);
        Scream {
            packet,
            least,
            delay: QueueDelay::new(
                parameters.target_delay,
                parameters.max_target_delay,
                parameters.competing_flows,
            ),
            media: MediaRate::new(parameters.media()),
            parameters,
            window: least,
            in_fast_increase: true,
            trend_high_at: Time::ZERO,
            newly_acked: 0,
            in_flight: 0,
            flights: [0; FLIGHT_SECONDS],
            second: 0,
            acted_at: None,
            congested_at: None,
            has_loss: false,
            has_mark: false,
            loss_event_rate: 0.0,
            is_lossy_round: false,
            round_ends_at: Time::ZERO,
            smoothed_rtt: context.initial_rtt,
        }
    }

    /// RFC 8298 §4.1.2.1: at most once per RTT.
    fn react(&mut self, now: Time) {
        self.in_fast_increase = false;
        self.congested_at = Some(now);
        let beta = if self.has_loss { self.parameters.beta_loss } else { self.parameters.beta_ecn };
        self.window = (self.window * beta).max(self.least);
        self.media.on_congestion(!self.has_loss);
    }

    /// RFC 8298 §4.1.2.2, update_cwnd.
    fn update_window(&mut self, in_flight: u64) {
        let (newly, in_flight) = (self.newly_acked as f64, in_flight as f64);
        if self.in_fast_increase {
            if self.delay.trend() < TREND_THRESHOLD {
                if in_flight * 1.5 + newly > self.window {
                    self.window += newly;
                }
                return;
            }
            self.in_fast_increase = false;
        }
        let off_target = (self.delay.target() - self.delay.current()) / self.delay.target();
        let is_underused = in_flight * 1.25 + newly <= self.window;
        if off_target <= 0.0 || !is_underused {
            self.window += self.parameters.gain * off_target * newly * self.packet / self.window;
        }
        let most = self.flights.iter().copied().max().unwrap_or(0) as f64;
        self.window = self.window.min(most * self.parameters.head_room).max(self.least);
    }

    /// RFC 8298 §4.1.2.7.
    fn check_to_resume(&mut self, now: Time) {
        if self.delay.trend() >= TREND_THRESHOLD || self.in_fast_increase {
            self.trend_high_at = now;
        } else if now.since(self.trend_high_at) >= RESUME_AFTER {
            self.in_fast_increase = true;
        }
    }

    fn count_round(&mut self, now: Time) {
        self.is_lossy_round |= self.has_loss;
        if now >= self.round_ends_at {
            let sample = f64::from(u8::from(self.is_lossy_round));
            self.loss_event_rate += LOSS_WEIGHT * (sample - self.loss_event_rate);
            self.is_lossy_round = false;
            self.round_ends_at = now.saturating_add(self.smoothed_rtt);
        }
    }

    fn act(&mut self, now: Time, in_flight_before: u64) {
        self.acted_at = Some(now);
        self.delay.update_trend();
        self.count_round(now);
        let is_rested = self.congested_at.is_none_or(|at| now.since(at) >= self.smoothed_rtt);
        if (self.has_loss || self.has_mark) && is_rested {
            self.react(now);
        } else {
            self.update_window(in_flight_before);
        }
        self.delay.adjust_target(self.loss_event_rate);
        self.check_to_resume(now);
        self.window = self.window.min(1e15);
        (self.newly_acked, self.has_loss, self.has_mark) = (0, false, false);
    }

    fn adjust_media(&mut self, now: Time) {
        if self.media.due().is_some_and(|due| due <= now) {
            self.media.adjust(now, self.in_fast_increase, self.delay.trend(), self.delay.trend_memory());
        }
    }
}

impl PathController for Scream {
    fn on_sent(&mut self, sent: &PathSent) {
        self.in_flight = sent.in_flight;
        let second = sent.now.as_nanos() / 1_000_000_000;
        for _ in 0..second.saturating_sub(self.second).min(FLIGHT_SECONDS as u64) {
            self.flights.rotate_right(1);
            self.flights[0] = 0;
        }
        self.second = self.second.max(second);
        self.flights[0] = self.flights[0].max(sent.in_flight);
        self.media.on_sent(sent.now, sent.bytes, sent.backlog);
        self.adjust_media(sent.now);
    }

    fn on_ack(&mut self, ack: &PathAck<'_>) {
        let now = ack.sample.now;
        self.in_flight = ack.sample.in_flight;
        if !ack.sample.smoothed_rtt.is_zero() {
            self.smoothed_rtt = ack.sample.smoothed_rtt;
        }
        let mut acknowledged = 0u64;
        for arrived in ack.arrived {
            acknowledged = acknowledged.saturating_add(arrived.bytes);
            self.has_mark |= arrived.ecn == Ecn::Ce;
            if let Some(at) = arrived.arrived_at {
                self.delay.arrived(now, arrived.sent_at, at);
            }
        }
        self.media.on_acknowledged(acknowledged);
        // RFC 8298 §4.1.2: lost packets count as newly acknowledged.
        let lost = ack.lost.iter().fold(0u64, |sum, lost| sum.saturating_add(lost.bytes));
        self.newly_acked = self.newly_acked.saturating_add(acknowledged).saturating_add(lost);
        self.has_loss |= !ack.lost.is_empty();
        let is_due = self.acted_at.is_none_or(|at| now.since(at) >= self.parameters.feedback_interval);
        if is_due || self.has_loss {
            self.act(now, ack.sample.in_flight_before);
        }
        self.adjust_media(now);
    }

    /// RFC 6817 §2.4.2 (CTO): without any feedback, the minimum window.
    fn on_timeout(&mut self, _now: Time, in_flight: u64) {
        self.in_flight = in_flight;
        self.in_fast_increase = false;
        self.window = self.least;
        self.media.on_congestion(false);
    }

    /// RFC 8298 §4.1.2.5: one packet more while the delay is on target.
    fn window(&self) -> u64 {
        let more = if self.delay.is_on_target() { self.packet } else { 0.0 };
        (self.window + more) as u64
    }

    /// RFC 8298 §4.1.2.6.
    fn pacing_rate(&self) -> Option<Rate> {
        let rate = Rate::of(Bytes::new(self.window as u64), self.smoothed_rtt);
        Some(rate.max(self.parameters.min_pacing))
    }

    fn bandwidth(&self) -> Option<Rate> {
        Some(self.media.target())
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&QUEUE_DELAY, 1e3 * self.delay.current());
        out.set(&TARGET_DELAY, 1e3 * self.delay.target());
        out.set(&TREND, self.delay.trend());
        out.set(&FAST_INCREASE, f64::from(u8::from(self.in_fast_increase)));
        out.set(&WINDOW, self.window);
    }

    fn ecn(&self) -> Ecn {
        if self.parameters.ecn { Ecn::Ect0 } else { Ecn::NotEct }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.media.due().filter(|_| self.in_flight > 0)
    }

    fn handle_wakeup(&mut self, now: Time, in_flight: u64) {
        self.in_flight = in_flight;
        self.adjust_media(now);
    }
}

/// Its entry in the list of the message transport's controllers.
pub(super) fn entry() -> Entry<MessageController> {
    Entry::<MessageController>::new("scream", "SCReAM", build)
        .style(SKY, Solid)
        .summary("a self-clocked window that keeps the queue delay at a target, and a bitrate to encode")
        .source("RFC 8298 (RFC 6817 for the delay)")
        .page("appendix/path-controllers.md")
        .gauges(GAUGES)
}

fn build(
    parameters: ScreamParameters,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Scream::new(parameters, context)))
}

#[cfg(test)]
mod tests;
