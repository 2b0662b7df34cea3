//! The model of a link: rates, their evolution, and their deliveries over the next ticks.
//!
//! The link delivers packets as a Poisson process whose rate λ wanders in a Brownian motion (Winstein et al. 2013, §3.1).
//! λ is one of 256 values (§3.2). The tables that do not depend on observations are computed here once:
//!
//! - a step of evolution is a convolution with a band of the normal distribution; mass beyond the ends accumulates
//!   there, and λ = 0 (an outage) is left only at the escape rate λ_z;
//! - the probability that at most n packets are delivered over the next i ticks, given the current rate. With T the
//!   step of evolution and p the Poisson distribution, `V_i(x, n) = Σ_y T(x, y) Σ_k p(k; y·τ) V_{i−1}(y, n − k)`: a
//!   backward recursion computes it for all rates at once.
//!   backwards gives it for all rates at once.

use std::sync::{Arc, OnceLock};

/// Number of rates (§3.2).
pub(super) const RATES: usize = 256;
/// Number of ticks of a forecast (§3.3).
pub(super) const TICKS: usize = 8;
/// Number of accumulators of a sum over the rates: a fixed order of additions that a compiler can vectorise.
const LANES: usize = 8;

/// Parameters of the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ModelParameters {
    /// Highest rate, in packets per second.
    pub(super) max_rate: f64,
    /// Brownian noise power, in packets per second per root second.
    pub(super) sigma: f64,
    /// Escape rate from an outage, per second.
    pub(super) escape: f64,
    /// Length of a tick in seconds.
    pub(super) tick: f64,
}

impl ModelParameters {
    /// The paper's values: 1,000 packets/s, 200 packets/s/√s, 1/s, 20 ms.
    pub(super) const PAPER: ModelParameters =
        ModelParameters { max_rate: 1000.0, sigma: 200.0, escape: 1.0, tick: 0.02 };
}

/// The tables.
#[derive(Debug)]
pub(super) struct Model {
    /// Mean number of packets per tick at each rate.
    pub(super) mean: [f64; RATES],
    /// Its logarithm; 0 for the rate zero, which is a special case.
    pub(super) ln_mean: [f64; RATES],
    /// Probability of moving by −h … h steps in a tick.
    kernel: Vec<f64>,
    /// Probability of an outage after a tick, from each rate.
    to_zero: [f64; RATES],
    /// Probability of the highest rate after a tick, from each rate.
    to_highest: [f64; RATES],
    /// Probability of each rate after a tick, from an outage.
    from_zero: [f64; RATES],
    /// `[k][rate]`: probability of at least k packets in a tick.
    at_least: Vec<[f32; RATES]>,
    /// `[tick][n][rate]`: probability of at most n packets in ticks 1 … i.
    at_most: Vec<Vec<[f32; RATES]>>,
}

impl Model {
    /// The tables for `parameters`; those of the paper are computed once per process.
    pub(super) fn of(parameters: ModelParameters) -> Arc<Model> {
        static PAPER: OnceLock<Arc<Model>> = OnceLock::new();
        if parameters == ModelParameters::PAPER {
            return PAPER.get_or_init(|| Arc::new(Model::new(parameters))).clone();
        }
        Arc::new(Model::new(parameters))
    }

