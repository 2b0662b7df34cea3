//! Random numbers with correlation over time.

use jettison_core::RandomStream;

/// Draws a standard normal number (Box & Muller 1958).
pub(super) fn normal(random: &mut RandomStream) -> f64 {
    let radius = libm::sqrt(random.exponential(2.0));
    radius * libm::cos(2.0 * std::f64::consts::PI * random.unit())
}

/// Stationary AR(1) sequence of standard normal numbers.
pub(super) struct Correlated {
    correlation: f64,
    level: f64,
}

impl Correlated {
    /// Creates a sequence with a correlation in [0, 1) between neighbours.
    pub(super) fn new(correlation: f64, random: &mut RandomStream) -> Correlated {
        Correlated { correlation, level: normal(random) }
    }

    /// Draws the next number.
    pub(super) fn next(&mut self, random: &mut RandomStream) -> f64 {
        let level = self.level;
        let fresh = libm::sqrt(1.0 - self.correlation * self.correlation);
        self.level = self.correlation * level + fresh * normal(random);
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Seed;

    #[test]
    fn numbers_are_standard_normal_with_the_correlation() {
        let mut random = Seed(4).stream(&["noise"]);
        let mut noise = Correlated::new(0.8, &mut random);
        let drawn: Vec<f64> = (0..200_000).map(|_| noise.next(&mut random)).collect();
        let mean = |of: &dyn Fn(usize) -> f64| (0..199_999).map(of).sum::<f64>() / 199_999.0;
        assert!(mean(&|n| drawn[n]).abs() < 0.03);
        assert!((mean(&|n| drawn[n] * drawn[n]) - 1.0).abs() < 0.03);
        assert!((mean(&|n| drawn[n] * drawn[n + 1]) - 0.8).abs() < 0.03);
    }
}
