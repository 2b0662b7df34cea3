//! Synthetic cellular traces: a doubly stochastic Poisson process whose rate is a Brownian motion.
//!
//! The model is that of Winstein, Sivaraman, Balakrishnan, *Stochastic forecasts achieve high throughput and low delay over
//! cellular networks* (Sprout), NSDI 2013, section 3.1: packets leave as a Poisson process; its rate λ is a Brownian
//! motion with a standard deviation of σ = 200 packets/s after one second; at zero it sticks, for a time that is
//! exponential with rate λz = 1/s; it stays below 1,000 packets/s. λ is constant within ticks of 20 ms, as in the
//! paper.
//!
//! Choices that the paper leaves open:
//! - λ begins at half of the maximum rate.
//! - A step above the maximum rate ends there. A step below zero ends at zero, and an outage begins.
//! - An outage ends with a step up.
//!
//! A Brownian motion has no mean. If a mean is required, λ is pulled towards a centre (an Ornstein–Uhlenbeck process),
//! and a search finds the centre that yields that mean with the same random numbers; λ then begins at the mean. The
//! mean is not continuous in the centre, because an outage may end a tick later; a scale factor corrects the
//! difference, up to 5 %.

use jettison_core::{Duration, RandomStream, Rate, Seed};
use thiserror::Error;

use super::{OPPORTUNITY_BYTES, Trace, TraceError};

/// Bits per opportunity.
const OPPORTUNITY_BITS: f64 = OPPORTUNITY_BYTES as f64 * 8.0;
/// Duration for which λ is constant.
const TICK_MILLIS: u32 = 20;
const TICK: f64 = TICK_MILLIS as f64 / 1e3;
/// The end of a tick, in milliseconds from its start.
const TICK_END: f64 = TICK_MILLIS as f64;
/// The longest trace, one day.
const LONGEST: Duration = Duration::from_secs(86_400);
/// The fastest rate, 10 Gbit/s: an hour of it has 3 billion lines, so `MAX_OPPORTUNITIES` is the tighter limit.
const FASTEST: Rate = Rate::from_mbit(10_000);
/// The maximum expected number of opportunities.
const MAX_OPPORTUNITIES: f64 = 5e7;
/// Number of bisection steps in the search for the centre.
const HALVINGS: u32 = 60;
/// The relative error of λ's mean that a scale factor may correct.
const TOLERANCE: f64 = 0.05;

/// Parameters of a synthetic trace. Rates count 1,504 bytes per packet, as `jettison trace info` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Synthesis {
    /// The seed; with the other values it determines every line.
    pub seed: u64,
    /// Duration of a round: 1 s to one day, in whole milliseconds.
    pub duration: Duration,
    /// The mean rate; `None` for a free Brownian motion.
    pub mean: Option<Rate>,
    /// The maximum rate.
    pub max: Rate,
    /// σ: the standard deviation of the rate after one second.
    pub volatility: Rate,
    /// Time constant of the pull to the centre (decay to 1/e); unused without a mean.
    pub pull: Duration,
    /// The mean duration of an outage: 1/λz.
    pub outage: Duration,
}

/// Parameters that define no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SynthesisError {
    /// The duration is out of range.
    #[error("duration must be 1 s to 86400 s in whole milliseconds, got {0}")]
    Duration(Duration),
    /// The maximum rate is out of range.
    #[error("maximum rate must be > 0 and at most {FASTEST}, got {0}")]
    Max(Rate),
    /// The mean is zero or not below the maximum rate.
    #[error("mean must be > 0 and below the maximum rate of {max}, got {mean}")]
    Mean {
        /// The mean.
        mean: Rate,
        /// The maximum rate.
        max: Rate,
    },
    /// The volatility exceeds the fastest rate.
    #[error("volatility must be at most {FASTEST}, got {0}")]
    Volatility(Rate),
    /// The time constant of the pull is too short.
    #[error("pull must be at least 100 ms, got {0}")]
    Pull(Duration),
    /// No centre yields the mean.
    #[error(
        "no pull yields a mean of {mean} with this seed, the nearest is {near}; change the mean, lower the volatility or shorten the pull"
    )]
    OutOfReach {
        /// The required mean.
        mean: Rate,
        /// The nearest possible mean.
        near: Rate,
    },
    /// The trace would have too many lines.
    #[error(
        "a trace must have at most 50 million opportunities, got about {0}; shorten the duration or lower the rate"
    )]
    TooMany(u64),
}

impl Default for Synthesis {
    /// The paper's values for two minutes: σ of 200 packets/s, at most 1,000 packets/s, outages of 1 s.
    fn default() -> Synthesis {
        Synthesis {
            seed: 1,
            duration: Duration::from_secs(120),
            mean: None,
            max: packets(1_000),
            volatility: packets(200),
            pull: Duration::from_secs(10),
            outage: Duration::from_secs(1),
        }
    }
}

impl Synthesis {
    /// Generates the trace. Its period is the duration.
    pub fn trace(&self) -> Result<Trace, SynthesisError> {
        let millis = self.validate()?;
        let ticks = millis.div_ceil(TICK_MILLIS) as usize;
        let noise = Noise::draw(Seed(self.seed), ticks, self.volatility, self.outage);
        let rates = self.rates(&noise)?;
        let expected = rates.iter().sum::<f64>() * TICK;
        if expected > MAX_OPPORTUNITIES {
            return Err(SynthesisError::TooMany(expected as u64));
        }
        let mut times = arrivals(&rates, &mut Seed(self.seed).stream(&["trace", "packets"]));
        times.truncate(times.partition_point(|at| *at <= millis));
        // The last opportunity ends the round.
        match times.last_mut() {
            Some(last) => *last = millis,
            None => times.push(millis),
        }
        let ordered: Result<Trace, TraceError> = Trace::from_opportunities(times);
        Ok(ordered.expect("the times are in order, and the last one is a duration above zero"))
    }