    fn new(parameters: ModelParameters) -> Model {
        let step = parameters.max_rate / (RATES - 1) as f64;
        let mean: [f64; RATES] = std::array::from_fn(|x| x as f64 * step * parameters.tick);
        let ln_mean = std::array::from_fn(|x| if x == 0 { 0.0 } else { libm::log(mean[x]) });
        // §3.2: the standard deviation of one tick's motion, in steps of the rate.
        let deviation = parameters.sigma * parameters.tick.sqrt() / step;
        let kernel = normal_band(deviation);
        let half = kernel.len() / 2;
        let stay = libm::exp(-parameters.escape * parameters.tick);
        let beyond = |from: usize| kernel.iter().skip(from).sum::<f64>();
        // The band is symmetric: falling by x or more is as likely as rising by as much.
        let mut to_zero: [f64; RATES] = std::array::from_fn(|x| beyond(half + x));
        let mut to_highest: [f64; RATES] = std::array::from_fn(|x| beyond(half + RATES - 1 - x));
        let mut from_zero = [0.0; RATES];
        let rises: f64 = beyond(half + 1);
        for (y, chance) in from_zero.iter_mut().enumerate().skip(1) {
            let share = kernel.get(half + y).copied().unwrap_or(0.0);
            *chance = (1.0 - stay) * if rises > 0.0 { share / rises } else { f64::from(u8::from(y == 1)) };
        }
        from_zero[0] = stay;
        to_zero[0] = 0.0; // `from_zero` covers it
        to_highest[0] = 0.0;
        let mut model = Model {
            mean,
            ln_mean,
            kernel,
            to_zero,
            to_highest,
            from_zero,
            at_least: Vec::new(),
            at_most: Vec::new(),
        };
        model.fill();
        model
    }

    /// Advances `belief` by one tick of evolution (§3.2.1).
    pub(super) fn evolve(&self, belief: &mut [f64; RATES]) {
        let half = self.kernel.len() / 2;
        // The outage moves by its own rule; the padding on both sides represents rates that do not exist.
        let mut padded = [0.0; 3 * RATES];
        padded[RATES + 1..2 * RATES].copy_from_slice(&belief[1..]);
        let mut next = [0.0; RATES];
        for (d, chance) in self.kernel.iter().enumerate() {
            let shifted = &padded[RATES + d - half..2 * RATES + d - half];
            for (sum, old) in next.iter_mut().zip(shifted) {
                *sum += chance * old;
            }
        }
        for (sum, chance) in next.iter_mut().zip(&self.from_zero) {
            *sum += chance * belief[0];
        }
        next[0] = self.from_zero[0] * belief[0] + dot(belief, &self.to_zero);
        next[RATES - 1] = self.from_zero[RATES - 1] * belief[0] + dot(belief, &self.to_highest);
        *belief = next;
    }

    /// Probability of at least `packets` in a tick, for each rate.
    pub(super) fn at_least(&self, packets: u64) -> &[f32; RATES] {
        let last = self.at_least.len() - 1;
        &self.at_least[usize::try_from(packets).map_or(last, |packets| packets.min(last))]
    }

    /// The number of packets delivered over the next `ticks` with a probability of at least 1 − `percentile` (§3.3):
    /// the smallest n that is not exceeded with probability `percentile`.
    pub(super) fn forecast(&self, belief: &[f64; RATES], ticks: usize, percentile: f64) -> u64 {
        let Some(table) = ticks.checked_sub(1).and_then(|index| self.at_most.get(index)) else { return 0 };
        table.partition_point(|at_most| dot(belief, at_most) < percentile) as u64
    }

    fn fill(&mut self) {
        let (highest, per_tick) =
            (self.mean[RATES - 1], |mean: f64| (mean + 8.0 * mean.sqrt() + 8.0) as usize);
        let arrivals: Vec<[f64; RATES]> = poisson(&self.mean, per_tick(highest));
        let mut below = [0.0; RATES];
        for chances in &arrivals {
            self.at_least.push(below.map(|below: f64| (1.0 - below).max(0.0) as f32));
            for (below, chance) in below.iter_mut().zip(chances) {
                *below += chance;
            }
        }
        let counts = per_tick(highest * TICKS as f64);
        let mut known = vec![[1.0; RATES]; counts];
        for _ in 0..TICKS {
            known = self.one_tick_back(&known, &arrivals);
            self.at_most.push(known.iter().map(|row| row.map(|chance| chance as f32)).collect());
        }
    }

