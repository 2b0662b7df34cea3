//! Standard normal numbers, truncated.

use core::f64::consts::{SQRT_2, TAU};

use jettison_core::RandomStream;

/// Deviations are at most this many standard deviations.
pub(crate) const CUT: f64 = 3.0;

/// Draws a standard normal number (Box & Muller 1958), truncated at [`CUT`] by rejection.
pub(crate) fn normal(random: &mut RandomStream) -> f64 {
    loop {
        let radius = libm::sqrt(-2.0 * libm::log1p(-random.unit()));
        let deviation = radius * libm::cos(TAU * random.unit());
        if deviation.abs() <= CUT {
            return deviation;
        }
    }
}

/// Mean of e^(`sigma` · z) for z of [`normal`].
pub(crate) fn lognormal_mean(sigma: f64) -> f64 {
    // ∫ e^(σz) φ(z) dz over the interval, over its probability; completing the square moves the normal by σ.
    let share = |from: f64, to: f64| (libm::erf(to / SQRT_2) - libm::erf(from / SQRT_2)) / 2.0;
    libm::exp(sigma * sigma / 2.0) * share(-CUT - sigma, CUT - sigma) / share(-CUT, CUT)
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;

    #[test]
    fn truncated_numbers_have_the_mean_that_is_computed() {
        let mut random = Seed(1).stream(&["normal"]);
        let drawn: Vec<f64> = (0..200_000).map(|_| normal(&mut random)).collect();
        assert!(drawn.iter().all(|z| z.abs() <= CUT));
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        for sigma in [0.0, 0.5, 1.25] {
            let mean = drawn.iter().map(|z| libm::exp(sigma * z)).sum::<f64>() / drawn.len() as f64;
            assert!((mean / lognormal_mean(sigma) - 1.0).abs() < 0.02, "{sigma}: {mean}");
        }
    }
}