    /// Checks the parameters; returns the duration in milliseconds.
    fn validate(&self) -> Result<u32, SynthesisError> {
        let millis = u32::try_from(self.duration.as_millis()).ok();
        let whole = |millis: &u32| Duration::from_millis(u64::from(*millis)) == self.duration;
        let millis = millis.filter(whole).filter(|millis| *millis >= 1_000 && self.duration <= LONGEST);
        let millis = millis.ok_or(SynthesisError::Duration(self.duration))?;
        if self.max.is_zero() || self.max > FASTEST {
            return Err(SynthesisError::Max(self.max));
        }
        if let Some(mean) = self.mean.filter(|mean| mean.is_zero() || *mean >= self.max) {
            return Err(SynthesisError::Mean { mean, max: self.max });
        }
        if self.volatility > FASTEST {
            return Err(SynthesisError::Volatility(self.volatility));
        }
        if self.mean.is_some() && self.pull < Duration::from_millis(100) {
            return Err(SynthesisError::Pull(self.pull));
        }
        Ok(millis)
    }

    /// λ in each tick, in packets per second.
    fn rates(&self, noise: &Noise) -> Result<Vec<f64>, SynthesisError> {
        let max = per_second(self.max);
        let Some(mean) = self.mean.map(per_second) else {
            return Ok(walk(noise, max / 2.0, max, |_| 0.0));
        };
        let share = TICK / self.pull.as_secs_f64();
        let towards = |centre: f64| walk(noise, mean, max, |rate| (centre - rate) * share);
        let mean_of = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        // The mean increases with the centre, except where an outage moves to another tick.
        let reach = 10.0 * max + 10.0 * per_second(self.volatility);
        let (mut low, mut high) = (-reach, reach);
        let mut best = towards(mean);
        for _ in 0..HALVINGS {
            let centre = (low + high) / 2.0;
            let rates = towards(centre);
            let has = mean_of(&rates);
            if (has - mean).abs() < (mean_of(&best) - mean).abs() {
                best = rates;
            }
            if has < mean {
                low = centre;
            } else {
                high = centre;
            }
        }
        let has = mean_of(&best);
        if (has - mean).abs() > mean * TOLERANCE {
            let near = Rate::from_bits((has * OPPORTUNITY_BITS).round() as u64);
            return Err(SynthesisError::OutOfReach { mean: self.mean.unwrap_or_default(), near });
        }
        let factor = mean / has;
        Ok(best.into_iter().map(|rate| (rate * factor).min(max)).collect())
    }
}

/// The random input of λ, drawn once: all candidate centres share it.
struct Noise {
    /// The step of each tick.
    steps: Vec<f64>,
    /// Whether an ongoing outage ends in that tick.
    ends: Vec<bool>,
}

impl Noise {
    fn draw(seed: Seed, ticks: usize, volatility: Rate, outage: Duration) -> Noise {
        let deviation = per_second(volatility) * TICK.sqrt();
        let mut random = seed.stream(&["trace", "rate"]);
        let mut steps = Vec::with_capacity(ticks + 1);
        while steps.len() < ticks {
            // Box–Muller: two independent normal numbers from two uniform ones. 1 - u is never zero.
            let radius = (-2.0 * libm::log(1.0 - random.unit())).sqrt();
            let angle = std::f64::consts::TAU * random.unit();
            steps.push(deviation * radius * libm::cos(angle));
            steps.push(deviation * radius * libm::sin(angle));
        }
        steps.truncate(ticks);
        let mut random = seed.stream(&["trace", "outages"]);
        let leaves = match outage.is_zero() {
            true => 1.0,
            false => 1.0 - libm::exp(-TICK / outage.as_secs_f64()),
        };
        let ends = (0..ticks).map(|_| random.unit() < leaves).collect();
        Noise { steps, ends }
    }
}

/// λ in each tick from `start`, given the noise and a drift.
fn walk(noise: &Noise, start: f64, max: f64, drift: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut rate = start;
    let steps = noise.steps.iter().zip(&noise.ends);
    steps
        .map(|(step, ends)| {
            let now = rate;
            rate = match (now > 0.0, ends) {
                (true, _) => now + drift(now) + step,
                (false, true) => step.abs(),
                (false, false) => 0.0,
            };
            rate = rate.clamp(0.0, max);
            now
        })
        .collect()
}

/// The milliseconds at which packets leave: between two packets, the integral of λ is exponentially distributed.
fn arrivals(rates: &[f64], random: &mut RandomStream) -> Vec<u32> {
    let mut times = Vec::with_capacity((rates.iter().sum::<f64>() * TICK * 1.1) as usize);
    let mut lacking = random.exponential(1.0);
    let mut tick = 0u32;
    for rate in rates {
        let per_milli = rate / 1e3;
        let mut at = 0.0;
        // In an outage the next packet is never within reach.
        let next = |at: f64, lacking: f64| Some(at + lacking / per_milli).filter(|next| *next < TICK_END);
        while let Some(leaves) = next(at, lacking) {
            at = leaves;
            // A packet has left by the end of its millisecond.
            times.push(tick + at as u32 + 1);
            lacking = random.exponential(1.0);
        }
        lacking -= (TICK_END - at) * per_milli;
        tick += TICK_MILLIS;
    }
    times
}

fn packets(a_second: u64) -> Rate {
    Rate::from_bits(a_second * u64::from(OPPORTUNITY_BYTES) * 8)
}

fn per_second(rate: Rate) -> f64 {
    rate.as_bits() as f64 / OPPORTUNITY_BITS
}

#[cfg(test)]
#[path = "synthesis_tests.rs"]
mod tests;
