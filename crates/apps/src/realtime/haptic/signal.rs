//! Force signal of a haptic stream. It is synthetic, without a recording; all of its assumptions are in this file.
//!
//! Contacts and phases of free motion alternate; both have exponentially distributed durations. In free motion the
//! force is zero. In contact it is
//!
//! F(t) = force · w(t) · exp(Σ aᵢ sin(2π fᵢ t + φᵢ)),
//!
//! a smooth random function with a band-limited logarithm: a Weber fraction is a ratio, so changes of the logarithm
//! matter. w rises at the start of a contact and falls at its end. Each contact draws its own tones.

use core::f64::consts::{PI, TAU};

use jettison_core::{Duration, RandomStream};

use super::HapticParameters;

/// Number of sinusoids per contact: enough not to look periodic over a few seconds.
const TONES: usize = 8;
/// Frequency band of the sinusoids in hertz. Voluntary hand motion is slower than about 10 Hz; below 0.5 Hz there
/// would be no motion within a contact of two seconds. Our assumption.
const BAND: [f64; 2] = [0.5, 10.0];
/// Standard deviation of the force's logarithm: two of them on both sides are a factor of e. Our assumption.
const LOG_DEVIATION: f64 = 0.5;
/// Rise and fall time of the force: perceived forces have a bandwidth of about 30 Hz, which gives 0.35 / 30 Hz, plus
/// the same again for the compliance of the hand. Our assumption.
const ONSET: Duration = Duration::from_millis(20);

/// Seeded force over time. Times must be requested in ascending order.
#[derive(Debug, Clone)]
pub struct Signal {
    // Parameters.
    force: f64,
    contact: Duration,
    free_motion: Duration,
    random: RandomStream,
    // State: the current phase, and whether it is a contact.
    begin: Duration,
    end: Duration,
    is_contact: bool,
    tones: [Tone; TONES],
}

#[derive(Debug, Clone, Copy, Default)]
struct Tone {
    /// Angular frequency in radians per second.
    frequency: f64,
    amplitude: f64,
    phase: f64,
}

impl Signal {
    /// Creates a signal from a random stream.
    pub fn new(parameters: &HapticParameters, mut random: RandomStream) -> Signal {
        // Durations are memoryless: starting within a phase is equivalent to starting at its beginning.
        let [contact, free] = [parameters.contact, parameters.free_motion].map(Duration::as_secs_f64);
        let first_is_contact = random.chance(contact / (contact + free));
        let mut signal = Signal {
            force: parameters.force,
            contact: parameters.contact,
            free_motion: parameters.free_motion,
            random,
            begin: Duration::ZERO,
            end: Duration::ZERO,
            is_contact: !first_is_contact,
            tones: [Tone::default(); TONES],
        };
        signal.next_phase();
        signal
    }

    /// Returns the force in newtons at time `elapsed` after the start.
    pub fn at(&mut self, elapsed: Duration) -> f64 {
        while elapsed >= self.end {
            self.next_phase();
        }
        if !self.is_contact {
            return 0.0;
        }
        let time = elapsed.saturating_sub(self.begin);
        let to_edge = time.min(self.end.saturating_sub(elapsed));
        let exponent: f64 = self.tones.iter().map(|tone| tone.at(time.as_secs_f64())).sum();
        self.force * onset(to_edge) * libm::exp(exponent)
    }

    fn next_phase(&mut self) {
        self.is_contact = !self.is_contact;
        self.begin = self.end;
        let mean = if self.is_contact { self.contact } else { self.free_motion };
        let mut length = Duration::from_secs_f64(self.random.exponential(mean.as_secs_f64()));
        if self.is_contact {
            // Long enough to rise and to fall; also, each pair of phases takes a nonzero time.
            length = length.max(ONSET * 2);
            self.draw_tones();
        }
        self.end = self.begin.saturating_add(length);
    }

    /// Draws one tone in each of `TONES` bands of equal width on the logarithmic scale.
    fn draw_tones(&mut self) {
        let [low, high] = BAND;
        for (index, tone) in self.tones.iter_mut().enumerate() {
            let place = (index as f64 + self.random.unit()) / TONES as f64;
            let hertz = low * libm::pow(high / low, place);
            // Slow motions are large: amplitudes fall as 1/f, so all tones change the force equally fast.
            *tone = Tone { frequency: TAU * hertz, amplitude: 1.0 / hertz, phase: TAU * self.random.unit() };
        }
        let variance: f64 = self.tones.iter().map(|tone| tone.amplitude * tone.amplitude / 2.0).sum();
        let scale = LOG_DEVIATION / libm::sqrt(variance);
        self.tones.iter_mut().for_each(|tone| tone.amplitude *= scale);
    }
}

impl Tone {
    fn at(&self, seconds: f64) -> f64 {
        self.amplitude * libm::sin(self.frequency * seconds + self.phase)
    }
}

/// Rise of the force from 0 at the edge of a contact to 1: a raised cosine.
fn onset(to_edge: Duration) -> f64 {
    if to_edge >= ONSET {
        return 1.0;
    }
    (1.0 - libm::cos(PI * to_edge.as_secs_f64() / ONSET.as_secs_f64())) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Seed;

    const SAMPLES: u64 = 600_000;

    fn ten_minutes(seed: u64) -> Vec<f64> {
        let mut signal = Signal::new(&HapticParameters::default(), Seed(seed).stream(&["signal"]));
        (0..SAMPLES).map(|ms| signal.at(Duration::from_millis(ms))).collect()
    }

    #[test]
    fn two_thirds_of_the_time_are_contact() {
        let contact = ten_minutes(1).iter().filter(|force| **force > 0.0).count() as f64 / SAMPLES as f64;
        assert!((0.58..0.75).contains(&contact), "{contact}");
    }

    #[test]
    fn contacts_have_the_median_force_and_vary_by_a_factor_of_e() {
        let mut logs: Vec<f64> =
            ten_minutes(2).iter().filter(|force| **force > 0.2).map(|f| libm::log(f / 2.0)).collect();
        logs.sort_by(f64::total_cmp);
        let at = |share: f64| logs[(share * logs.len() as f64) as usize];
        assert!(at(0.5).abs() < 0.1, "{}", at(0.5));
        // A normal distribution has 0.84 of its mass below one deviation; a sum of few tones is only approximately normal.
        assert!((0.4..0.6).contains(&((at(0.84) - at(0.16)) / 2.0)), "{} to {}", at(0.16), at(0.84));
        assert!(logs.last().unwrap().abs() < 2.5);
    }

    #[test]
    fn the_force_is_smooth() {
        // Tones of equal speed: at most 2π Σ fᵢaᵢ a second in the logarithm, and an onset of π/2 / 20 ms.
        let force = ten_minutes(3);
        let steepest = force.windows(2).map(|two| (two[1] - two[0]).abs()).fold(0.0, f64::max);
        assert!((0.05..1.0).contains(&steepest), "{steepest} N a millisecond");
    }

    #[test]
    fn draws_depend_on_the_seed() {
        assert_eq!(ten_minutes(4), ten_minutes(4));
        assert_ne!(ten_minutes(4)[..5_000], ten_minutes(5)[..5_000]);
    }

    #[test]
    fn without_free_motion_contact_follows_contact() {
        let parameters = HapticParameters { free_motion: Duration::ZERO, ..HapticParameters::default() };
        let mut signal = Signal::new(&parameters, Seed(1).stream(&["signal"]));
        let silent = (1..SAMPLES).filter(|ms| signal.at(Duration::from_millis(*ms)) == 0.0).count();
        assert!(silent < 5, "{silent}"); // the instants of the edges
    }
}
