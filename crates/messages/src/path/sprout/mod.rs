//! Sprout: a stochastic forecast of the link's deliveries, and a window that the link will drain in time.
//!
//! Winstein, Sivaraman, Balakrishnan, *Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks*,
//! NSDI 2013. Every tick (20 ms) the belief about the link's rate evolves and is updated with the packets that arrived
//! (`belief.rs`, `model.rs`); the forecast is the amount that the link delivers over the next ticks in 95 % of all
//! cases, and this is the limit of bytes in flight.
//!
//! The inference runs at the sender, on the arrival times in ACKs, not at the receiver. The forecast is as old as the
//! receiver's would be: one return delay. The sender's bytes in flight are what the paper counts as queued (sent, and
//! neither received nor written off, §3.5), so the window is the forecast itself.

mod belief;
mod model;
mod observer;

use jettison_core::{Bytes, Duration, Gauge, Gauges, Rate, Time};
use jettison_registry::style::{Line::Solid, PINK};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use belief::{Belief, Evidence};
use model::{Model, ModelParameters, TICKS};
use observer::Observer;

use super::delay::{BaseDelay, nanos, one_way_delay, span};
use super::entry::{MessageController, PathContext};
use super::under_way::UnderWay;
use super::{PathAck, PathController, PathSent};

/// The minimum delays are kept for one to two times this.
const BASE_WIDTH: Duration = Duration::from_secs(10);

/// What it reports of its state.
const GAUGES: &[Gauge] = &[FORECAST, RATE];

const FORECAST: Gauge =
    Gauge::new("sprout_forecast", "packets", "Packets that will be delivered within the look-ahead.");
const RATE: Gauge = Gauge::new("sprout_rate", "Mbit/s", "Mean of what is believed of the link's rate.");

/// Parameters of `sprout`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SproutParameters {
    /// Probability, 0 to 0.5, that the link delivers less than the forecast (§3.3: 5 %).
    #[schemars(range(min = 0.0001, max = 0.5))]
    pub percentile: f64,
    /// Number of ticks, 1 to 8, within which the bytes in flight are to be delivered (§3.5: 5, which is 100 ms).
    #[schemars(range(min = 1, max = 8))]
    pub look_ahead: usize,
    /// Highest rate of the model, in full packets per second (§3.2).
    pub max_rate: f64,
    /// Standard deviation of the rate's motion, in packets per second per root second (§3.1, σ).
    pub brownian: f64,
    /// Rate of escape from an outage, per second (§3.1, λ_z).
    pub outage_escape: f64,
    /// Length of a tick (§3.2).
    pub tick: Duration,
    /// Evidence of a tick in part of which no packet was due at the receiver.
    pub idle_ticks: IdleTicks,
    /// Maximum delay of an ACK beyond the fastest before its packet is assumed not to have arrived.
    pub feedback_jitter: Duration,
}

/// Evidence of a tick in part of which no packet was due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleTicks {
    /// The link can deliver at least what arrived; no evidence if nothing did.
    #[default]
    LowerBound,
    /// No evidence.
    Nothing,
}

impl Default for SproutParameters {
    fn default() -> SproutParameters {
        SproutParameters {
            percentile: 0.05,
            look_ahead: 5,
            max_rate: ModelParameters::PAPER.max_rate,
            brownian: ModelParameters::PAPER.sigma,
            outage_escape: ModelParameters::PAPER.escape,
            tick: Duration::from_millis(20),
            idle_ticks: IdleTicks::default(),
            feedback_jitter: Duration::from_millis(5),
        }
    }
}

impl SproutParameters {
    /// Checks the values; the error names the key and the valid range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let within = |value: f64, low: f64, high: f64| (low..=high).contains(&value);
        ParameterError::unless(within(self.percentile, 0.0001, 0.5), "percentile", || {
            format!("must be 0.0001 to 0.5, got {}", self.percentile)
        })?;
        ParameterError::unless((1..=TICKS).contains(&self.look_ahead), "look_ahead", || {
            format!("must be 1 to {TICKS} ticks, got {}", self.look_ahead)
        })?;
        ParameterError::unless(within(self.brownian, 0.0, 1e6), "brownian", || {
            format!("must be 0 to 1,000,000 packets/s/√s, got {}", self.brownian)
        })?;
        ParameterError::unless(within(self.outage_escape, 0.0, 1e6), "outage_escape", || {
            format!("must be 0 to 1,000,000 per second, got {}", self.outage_escape)
        })?;
        let tick = self.tick.as_secs_f64();
        ParameterError::unless(within(tick, 0.005, 0.1), "tick", || {
            format!("must be 5 ms to 100 ms, got {}", self.tick)
        })?;
        ParameterError::unless(self.max_rate >= 10.0 && self.max_rate * tick <= 100.0, "max_rate", || {
            format!(
                "{} packets/s: at least 10, and at most 100 packets a tick, which are {} packets/s",
                self.max_rate,
                100.0 / tick
            )
        })
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Sprout {
    // Parameters.
    percentile: f64,
    look_ahead: usize,
    tick: Duration,
    jitter: i64,
    packet: u64,
    // State.
    belief: Belief,
    observer: Observer,
    /// Departure time of each packet in flight.
    under_way: UnderWay<Time>,
    /// Forward one-way delays, up to the offset of the clocks.
    forward: BaseDelay<2>,
    /// Return one-way delays, with the opposite offset: now minus arrival time.
    back: BaseDelay<2>,
    /// The recent minima of both; `None` before the first sample.
    base: Option<(i64, i64)>,
    /// Number of packets that will be delivered within the look-ahead.
    forecast: u64,
}

impl Sprout {
    /// A controller with a uniform belief.
    pub fn new(parameters: &SproutParameters, context: &PathContext<'_>) -> Sprout {
        let model = Model::of(ModelParameters {
            max_rate: parameters.max_rate,
            sigma: parameters.brownian,
            escape: parameters.outage_escape,
            tick: parameters.tick.as_secs_f64(),
        });
        let belief = Belief::new(model);
        let is_idle_counted = parameters.idle_ticks == IdleTicks::LowerBound;
        Sprout {
            percentile: parameters.percentile,
            look_ahead: parameters.look_ahead,
            tick: parameters.tick,
            jitter: span(parameters.feedback_jitter),
            packet: context.packet.max(1),
            forecast: belief.forecast(parameters.look_ahead, parameters.percentile),
            belief,
            observer: Observer::new(span(parameters.tick), context.packet.max(1), is_idle_counted),
            under_way: UnderWay::new(),
            forward: BaseDelay::new(BASE_WIDTH),
            back: BaseDelay::new(BASE_WIDTH),
            base: None,
        }
    }

