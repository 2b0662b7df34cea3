//! Packet loss on a link: random, bursty, or scheduled by the scenario.

use std::collections::VecDeque;

use jettison_core::{DropReason, RandomStream, Time};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::impairment::{Occurrence, correlation_of};
use crate::{Schedule, Share};

/// Loss model of a link. Random loss and scheduled loss may be combined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LossParameters {
    /// Share of packets lost, independently of each other.
    pub probability: Share,
    /// Correlation of independent losses with the packet before, below 1. It makes runs of losses longer and keeps the share.
    pub correlation: Share,
    /// Scheduled changes of that share, in order of time.
    pub changes: Vec<LossChange>,
    /// Bursty loss by a two-state Markov chain.
    pub gilbert_elliott: Option<GilbertElliott>,
    /// Bursts and single losses by a four-state Markov chain.
    pub four_state: Option<FourState>,
    /// Time windows with an additional loss probability.
    pub windows: Vec<LossWindow>,
    /// Packets lost with certainty, by number or by time.
    pub scheduled: Vec<ScheduledLoss>,
}

/// A scheduled change of the loss probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// Time of the change, from the start of the run.
    pub at: Time,
    /// Share of packets lost from then on.
    pub probability: Share,
}

/// Packets lost with certainty: the first `count` from a time or packet number on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduledLoss {
    /// First time of loss (alternative to `packet`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// Number of the first packet lost (alternative to `at`); 1 is the first packet that the link carries in this
    /// direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<u64>,
    /// Number of packets.
    #[serde(default = "one")]
    pub count: u64,
}

/// The Gilbert–Elliott model (Gilbert 1960, Elliott 1963): for each packet the chain first moves, then the packet is
/// lost with the probability of the current state. The chain begins in the good state.
///
/// Its stationary loss is `(p · bad_loss + r · good_loss) / (p + r)`; the mean sojourn in the bad state is `1 / r`
/// packets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability per packet of moving from good to bad.
    pub p: Share,
    /// Probability per packet of moving from bad to good.
    pub r: Share,
    /// Share of packets lost in the good state.
    #[serde(default)]
    pub good_loss: Share,
    /// Share of packets lost in the bad state.
    #[serde(default = "always")]
    pub bad_loss: Share,
}

/// The four-state Markov chain of Salsano, Ludovici and Ordine (`loss state` of `tc-netem(8)`): packets arrive in states 1
/// (between bursts) and 2 (within a burst), and are lost in states 3 (a burst) and 4 (a single loss, which returns to 1).
/// For each packet the chain first moves. It begins in state 1.
///
/// With `a = 1 / (1 + p14 + (p13 / p31) · (1 + p32 / p23))`, the share of state 1, its stationary loss is
/// `a · (p14 + p13 / p31)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FourState {
    /// Probability per packet that a burst begins.
    pub p13: Share,
    /// Probability per packet lost in a burst that the burst ends. Default: 1 - `p13`, which alone is independent loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p31: Option<Share>,
    /// Probability per packet lost in a burst that packets arrive, though the burst goes on.
    #[serde(default)]
    pub p32: Share,
    /// Probability per packet that arrives within a burst that losses continue.
    #[serde(default = "always")]
    pub p23: Share,
    /// Probability per packet between bursts of a single loss.
    #[serde(default)]
    pub p14: Share,
}

impl FourState {
    /// Probability that a burst ends.
    fn burst_end(&self) -> f64 {
        self.p31.map_or(1.0 - self.p13.value(), Share::value)
    }

    fn validate(&self) -> Result<(), ParameterError> {
        let error = |key, message: String| Err(ParameterError::at(key, message));
        let (p13, p31, p32) = (self.p13.value(), self.burst_end(), self.p32.value());
        if p13 + self.p14.value() > 1.0 {
            return error("p14", format!("`p13` + `p14` must be <= 1, got {}", p13 + self.p14.value()));
        }
        if p31 + p32 > 1.0 {
            return error("p32", format!("`p31` + `p32` must be <= 1, got {}", p31 + p32));
        }
        if p13 > 0.0 && p31 == 0.0 {
            return error("p31", "must be > 0: a burst must end".to_owned());
        }
        if p32 > 0.0 && self.p23 == Share::ZERO {
            return error("p23", "must be > 0 beside `p32`: losses must continue within a burst".to_owned());
        }
        Ok(())
    }
}

/// A time window with its own loss probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossWindow {
    /// Start of the window (inclusive).
    pub from: Time,
    /// End of the window (exclusive).
    pub to: Time,
    /// Share of packets lost in the window.
    #[serde(default = "always")]
    pub probability: Share,
}