    /// `V_i` from `V_{i−1}`.
    fn one_tick_back(&self, known: &[[f64; RATES]], arrivals: &[[f64; RATES]]) -> Vec<[f64; RATES]> {
        let half = self.kernel.len() / 2;
        let mut result = Vec::with_capacity(known.len());
        for n in 0..known.len() {
            let mut delivered = [0.0; RATES];
            for (k, chances) in arrivals.iter().enumerate().take(n + 1) {
                for ((sum, chance), rest) in delivered.iter_mut().zip(chances).zip(&known[n - k]) {
                    *sum += chance * rest;
                }
            }
            // A rate that would move beyond an end stays there.
            let mut padded = [delivered[0]; 3 * RATES];
            padded[RATES..2 * RATES].copy_from_slice(&delivered);
            padded[2 * RATES..].fill(delivered[RATES - 1]);
            let mut row = [0.0; RATES];
            for (d, chance) in self.kernel.iter().enumerate() {
                let shifted = &padded[RATES + d - half..2 * RATES + d - half];
                for (sum, later) in row.iter_mut().zip(shifted) {
                    *sum += chance * later;
                }
            }
            row[0] = dot(&delivered, &self.from_zero);
            result.push(row);
        }
        result
    }
}

/// The normal distribution of the given standard deviation, in steps of one, truncated at four deviations and
/// normalised.
fn normal_band(deviation: f64) -> Vec<f64> {
    let half = ((4.0 * deviation).ceil() as usize).clamp(1, RATES - 1);
    let scale = 1.0 / (deviation.max(1e-9) * std::f64::consts::SQRT_2);
    let below = |x: f64| 0.5 * (1.0 + libm::erf(x * scale));
    let mut band: Vec<f64> = (0..=2 * half)
        .map(|d| d as f64 - half as f64)
        .map(|distance| below(distance + 0.5) - below(distance - 0.5))
        .collect();
    let whole: f64 = band.iter().sum();
    band.iter_mut().for_each(|chance| *chance /= whole);
    band
}

/// `[k][rate]`: probability of exactly k packets, k below `counts`.
fn poisson(mean: &[f64; RATES], counts: usize) -> Vec<[f64; RATES]> {
    let mut rows = Vec::with_capacity(counts);
    let mut row = mean.map(|mean| libm::exp(-mean));
    for k in 0..counts {
        rows.push(row);
        for (chance, mean) in row.iter_mut().zip(mean) {
            *chance *= mean / (k + 1) as f64;
        }
    }
    rows
}

