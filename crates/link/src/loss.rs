//! Loss on a link: at random, in bursts, and where the scenario places it.

use std::collections::VecDeque;

use jettison_core::{BuildError, DropReason, RandomStream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Schedule, Share};

/// What a link loses. Random loss and scheduled loss may be combined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LossParameters {
    /// Share of packets lost, each independently of the others.
    pub probability: Share,
    /// Other shares from given times on, in order.
    pub changes: Vec<LossChange>,
    /// Loss in bursts, by a chain of two states.
    pub gilbert_elliott: Option<GilbertElliott>,
    /// Spans of time with a loss probability of their own, on top of the rest.
    pub windows: Vec<LossWindow>,
    /// Packets that are lost for certain, by number or by time.
    pub scheduled: Vec<ScheduledLoss>,
}

/// A scheduled change of the share of packets lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// When, from the start of the run.
    pub at: Time,
    /// The share lost from then on.
    pub probability: Share,
}

/// Packets that are lost for certain: the first `count` from a time on, or from a packet's number on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduledLoss {
    /// From this time on (or else `packet`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// From the packet of this number on (or else `at`); 1 is the first that the link carries in this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<u64>,
    /// How many packets.
    #[serde(default = "one")]
    pub count: u64,
}

/// The Gilbert–Elliott model (Gilbert 1960, Elliott 1963): for each packet the chain first moves, then the packet is
/// lost with the probability of the state it is in. The chain begins in the good state.
///
/// Its stationary loss is `(p · bad_loss + r · good_loss) / (p + r)`, the mean stay in the bad state `1 / r` packets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability of moving from good to bad, a packet.
    pub p: Share,
    /// Probability of moving from bad to good, a packet.
    pub r: Share,
    /// Share of packets lost in the good state.
    #[serde(default)]
    pub good_loss: Share,
    /// Share of packets lost in the bad state.
    #[serde(default = "always")]
    pub bad_loss: Share,
}

/// A span of time with a loss probability of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossWindow {
    /// First instant of the span.
    pub from: Time,
    /// First instant past the span.
    pub to: Time,
    /// Share of packets lost within.
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
    /// Whether these never lose anything.
    pub fn is_none(&self) -> bool {
        *self == LossParameters::default()
    }

    /// Checks what the types cannot.
    pub fn validate(&self) -> Result<(), BuildError> {
        let independent = self.probability > Share::ZERO || !self.changes.is_empty();
        if independent && self.gilbert_elliott.is_some() {
            let message = "random loss is either independent or in bursts: give `probability` and `changes`, or `gilbert_elliott`";
            return Err(BuildError::at("gilbert_elliott", message));
        }
        self.shares()?;
        for (index, window) in self.windows.iter().enumerate() {
            let error = |key, message| Err(in_list("windows", index, key, message));
            if window.to <= window.from {
                let message =
                    format!("the window ends at {}, not after it begins at {}", window.to, window.from);
                return error("to", message);
            }
            if index > 0 && window.from < self.windows[index - 1].to {
                let end = self.windows[index - 1].to;
                let message = format!(
                    "the window begins at {}, before the one in front of it ends at {end}: write windows in order of time, without overlap",
                    window.from
                );
                return error("from", message);
            }
        }
        for (index, loss) in self.scheduled.iter().enumerate() {
            let error = |key, message: &str| Err(in_list("scheduled", index, key, message.to_owned()));
            if loss.at.is_some() == loss.packet.is_some() {
                return error("at", "give either `at` (a time) or `packet` (a number)");
            }
            if loss.packet == Some(0) {
                return error("packet", "packets are counted from 1; there is no packet 0");
            }
            if loss.count == 0 {
                return error("count", "a loss of no packets does nothing: write 1 or more");
            }
        }
        Ok(())
    }

    /// The share of independent loss over time.
    fn shares(&self) -> Result<Schedule<Share>, BuildError> {
        let changes = self.changes.iter().map(|change| (change.at, change.probability)).collect();
        Schedule::new(self.probability, changes)
            .map_err(|error| in_list("changes", error.index, "at", error.to_string()))
    }
}

fn in_list(list: &str, index: usize, key: &str, message: String) -> BuildError {
    BuildError { path: vec![list.to_owned(), index.to_string(), key.to_owned()], message }
}

/// Decides packet by packet what a link loses.
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
    GilbertElliott { chain: GilbertElliott, bad: bool },
}

/// Losses at given times and numbers; the lists are ascending, with what has come by taken off their front.
#[derive(Debug, Clone)]
struct Scheduled {
    windows: VecDeque<LossWindow>,
    /// First and last number.
    by_number: VecDeque<(u64, u64)>,
    /// From when on, and how many.
    by_time: VecDeque<(Time, u64)>,
    /// Packets so far.
    count: u64,
    /// The last number of those that have begun.
    lost_through: u64,
}

impl Loss {
    /// Loss by these parameters; `random` gives the stream of this direction's component of that name (`random` and
    /// `scheduled`: one does not shift the other's draws).
    pub fn new(
        parameters: &LossParameters,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Loss, BuildError> {
        parameters.validate()?;
        Ok(Loss {
            random: RandomLoss::new(parameters)?,
            random_stream: random("random"),
            scheduled: Scheduled::new(parameters),
            scheduled_stream: random("scheduled"),
        })
    }

    /// Why the packet that leaves at `now` is lost, if it is. Asked once a packet, in order of time.
    ///
    /// The random model draws for every packet, also for one that the schedule takes anyway, so that a scheduled
    /// loss moves no later random one.
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
    fn new(parameters: &LossParameters) -> Result<RandomLoss, BuildError> {
        if let Some(chain) = parameters.gilbert_elliott {
            return Ok(RandomLoss::GilbertElliott { chain, bad: false });
        }
        if parameters.probability == Share::ZERO && parameters.changes.is_empty() {
            return Ok(RandomLoss::None);
        }
        let shares = parameters.shares()?;
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