fn always() -> Share {
    Share::ONE
}
fn one() -> u64 {
    1
}

impl LossParameters {
    /// Whether these parameters never lose a packet.
    pub fn is_none(&self) -> bool {
        *self == LossParameters::default()
    }

    /// Checks constraints between fields.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let independent = self.probability > Share::ZERO || !self.changes.is_empty();
        if independent && self.gilbert_elliott.is_some() {
            let message = "random loss must be either independent (`probability`, `changes`) or bursty (`gilbert_elliott`), got both";
            return Err(ParameterError::at("gilbert_elliott", message));
        }
        let bursty = self.gilbert_elliott.is_some();
        if let Some(chain) = &self.four_state {
            if independent || bursty {
                let message =
                    "must be the only random loss, got `probability`, `changes` or `gilbert_elliott` as well";
                return Err(ParameterError::at("four_state", message));
            }
            chain.validate().map_err(|error| error.under("four_state"))?;
        }
        correlation_of(independent, self.correlation)?;
        self.shares()?;
        for (index, window) in self.windows.iter().enumerate() {
            let error = |key, message| Err(in_list("windows", index, key, message));
            if window.to <= window.from {
                let message = format!(
                    "the end of the window must be later than its start at {}, got {}",
                    window.from, window.to
                );
                return error("to", message);
            }
            if index > 0 && window.from < self.windows[index - 1].to {
                let end = self.windows[index - 1].to;
                let message = format!(
                    "the window must start at or after the end of the previous one at {end}, got {}; windows must be in order and must not overlap",
                    window.from
                );
                return error("from", message);
            }
        }
        for (index, loss) in self.scheduled.iter().enumerate() {
            let error = |key, message: &str| Err(in_list("scheduled", index, key, message.to_owned()));
            if loss.at.is_some() == loss.packet.is_some() {
                return error("at", "requires exactly one of `at` (a time) and `packet` (a number)");
            }
            if loss.packet == Some(0) {
                return error("packet", "must be > 0 (the first packet has number 1), got 0");
            }
            if loss.count == 0 {
                return error("count", "must be > 0, got 0");
            }
        }
        Ok(())
    }

    /// The probability of independent loss over time.
    fn shares(&self) -> Result<Schedule<Share>, ParameterError> {
        let changes = self.changes.iter().map(|change| (change.at, change.probability)).collect();
        Schedule::new(self.probability, changes)
            .map_err(|error| in_list("changes", error.index, "at", error.to_string()))
    }
}

fn in_list(list: &str, index: usize, key: &str, message: String) -> ParameterError {
    ParameterError::at(key, message).under(&index.to_string()).under(list)
}

/// Decides for each packet whether the link loses it.
#[derive(Debug, Clone)]
pub struct Loss {
    random: RandomLoss,
    random_stream: RandomStream,
    scheduled: Scheduled,
    scheduled_stream: RandomStream,
}

#[derive(Debug, Clone)]
enum RandomLoss {
    None,
    Independent { shares: Schedule<Share>, share: f64, steady_until: Time },
    Correlated { shares: Schedule<Share>, occurrence: Occurrence },
    GilbertElliott { chain: GilbertElliott, bad: bool },
    FourState { chain: FourState, state: State },
}

/// State of the four-state chain, by the numbers of its paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// 1: packets arrive, between bursts.
    Good,
    /// 2: packets arrive, within a burst.
    GoodInBurst,
    /// 3: packets are lost, in a burst.
    Burst,
    /// 4: one packet is lost by itself.
    Single,
}

/// Losses at given times and numbers; the lists are ascending, and expired entries are removed from the front.
#[derive(Debug, Clone)]
struct Scheduled {
    windows: VecDeque<LossWindow>,
    /// First and last number.
    by_number: VecDeque<(u64, u64)>,
    /// Start time and number of packets.
    by_time: VecDeque<(Time, u64)>,
    /// Number of packets so far.
    count: u64,
    /// The last packet number of the current losses.
    lost_through: u64,
}