    /// Ends the ticks whose evidence is complete by now.
    fn pass(&mut self, now: Time) {
        let Some((forward, back)) = self.base else { return };
        // ACKs of packets that arrived until then would have been received by now.
        let known = nanos(now).saturating_sub(back).saturating_sub(self.jitter);
        let due = self.under_way.oldest().map(|sent_at| nanos(*sent_at).saturating_add(forward));
        let mut ticks = 0;
        self.observer.passed(known, due, &mut |evidence| take_in(&mut self.belief, evidence, &mut ticks));
        self.renew(ticks);
    }

    fn renew(&mut self, ticks: u32) {
        if ticks > 0 {
            self.forecast = self.belief.forecast(self.look_ahead, self.percentile);
        }
    }
}

fn take_in(belief: &mut Belief, evidence: Evidence, ticks: &mut u32) {
    belief.tick(evidence);
    *ticks += 1;
}

impl PathController for Sprout {
    fn on_sent(&mut self, sent: &PathSent) {
        self.under_way.push(sent.sequence, sent.now);
    }

    fn on_ack(&mut self, ack: &PathAck<'_>) {
        let now = ack.sample.now;
        let mut ticks = 0;
        for lost in ack.lost {
            self.under_way.take(lost.sequence);
        }
        for arrived in ack.arrived {
            self.under_way.take(arrived.sequence);
            let Some(at) = arrived.arrived_at else {
                self.observer.arrived_some_time(arrived.bytes);
                continue;
            };
            let forward = self.forward.update(now, one_way_delay(arrived.sent_at, at));
            let back = self.back.update(now, one_way_delay(at, now));
            self.base = Some((forward, back));
            let due = nanos(arrived.sent_at).saturating_add(forward);
            self.observer.arrived(due, nanos(at), arrived.bytes, &mut |evidence| {
                take_in(&mut self.belief, evidence, &mut ticks);
            });
        }
        self.renew(ticks);
        self.pass(now);
    }

    /// At least one packet, so that the end of an outage is detected.
    fn window(&self) -> u64 {
        self.forecast.max(1).saturating_mul(self.packet)
    }

    fn bandwidth(&self) -> Option<Rate> {
        self.base?;
        let span = self.tick.saturating_mul(self.look_ahead as u64);
        Some(Rate::of(Bytes::new(self.window()), span))
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let bits = self.belief.mean() * self.packet as f64 * 8.0;
        out.set(&FORECAST, self.forecast as f64);
        out.set(&RATE, bits / self.tick.as_secs_f64() / 1e6);
    }

    fn budget(&self, _now: Time, in_flight: u64) -> Option<u64> {
        self.base?;
        Some(self.forecast.saturating_mul(self.packet).saturating_sub(in_flight))
    }

    fn next_wakeup(&self) -> Option<Time> {
        let (_, back) = self.base?;
        let ends_at = self.observer.tick_ends_at().filter(|_| !self.under_way.is_empty())?;
        let at = ends_at.saturating_add(back).saturating_add(self.jitter);
        Some(Time::from_nanos(u64::try_from(at).unwrap_or(0)))
    }

    fn handle_wakeup(&mut self, now: Time, _in_flight: u64) {
        self.pass(now);
    }
}

/// Its entry in the list of the message transport's controllers.
pub(super) fn entry() -> Entry<MessageController> {
    Entry::<MessageController>::new("sprout", "Sprout", build)
        .style(PINK, Solid)
        .summary("a window of what a stochastic forecast expects to be delivered in time")
        .source("Winstein, Sivaraman, Balakrishnan, Sprout, NSDI 2013")
        .page("appendix/path-controllers.md")
        .gauges(GAUGES)
}

fn build(
    parameters: SproutParameters,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Sprout::new(&parameters, context)))
}

#[cfg(test)]
mod tests;