/// The sum of products, in a fixed order.
fn dot<T: Copy + Into<f64>>(a: &[f64; RATES], b: &[T; RATES]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane].into();
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rate: usize) -> [f64; RATES] {
        let mut belief = [0.0; RATES];
        belief[rate] = 1.0;
        belief
    }

    fn moments(belief: &[f64; RATES]) -> (f64, f64, f64) {
        let step = 1000.0 / 255.0;
        let whole: f64 = belief.iter().sum();
        let mean: f64 = belief.iter().enumerate().map(|(x, p)| p * x as f64 * step).sum();
        let square: f64 = belief.iter().enumerate().map(|(x, p)| p * x as f64 * step * x as f64 * step).sum();
        (whole, mean, (square - mean * mean).sqrt())
    }

    #[test]
    fn sprout_3_2_the_rates_are_256_from_0_to_1000_packets_a_second() {
        let model = Model::of(ModelParameters::PAPER);
        assert_eq!(model.mean[0], 0.0);
        assert!((model.mean[255] / 0.02 - 1000.0).abs() < 1e-9);
        assert!((model.mean[1] / 0.02 - 1000.0 / 255.0).abs() < 1e-9);
    }

    #[test]
    fn sprout_3_2_1_the_rate_wanders_by_sigma_root_time() {
        let model = Model::of(ModelParameters::PAPER);
        let mut belief = point(128);
        for _ in 0..5 {
            model.evolve(&mut belief);
        }
        let (whole, mean, deviation) = moments(&belief);
        assert!((whole - 1.0).abs() < 1e-9, "{whole}");
        assert!((mean - 128.0 * 1000.0 / 255.0).abs() < 0.5, "{mean}");
        // 200·√0.1 = 63.2 packets/s, plus the twelfth of a step that rounding adds per tick.
        assert!((deviation - 63.2).abs() < 1.0, "{deviation}");
    }

    #[test]
    fn sprout_3_2_1_an_outage_is_sticky() {
        let model = Model::of(ModelParameters::PAPER);
        let mut belief = point(0);
        model.evolve(&mut belief);
        assert!((belief[0] - libm::exp(-0.02)).abs() < 1e-9, "{}", belief[0]);
        // An outage is likely from a low rate, and unlikely from a high one.
        let mut low = point(2);
        model.evolve(&mut low);
        assert!(low[0] > 0.3, "{}", low[0]);
        let mut high = point(200);
        model.evolve(&mut high);
        assert_eq!(high[0], 0.0);
        // No mass leaves at the other end.
        let mut highest = point(255);
        model.evolve(&mut highest);
        assert!((moments(&highest).0 - 1.0).abs() < 1e-9);
        assert!(highest[255] > 0.5);
    }

    #[test]
    fn sprout_3_3_the_forecast_is_the_percentile_of_all_paths() {
        // Compared with a simulation of the model: 20,000 paths from a known rate.
        let model = Model::of(ModelParameters::PAPER);
        let mut random = jettison_core::Seed(5).stream(&["sprout"]);
        let (start, paths) = (100usize, 20_000);
        let mut delivered: Vec<u64> = (0..paths)
            .map(|_| {
                let (mut rate, mut count) = (start, 0);
                for _ in 0..5 {
                    let mut chances = point(rate);
                    model.evolve(&mut chances);
                    let mut draw = random.unit();
                    rate = chances
                        .iter()
                        .position(|chance| {
                            draw -= chance;
                            draw < 0.0
                        })
                        .unwrap_or(rate);
                    let mut time = random.exponential(1.0);
                    while time < model.mean[rate] {
                        count += 1;
                        time += random.exponential(1.0);
                    }
                }
                count
            })
            .collect();
        delivered.sort_unstable();
        for percentile in [0.05, 0.25, 0.5] {
            let simulated = delivered[(percentile * paths as f64) as usize] as f64;
            let forecast = model.forecast(&point(start), 5, percentile) as f64;
            assert!((forecast - simulated).abs() <= 1.0, "{percentile}: {forecast} and {simulated}");
        }
    }

    #[test]
    fn forecasts_grow_with_time_and_with_rate() {
        let model = Model::of(ModelParameters::PAPER);
        for rate in [0, 10, 100, 255] {
            let forecasts: Vec<u64> =
                (1..=TICKS).map(|ticks| model.forecast(&point(rate), ticks, 0.05)).collect();
            assert!(forecasts.is_sorted(), "{rate}: {forecasts:?}");
        }
        assert_eq!(model.forecast(&point(0), 8, 0.05), 0);
        assert!(model.forecast(&point(200), 5, 0.05) > model.forecast(&point(100), 5, 0.05));
        assert_eq!(model.forecast(&point(100), 0, 0.05), 0);
    }

    #[test]
    fn other_parameters_give_normalised_tables_too() {
        for parameters in [
            ModelParameters { sigma: 0.0, ..ModelParameters::PAPER },
            ModelParameters { sigma: 50_000.0, ..ModelParameters::PAPER },
            ModelParameters { max_rate: 10.0, tick: 0.005, ..ModelParameters::PAPER },
        ] {
            let model = Model::new(parameters);
            let mut belief = [1.0 / RATES as f64; RATES];
            for _ in 0..20 {
                model.evolve(&mut belief);
            }
            let whole: f64 = belief.iter().sum();
            assert!((whole - 1.0).abs() < 1e-6, "{parameters:?}: {whole}");
            let last = model.at_most[TICKS - 1].last().expect("there is always a count");
            assert!(last.iter().all(|chance| *chance > 0.999), "{parameters:?}");
        }
    }
}