impl Loss {
    /// Builds the loss model; `random` returns this direction's stream of the given name (`random` or `scheduled`; the
    /// two are separate, so neither shifts the other's draws).
    pub fn new(
        parameters: &LossParameters,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Loss, ParameterError> {
        parameters.validate()?;
        Ok(Loss {
            random: RandomLoss::new(parameters)?,
            random_stream: random("random"),
            scheduled: Scheduled::new(parameters),
            scheduled_stream: random("scheduled"),
        })
    }

    /// Reason for the loss of the packet that leaves at `now`; `None` if it survives. Call once per packet, in order
    /// of time.
    ///
    /// The random model draws for every packet, including those that the schedule drops, so scheduled loss does not
    /// change later random loss.
    #[inline]
    pub fn lost(&mut self, now: Time) -> Option<DropReason> {
        let at_random = self.random.lost(now, &mut self.random_stream);
        if self.scheduled.lost(now, &mut self.scheduled_stream) {
            Some(DropReason::ScheduledLoss)
        } else if at_random {
            Some(DropReason::LinkLoss)
        } else {
            None
        }
    }
}

impl RandomLoss {
    fn new(parameters: &LossParameters) -> Result<RandomLoss, ParameterError> {
        if let Some(chain) = parameters.gilbert_elliott {
            return Ok(RandomLoss::GilbertElliott { chain, bad: false });
        }
        if let Some(chain) = parameters.four_state {
            return Ok(RandomLoss::FourState { chain, state: State::Good });
        }
        if parameters.probability == Share::ZERO && parameters.changes.is_empty() {
            return Ok(RandomLoss::None);
        }
        let shares = parameters.shares()?;
        if parameters.correlation > Share::ZERO {
            return Ok(RandomLoss::Correlated {
                shares,
                occurrence: Occurrence::new(parameters.correlation),
            });
        }
        let share = shares.at(Time::ZERO).value();
        let steady_until = shares.next_change(Time::ZERO).unwrap_or(Time::MAX);
        Ok(RandomLoss::Independent { shares, share, steady_until })
    }

    fn lost(&mut self, now: Time, stream: &mut RandomStream) -> bool {
        match self {
            RandomLoss::None => false,
            RandomLoss::Independent { shares, share, steady_until } => {
                if now >= *steady_until {
                    *share = shares.at(now).value();
                    *steady_until = shares.next_change(now).unwrap_or(Time::MAX);
                }
                stream.chance(*share)
            }
            RandomLoss::Correlated { shares, occurrence } => {
                occurrence.happens(shares.at(now).value(), stream)
            }
            RandomLoss::FourState { chain, state } => {
                // One draw a packet: the first probability below it, then the second, else the chain stays.
                let draw = stream.unit();
                let (p31, p32) = (chain.burst_end(), chain.p32.value());
                let (p13, p14) = (chain.p13.value(), chain.p14.value());
                *state = match *state {
                    State::Single => State::Good,
                    State::Good if draw < p13 => State::Burst,
                    State::Good if draw < p13 + p14 => State::Single,
                    State::Burst if draw < p31 => State::Good,
                    State::Burst if draw < p31 + p32 => State::GoodInBurst,
                    State::GoodInBurst if draw < chain.p23.value() => State::Burst,
                    stays => stays,
                };
                matches!(state, State::Burst | State::Single)
            }
            RandomLoss::GilbertElliott { chain, bad } => {
                let leave = if *bad { chain.r } else { chain.p };
                *bad ^= stream.chance(leave.value());
                let loss = if *bad { chain.bad_loss } else { chain.good_loss };
                stream.chance(loss.value())
            }
        }
    }
}

impl Scheduled {
    fn new(parameters: &LossParameters) -> Scheduled {
        let scheduled = &parameters.scheduled;
        let mut by_number: Vec<(u64, u64)> = scheduled
            .iter()
            .filter_map(|loss| loss.packet.map(|first| (first, first.saturating_add(loss.count - 1))))
            .collect();
        let mut by_time: Vec<(Time, u64)> =
            scheduled.iter().filter_map(|loss| loss.at.map(|at| (at, loss.count))).collect();
        by_number.sort_unstable();
        by_time.sort_unstable();
        Scheduled {
            windows: parameters.windows.iter().copied().collect(),
            by_number: by_number.into(),
            by_time: by_time.into(),
            count: 0,
            lost_through: 0,
        }
    }

    fn lost(&mut self, now: Time, stream: &mut RandomStream) -> bool {
        self.count += 1;
        while let Some((_, last)) = self.by_number.pop_front_if(|(first, _)| *first <= self.count) {
            self.lost_through = self.lost_through.max(last);
        }
        while let Some((_, count)) = self.by_time.pop_front_if(|(at, _)| *at <= now) {
            self.lost_through = self.lost_through.max((self.count - 1).saturating_add(count));
        }
        while self.windows.pop_front_if(|window| window.to <= now).is_some() {}
        let in_window = match self.windows.front() {
            Some(window) if window.from <= now => stream.chance(window.probability.value()),
            _ => false,
        };
        in_window || self.count <= self.lost_through
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
