//! One drop, and what other decisions in its place would have gained.

use std::fmt;

/// What a continuation is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Milliseconds of picture that the viewers saw in time, all viewers together.
    Picture,
    /// Quality of experience over the horizon, all viewers together, in the application's own unit.
    Quality,
    /// Kilobits that the flows without viewers received.
    Goodput,
    /// Mean sojourn time in the queue, in milliseconds.
    Latency,
}

impl Measure {
    /// All measures, in the order of [`Values`].
    pub const ALL: [Measure; 4] = [Measure::Picture, Measure::Quality, Measure::Goodput, Measure::Latency];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Measure::Picture => "picture",
            Measure::Quality => "quality",
            Measure::Goodput => "goodput",
            Measure::Latency => "latency",
        }
    }
}

/// A value of each measure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Values(pub [f64; Measure::ALL.len()]);

impl Values {
    /// The value of a measure.
    pub fn of(&self, measure: Measure) -> f64 {
        self.0[measure as usize]
    }

    /// These values less others.
    pub fn less(&self, other: &Values) -> Values {
        Values(std::array::from_fn(|place| self.0[place] - other.0[place]))
    }
}

/// What is done in place of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arm {
    /// The packet is kept.
    Spare,
    /// The packet is kept, and a waiting packet of a viewer is dropped.
    SwapViewer,
    /// The packet is kept, and a waiting packet of a flow without a viewer is dropped.
    SwapOther,
    /// Nothing: the decision stands, and only the draws are others. Its true gain is zero.
    Redraw,
}

impl Arm {
    /// All arms.
    pub const ALL: [Arm; 4] = [Arm::Spare, Arm::SwapViewer, Arm::SwapOther, Arm::Redraw];
    /// The arms that a policy could choose.
    pub const CHOICES: [Arm; 3] = [Arm::Spare, Arm::SwapViewer, Arm::SwapOther];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Arm::Spare => "spare",
            Arm::SwapViewer => "swap-viewer",
            Arm::SwapOther => "swap-other",
            Arm::Redraw => "redraw",
        }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an arm gained over the base.
#[derive(Debug, Clone, PartialEq)]
pub struct Gains {
    /// The arm.
    pub arm: Arm,
    /// One per draw, paired with the base under the same draw.
    pub draws: Vec<Values>,
}

impl Gains {
    /// The mean over the draws.
    pub fn mean(&self, measure: Measure) -> f64 {
        mean(self.draws.iter().map(|values| values.of(measure)))
    }

    /// The means over the draws at even and at odd places.
    pub fn halves(&self, measure: Measure) -> [f64; 2] {
        [0, 1].map(|first| mean(self.draws.iter().skip(first).step_by(2).map(|values| values.of(measure))))
    }
}

/// A property of a decision that can be known as it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Whose packet was dropped: a viewer's or another's.
    Owner,
    /// What it carried: kind of unit, with the layer where there is one.
    Unit,
    /// Its place in the unit: first, middle or last.
    Place,
    /// Whether its unit had lost a packet before.
    Broken,
    /// Whether it was sent again.
    Retransmission,
    /// The backlog as it was dropped.
    Backlog,
    /// What its flow holds of the queue, over what the flows that wait hold on average.
    Share,
    /// What the waiting packet of a viewer carried that a swap would drop.
    Victim,
    /// Whether the unit of that packet had lost a packet before.
    VictimBroken,
}

impl Feature {
    /// All features.
    pub const ALL: [Feature; 9] = [
        Feature::Owner,
        Feature::Unit,
        Feature::Place,
        Feature::Broken,
        Feature::Retransmission,
        Feature::Backlog,
        Feature::Share,
        Feature::Victim,
        Feature::VictimBroken,
    ];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Owner => "owner",
            Feature::Unit => "unit",
            Feature::Place => "place",
            Feature::Broken => "broken",
            Feature::Retransmission => "retransmission",
            Feature::Backlog => "backlog",
            Feature::Share => "share",
            Feature::Victim => "victim",
            Feature::VictimBroken => "victim-broken",
        }
    }
}

/// One decision and the gains of its arms.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the drop within the run.
    pub decision: u64,
    /// Whether the dropped packet was of a flow with a viewer.
    pub of_viewer: bool,
    /// Its features, each at most once.
    pub features: Vec<(Feature, String)>,
    /// The arms that were possible.
    pub arms: Vec<Gains>,
}

impl Trial {
    /// The gains of an arm, if it was possible.
    pub fn gains(&self, arm: Arm) -> Option<&Gains> {
        self.arms.iter().find(|gains| gains.arm == arm)
    }

    /// The value of a feature; empty if it has none.
    pub fn feature(&self, feature: Feature) -> &str {
        self.features.iter().find(|(name, _)| *name == feature).map_or("", |(_, value)| value)
    }
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
    if n == 0 { 0.0 } else { sum / f64::from(n) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A trial with the gains in picture of each arm, draw by draw.
    pub fn trial(seed: u64, arms: &[(Arm, &[f64])]) -> Trial {
        let gains = |(arm, values): &(Arm, &[f64])| Gains {
            arm: *arm,
            draws: values.iter().map(|value| Values([*value, 0.0, 0.0, 0.0])).collect(),
        };
        Trial {
            seed,
            decision: 0,
            of_viewer: true,
            features: Vec::new(),
            arms: arms.iter().map(gains).collect(),
        }
    }

    #[test]
    fn halves_take_turns_among_the_draws() {
        let gains = trial(1, &[(Arm::Spare, &[1.0, 10.0, 3.0, 30.0, 5.0])]).arms.remove(0);
        assert_eq!(gains.halves(Measure::Picture), [3.0, 20.0]);
        assert_eq!(gains.mean(Measure::Picture), 9.8);
    }

    #[test]
    fn measures_are_in_the_order_of_the_values() {
        let values = Values([1.0, 2.0, 3.0, 4.0]);
        assert_eq!(Measure::ALL.map(|measure| values.of(measure)), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(values.less(&Values([1.0; 4])).0, [0.0, 1.0, 2.0, 3.0]);
    }
}
