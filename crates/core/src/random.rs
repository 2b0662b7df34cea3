//! Seeded random streams, one per named component.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

use crate::fork;

/// The seed of one run, from which every component's stream is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// Derives the stream of the component that `path` names, such as `["flows", "bulk", "start"]`.
    ///
    /// The key is SHA-256 of the seed and the length-prefixed names, so adding a flow changes no other flow's draws, and
    /// all arms of a comparison share their draws. In a fork with fresh draws ([`fork::drawing`]) it is keyed by these, too.
    pub fn stream(self, path: &[&str]) -> RandomStream {
        let mut hash = Sha256::new();
        hash.update(self.0.to_le_bytes());
        for name in path {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        RandomStream(ChaCha8Rng::from_seed(hash.finalize().into())).keyed(fork::draw())
    }
}

/// One component's random numbers: ChaCha8, identical on every machine.
///
/// It implements [`rand::Rng`], so libraries of distributions can draw from it directly.
///
/// A clone continues with the draws of the original, unless it is made in a fork with fresh draws ([`fork`]): then it starts a
/// stream of its own, whose key is SHA-256 of the original's key and the number of the draw.
#[derive(Debug)]
pub struct RandomStream(ChaCha8Rng);

impl Clone for RandomStream {
    fn clone(&self) -> RandomStream {
        RandomStream(self.0.clone()).keyed(fork::draw())
    }
}

impl RandomStream {
    /// The stream that belongs to a fork's draw; this one for 0.
    fn keyed(self, draw: u64) -> RandomStream {
        if draw == 0 {
            return self;
        }
        let mut hash = Sha256::new();
        hash.update(self.0.get_seed());
        hash.update(draw.to_le_bytes());
        RandomStream(ChaCha8Rng::from_seed(hash.finalize().into()))
    }

    /// Uniform in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `low..=high`, unbiased (Lemire's multiply and reject); `low` if the range is empty.
    ///
    /// P4's `random()` and its native twins both call this, so their draws are identical.
    pub fn uniform(&mut self, low: u64, high: u64) -> u64 {
        let Some(span) = high.checked_sub(low) else { return low };
        let Some(count) = span.checked_add(1) else { return self.0.next_u64() };
        let reject_below = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(count);
            if product as u64 >= reject_below {
                return low + (product >> 64) as u64;
            }
        }
    }

    /// True with the given probability. Certain outcomes (≤ 0, ≥ 1) draw nothing.
    pub fn chance(&mut self, probability: f64) -> bool {
        if probability <= 0.0 {
            false
        } else if probability >= 1.0 {
            true
        } else {
            self.unit() < probability
        }
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.unit())
    }
}

impl rand::rand_core::TryRng for RandomStream {
    type Error = std::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.0.next_u32())
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0.next_u64())
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_names_alone() {
        let draw = |seed: u64, path: &[&str]| Seed(seed).stream(path).uniform(0, u64::MAX);
        assert_eq!(draw(1, &["flows", "a"]), draw(1, &["flows", "a"]));
        assert_ne!(draw(1, &["flows", "a"]), draw(2, &["flows", "a"]));
        assert_ne!(draw(1, &["flows", "a"]), draw(1, &["flows", "b"]));
        assert_ne!(draw(1, &["ab", "c"]), draw(1, &["a", "bc"]));
    }

    #[test]
    fn a_stream_never_changes_between_versions() {
        let mut stream = Seed(7).stream(&["golden"]);
        let drawn = [stream.uniform(0, 511), stream.uniform(0, 511), stream.uniform(0, 511)];
        assert_eq!(drawn, GOLDEN);
    }
    const GOLDEN: [u64; 3] = [368, 463, 121];

    #[test]
    fn uniform_covers_its_range_evenly() {
        let mut stream = Seed(3).stream(&["uniform"]);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[(stream.uniform(5, 10) - 5) as usize] += 1;
        }
        assert!(counts.iter().all(|n| (9_500..10_500).contains(n)), "{counts:?}");
        assert_eq!(stream.uniform(4, 4), 4);
    }

    #[test]
    fn a_clone_continues_and_a_fresh_one_draws_anew() {
        let draws = |mut stream: RandomStream| [(); 4].map(|()| stream.uniform(0, u64::MAX));
        let mut stream = Seed(9).stream(&["forked"]);
        stream.unit();
        let fresh = |draw| draws(fork::forking(draw, || stream.clone()).unwrap());
        let (own, one, two) = (draws(stream.clone()), fresh(1), fresh(2));
        assert_eq!((fresh(0), fresh(1)), (own, one));
        assert!(own != one && own != two && one != two);
        let derived = fork::drawing(1, || Seed(9).stream(&["forked"]));
        assert_eq!(draws(derived), one);
        // A fork of a fork differs from both.
        let twice = fork::forking(1, || fork::forking(1, || stream.clone()).unwrap().clone()).unwrap();
        assert!(![own, one, two].contains(&draws(twice)));
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut stream = Seed(3).stream(&["exponential"]);
        let mean = (0..100_000).map(|_| stream.exponential(2.0)).sum::<f64>() / 100_000.0;
        assert!((mean - 2.0).abs() < 0.03, "{mean}");
    }
}
