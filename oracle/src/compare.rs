//! Differences between a kernel and the simulator, with bounds.

use std::fmt;

use crate::case::Case;
use crate::job::Measured;
use crate::simulate::Simulated;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Goodput of all flows, in Mbit/s.
    Goodput,
    /// Packets dropped or marked at the bottleneck.
    Signals,
    /// Mean sojourn time at the bottleneck, in ms.
    Sojourn,
    /// Mean completion time, in ms.
    Completion,
}

impl Quantity {
    /// All quantities, in the order of the table.
    pub const ALL: [Quantity; 4] =
        [Quantity::Goodput, Quantity::Signals, Quantity::Sojourn, Quantity::Completion];

    /// The key in `explained`.
    pub fn key(self) -> &'static str {
        match self {
            Quantity::Goodput => "goodput",
            Quantity::Signals => "drops",
            Quantity::Sojourn => "sojourn",
            Quantity::Completion => "completion",
        }
    }

    /// Relative bound.
    fn share(self) -> f64 {
        match self {
            Quantity::Goodput => 0.03,
            Quantity::Signals => 0.2,
            Quantity::Sojourn => 0.15,
            Quantity::Completion => 0.1,
        }
    }

    /// The kernel's value of a run; `None` for completion times of a run without any.
    pub fn in_kernel(self, run: &Measured) -> Option<f64> {
        match self {
            Quantity::Goodput => Some(run.goodput_mbps),
            Quantity::Signals => Some((run.drops + run.marks) as f64),
            Quantity::Sojourn => Some(run.sojourn_mean_ms),
            Quantity::Completion => mean(run.completion_ms.iter().copied()),
        }
    }

    fn simulated(self, run: &Simulated) -> Option<f64> {
        match self {
            Quantity::Goodput => Some(run.goodput_mbps),
            Quantity::Signals => Some(run.drops + run.marks),
            Quantity::Sojourn => Some(run.sojourn_mean_ms),
            Quantity::Completion => mean(run.completion_ms.iter().copied()),
        }
    }
}

/// A mean over runs with its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The mean.
    pub mean: f64,
    /// Standard deviation of single runs; 0 with one run.
    pub deviation: f64,
}

/// One quantity of one case.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What is compared.
    pub quantity: Quantity,
    /// The kernel's runs.
    pub kernel: Sample,
    /// The simulator's runs.
    pub simulated: Sample,
}

impl Comparison {
    /// Whether the difference of the means is within the bound.
    pub fn is_within_bound(&self) -> bool {
        let difference = (self.simulated.mean - self.kernel.mean).abs();
        let absolute = match self.quantity {
            Quantity::Goodput | Quantity::Completion => 0.0,
            // Two standard deviations of single runs. Three runs of the kernel estimate theirs poorly, so the larger of
            // both counts.
            Quantity::Signals => 2.0 * self.kernel.deviation.max(self.simulated.deviation),
            Quantity::Sojourn => 0.5,
        };
        difference <= (self.quantity.share() * self.kernel.mean).max(absolute)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = if self.quantity == Quantity::Signals { 0 } else { 2 };
        write!(f, "{:.decimals$} / {:.decimals$}", self.simulated.mean, self.kernel.mean)
    }
}

/// Compares all quantities of a case.
pub fn compare(case: &Case, kernel: &[&Measured], simulated: &[Simulated]) -> Vec<Comparison> {
    let quantities =
        Quantity::ALL.into_iter().filter(|q| *q != Quantity::Completion || case.has_completions());
    quantities
        .filter_map(|quantity| {
            Some(Comparison {
                quantity,
                kernel: sample(kernel.iter().filter_map(|run| quantity.in_kernel(run)))?,
                simulated: sample(simulated.iter().filter_map(|run| quantity.simulated(run)))?,
            })
        })
        .collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    sample(values).map(|sample| sample.mean)
}

/// Mean and standard deviation; `None` without values.
fn sample(values: impl Iterator<Item = f64>) -> Option<Sample> {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let deviation = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    Some(Sample { mean, deviation })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(quantity: Quantity, kernel: [f64; 3], simulated: f64) -> Comparison {
        let kernel = sample(kernel.into_iter()).expect("there are values");
        Comparison { quantity, kernel, simulated: Sample { mean: simulated, deviation: 0.0 } }
    }

    #[test]
    fn bounds_are_relative_and_for_drops_and_sojourn_also_absolute() {
        assert!(comparison(Quantity::Goodput, [10.0; 3], 10.29).is_within_bound());
        assert!(!comparison(Quantity::Goodput, [10.0; 3], 9.69).is_within_bound());
        assert!(comparison(Quantity::Completion, [100.0; 3], 109.9).is_within_bound());
        assert!(!comparison(Quantity::Completion, [100.0; 3], 110.1).is_within_bound());
        // Mean 10, deviation 5.
        assert!(comparison(Quantity::Signals, [5.0, 10.0, 15.0], 19.9).is_within_bound());
        assert!(!comparison(Quantity::Signals, [5.0, 10.0, 15.0], 20.1).is_within_bound());
        assert!(comparison(Quantity::Signals, [100.0; 3], 119.0).is_within_bound());
        assert!(comparison(Quantity::Sojourn, [1.0; 3], 1.49).is_within_bound());
        assert!(!comparison(Quantity::Sojourn, [1.0; 3], 1.51).is_within_bound());
        assert!(comparison(Quantity::Sojourn, [10.0; 3], 11.4).is_within_bound());
    }

    #[test]
    fn a_sample_of_one_value_has_no_deviation() {
        assert_eq!(sample([2.0].into_iter()), Some(Sample { mean: 2.0, deviation: 0.0 }));
        assert_eq!(sample(std::iter::empty()), None);
    }
}
