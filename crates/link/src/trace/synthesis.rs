//! Cellular traces that nobody recorded: a doubly stochastic Poisson process whose rate is a Brownian motion.
//!
//! The model is that of Winstein, Sivaraman, Balakrishnan, *Stochastic forecasts achieve high throughput and low delay over
//! cellular networks* (Sprout), NSDI 2013, section 3.1: packets leave as a Poisson process; its rate λ wanders as a
//! Brownian motion with a standard deviation of σ = 200 packets/s after a second; at zero it sticks, for a time that is
//! exponential with rate λz = 1/s; it stays below 1,000 packets/s. λ is held for ticks of 20 ms, as there.
//!
//! What the paper leaves open is chosen so:
//! - λ begins at half of the largest rate.
//! - A step past the largest rate ends there. A step below zero ends at zero, and an outage begins.
//! - An outage ends with a step up.
//!
//! A Brownian motion has no mean. Where one is asked for, λ is pulled towards a centre (an Ornstein–Uhlenbeck process), and
//! the centre is sought for which the same random numbers give that mean; λ then begins at the mean. An outage that ends a
//! tick later makes the mean jump: what is missing or too much then, up to a twentieth, is put right by a factor.

use jettison_core::{Duration, RandomStream, Rate, Seed};
use thiserror::Error;

use super::{OPPORTUNITY_BYTES, Trace, TraceError};

/// Bits of an opportunity.
const OPPORTUNITY_BITS: f64 = OPPORTUNITY_BYTES as f64 * 8.0;
/// How long λ is held.
const TICK_MILLIS: u32 = 20;
const TICK: f64 = TICK_MILLIS as f64 / 1e3;
/// The end of a tick, in milliseconds from its beginning.
const TICK_END: f64 = TICK_MILLIS as f64;
/// A day.
const LONGEST: Duration = Duration::from_secs(86_400);
/// 10 Gbit/s: an hour of it are 3 billion lines, which `MOST_OPPORTUNITIES` refuses first.
const FASTEST: Rate = Rate::from_mbit(10_000);
/// The most opportunities that a trace may be expected to have.
const MOST_OPPORTUNITIES: f64 = 5e7;
/// Halvings of the interval in which the centre is sought.
const HALVINGS: u32 = 60;
/// How far the mean of λ may be off, for a factor to put it right.
const TOLERANCE: f64 = 0.05;

/// A trace to be made. The rates count 1,504 bytes a packet, as `jettison trace info` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Synthesis {
    /// The seed: with the other values it decides every line.
    pub seed: u64,
    /// How long a round is: a second to a day, in whole milliseconds.
    pub duration: Duration,
    /// The mean rate; `None` for a Brownian motion that nothing holds.
    pub mean: Option<Rate>,
    /// The largest rate.
    pub max: Rate,
    /// σ: the standard deviation of the rate after a second.
    pub volatility: Rate,
    /// In which time the pull takes away all but 1/e of a distance to the centre; of no meaning without a mean.
    pub pull: Duration,
    /// The mean length of an outage: 1/λz.
    pub outage: Duration,
}

/// A trace that cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SynthesisError {
    /// A length that is none.
    #[error("a duration of {0}; write 1 s to 86400 s, in whole milliseconds")]
    Duration(Duration),
    /// A largest rate of nothing or too much.
    #[error("a largest rate of {0}; write one above zero, up to {FASTEST}")]
    Max(Rate),
    /// A mean that the largest rate does not allow.
    #[error("a mean of {mean} where the largest rate is {max}; write a mean above zero and below that")]
    Mean {
        /// The mean.
        mean: Rate,
        /// The largest rate.
        max: Rate,
    },
    /// A volatility past the fastest rate.
    #[error("a volatility of {0}; write at most {FASTEST}")]
    Volatility(Rate),
    /// A pull within less than a tick.
    #[error("a pull of {0}; write at least 100 ms")]
    Pull(Duration),
    /// A mean that no centre gives.
    #[error(
        "with this seed no pull gives a mean of {mean}: {near} is the nearest; write another mean, a lower volatility or a shorter pull"
    )]
    OutOfReach {
        /// The mean that was asked for.
        mean: Rate,
        /// The mean that there can be.
        near: Rate,
    },
    /// More lines than are of use.
    #[error("about {0} opportunities; write a shorter duration or a lower rate for at most 50 million")]
    TooMany(u64),
}

impl Default for Synthesis {
    /// The paper's figures, for two minutes: σ of 200 packets/s, at most 1,000 packets/s, outages of 1 s.
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
    /// Makes the trace. Its period is the duration.
    pub fn trace(&self) -> Result<Trace, SynthesisError> {
        let millis = self.validate()?;
        let ticks = millis.div_ceil(TICK_MILLIS) as usize;
        let noise = Noise::draw(Seed(self.seed), ticks, self.volatility, self.outage);
        let rates = self.rates(&noise)?;
        let expected = rates.iter().sum::<f64>() * TICK;
        if expected > MOST_OPPORTUNITIES {
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

    /// Its length in milliseconds, if the values make sense.
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

    /// λ in each tick, in packets a second.
    fn rates(&self, noise: &Noise) -> Result<Vec<f64>, SynthesisError> {
        let max = per_second(self.max);
        let Some(mean) = self.mean.map(per_second) else {
            return Ok(walk(noise, max / 2.0, max, |_| 0.0));
        };
        let share = TICK / self.pull.as_secs_f64();
        let towards = |centre: f64| walk(noise, mean, max, |rate| (centre - rate) * share);
        let mean_of = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        // More pull upwards never means less in the end, but for an outage that comes at another tick.
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

/// All that is random about λ, drawn once: the same numbers serve every centre.
struct Noise {
    /// The step of each tick.
    steps: Vec<f64>,
    /// Whether an outage that lasts ends in that tick.
    ends: Vec<bool>,
}

impl Noise {
    fn draw(seed: Seed, ticks: usize, volatility: Rate, outage: Duration) -> Noise {
        let deviation = per_second(volatility) * TICK.sqrt();
        let mut random = seed.stream(&["trace", "rate"]);
        let mut steps = Vec::with_capacity(ticks + 1);
        while steps.len() < ticks {
            // Box and Muller: two independent normal numbers of two uniform ones. 1 - u is never zero.
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

/// λ in each tick: from `start` on, with the noise and that drift.
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

/// The milliseconds at which packets leave: an exponential amount of λ lies between two of them.
fn arrivals(rates: &[f64], random: &mut RandomStream) -> Vec<u32> {
    let mut times = Vec::with_capacity((rates.iter().sum::<f64>() * TICK * 1.1) as usize);
    let mut lacking = random.exponential(1.0);
    let mut tick = 0u32;
    for rate in rates {
        let per_milli = rate / 1e3;
        let mut at = 0.0;
        // In an outage no packet is ever near enough.
        let next = |at: f64, lacking: f64| Some(at + lacking / per_milli).filter(|next| *next < TICK_END);
        while let Some(leaves) = next(at, lacking) {
            at = leaves;
            // It has left by the end of its millisecond.
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
