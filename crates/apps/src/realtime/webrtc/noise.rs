//! How frames miss their budget.
//!
//! Sizes are lognormal about it, each by itself. At the edges of an encoder's quantisers it does worse. Where the budget is most of
//! what the finest makes, VP8's frames alternate between that and coarser ones; at the coarsest they are what the content is.
//! Measured in calls of Chromium (156; 640×360 of a generated picture, frames from the RTP packets): logarithms of sizes over the
//! mean of the 31 about them deviate by 0.05 to 0.1 up to 0.72 of the finest frame, by 0.2 to 0.3 from 0.78 on, with a correlation
//! of -0.48 from frame to frame, by 0.08 once all frames are the finest, and by 0.22 at the coarsest.

use jettison_core::RandomStream;

use crate::load::normal::{lognormal_mean, normal};

/// Budgets as shares of the finest frame from which on sizes alternate.
const FINE: f64 = 0.75;
/// Share of a deviation that the next frame takes back there: the correlation is -0.8 / (1 + 0.8²).
const TAKEN_BACK: f64 = 0.8;

/// Factors on budgets.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    // Parameters: standard deviation of the logarithm, and the mean factor that it would have.
    usual: (f64, f64),
    edge: Option<(f64, f64)>,
    // State.
    random: RandomStream,
    /// The last standard normal value.
    last: f64,
}

impl Noise {
    /// Creates it with the standard deviations of the logarithm in general and at the edges.
    pub(super) fn new(spread: f64, edge: Option<f64>, random: RandomStream) -> Noise {
        let with_mean = |spread| (spread, lognormal_mean(spread));
        Noise { usual: with_mean(spread), edge: edge.map(with_mean), random, last: 0.0 }
    }

    /// The factor of the next frame, whose budget is this share of the finest frame; or which is the coarsest.
    pub(super) fn next(&mut self, of_finest: f64, is_coarsest: bool) -> f64 {
        let own = normal(&mut self.random);
        let is_fine = (FINE..1.0).contains(&of_finest);
        let (spread, mean) = self.edge.filter(|_| is_fine || is_coarsest).unwrap_or(self.usual);
        let deviation = match is_fine && self.edge.is_some() {
            true => (own - TAKEN_BACK * self.last) / (1.0 + TAKEN_BACK * TAKEN_BACK).sqrt(),
            false => own,
        };
        self.last = own;
        libm::exp(spread * deviation) / mean
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;

    /// The standard deviation of the logarithms of 20,000 factors, and their correlation from one to the next.
    fn seen(edge: Option<f64>, of_finest: f64, is_coarsest: bool) -> (f64, f64) {
        let mut noise = Noise::new(0.1, edge, Seed(1).stream(&["sizes"]));
        let logs: Vec<f64> = (0..20_000).map(|_| libm::log(noise.next(of_finest, is_coarsest))).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let product = |a: f64, b: f64| (a - mean) * (b - mean);
        let variance = logs.iter().map(|log| product(*log, *log)).sum::<f64>() / logs.len() as f64;
        let next = logs.windows(2).map(|pair| product(pair[0], pair[1])).sum::<f64>() / logs.len() as f64;
        (variance.sqrt(), next / variance)
    }

    #[test]
    fn sizes_miss_the_budget_more_at_the_edges_and_alternate_at_the_fine_one() {
        for (edge, of_finest, is_coarsest, spread, correlation) in [
            (Some(0.25), 0.7, false, 0.1, 0.0),
            (Some(0.25), 0.8, false, 0.25, -0.488),
            (Some(0.25), 1.0, false, 0.1, 0.0),
            (Some(0.25), 0.1, true, 0.25, 0.0),
            (None, 0.8, false, 0.1, 0.0),
            (None, 0.1, true, 0.1, 0.0),
        ] {
            let found = seen(edge, of_finest, is_coarsest);
            assert!((found.0 - spread).abs() < 0.005, "{of_finest}: {found:?}");
            assert!((found.1 - correlation).abs() < 0.03, "{of_finest}: {found:?}");
        }
    }
}
