//! Correction of the encoder's target by what it makes of it: an encoder that overshoots is asked for less.
//!
//! WebRTC's rules (`video/encoder_bitrate_adjuster.cc`, `encoder_overshoot_detector.cc`, `rate_utilization_tracker.cc`; read for
//! facts alone). Each temporal layer has a virtual buffer that drains at its target. A frame that finds so much in it that both
//! exceed an ideal frame is an overshoot by what the buffer held, so that one large frame followed by small ones is none. The mean
//! over 3 s of one plus the overshoot in ideal frames, between 1 and 2, divides the target. Until there are 30 frames, and without
//! any in 3 s, it is 1.2. Where the network has more than the encoder may use, overshoot is permitted as far as the mean rate of
//! the encoder is not above its target.

use std::collections::VecDeque;

use jettison_core::{Duration, Rate, Time};

use super::layers::Mode;

/// Window of the means.
const WINDOW: Duration = Duration::from_secs(3);
/// Frames that a correction needs, and the factor before; and the greatest.
const LEAST_FRAMES: u32 = 30;
const UNKNOWN: f64 = 1.2;
const MOST: f64 = 2.0;

/// Shares of the bitrate and of the frames in each layer (WebRTC's defaults, as in `layers.rs`).
fn shares(mode: Mode) -> &'static [(f64, f64)] {
    match mode {
        Mode::L1T1 => &[(1.0, 1.0)],
        Mode::L1T3 => &[(0.4, 0.25), (0.2, 0.25), (0.4, 0.5)],
    }
}

/// The virtual buffer of a layer.
#[derive(Debug, Clone, Default)]
struct Detector {
    /// Target in bit/s, and frames per second.
    rate: f64,
    frame_rate: f64,
    /// Bits in the buffer.
    level: f64,
    at: Time,
    /// Factors by frame.
    factors: VecDeque<(Time, f64)>,
    sum: f64,
}

impl Detector {
    fn drain(&mut self, now: Time) {
        let elapsed = now.since(self.at).as_secs_f64();
        self.at = now;
        self.level = (self.level - self.rate * elapsed).max(0.0);
    }

    fn set_target(&mut self, rate: f64, frame_rate: f64, now: Time) {
        self.drain(now);
        (self.rate, self.frame_rate) = (rate, frame_rate);
    }

    fn encoded(&mut self, bits: f64, now: Time) {
        self.drain(now);
        if self.rate <= 0.0 || self.frame_rate <= 0.0 {
            return; // no target yet
        }
        let ideal = self.rate / self.frame_rate;
        let excess = self.level + bits - ideal;
        let over = if excess > 0.0 { self.level.min(excess) } else { 0.0 };
        let factor = if self.factors.is_empty() { (bits / ideal).max(1.0) } else { 1.0 + over / ideal };
        self.level += bits - over;
        self.factors.push_back((now, factor));
        self.sum += factor;
    }

    /// The mean factor of the window.
    fn factor(&mut self, now: Time) -> Option<f64> {
        while let Some((at, factor)) = self.factors.front().copied()
            && now.since(at) > WINDOW
        {
            self.factors.pop_front();
            self.sum -= factor;
        }
        (!self.factors.is_empty()).then(|| self.sum / self.factors.len() as f64)
    }
}

/// What the encoder made of what it was given.
#[derive(Debug, Clone, Default)]
struct Utilisation {
    /// Times, targets from then on in bit/s, and bits that were made then.
    points: VecDeque<(Time, f64, f64)>,
}

impl Utilisation {
    fn add(&mut self, rate: f64, bits: f64, now: Time) {
        match self.points.back_mut() {
            Some((at, target, made)) if *at == now => (*target, *made) = (rate, *made + bits),
            // It begins with a frame.
            None if bits == 0.0 => return,
            _ => self.points.push_back((now, rate, bits)),
        }
        while self.points.front().is_some_and(|(at, _, bits)| now.since(*at) > WINDOW || *bits == 0.0) {
            self.points.pop_front();
        }
    }

    /// Bits made over bits given since the first frame of the window; the last frame was given its own size at least.
    fn ratio(&self, now: Time) -> Option<f64> {
        let made: f64 = self.points.iter().map(|point| point.2).sum();
        let (mut given, mut of_last) = (0.0, 0.0);
        let ends = self.points.iter().skip(1).map(|point| point.0).chain([now]);
        for ((at, rate, bits), end) in self.points.iter().zip(ends) {
            if *bits > 0.0 {
                (given, of_last) = (given + of_last, 0.0);
            }
            of_last += rate * end.since(*at).as_secs_f64();
        }
        let newest = self.points.iter().rev().find(|point| point.2 > 0.0)?.2;
        Some(made / (given + of_last.max(newest)))
    }
}

/// The adjuster.
#[derive(Debug, Clone)]
pub(super) struct Adjuster {
    // Parameters.
    mode: Mode,
    frame_rate: f64,
    least: f64,
    // State.
    detectors: Vec<Detector>,
    made: Utilisation,
    frames: u32,
    /// The target before the correction.
    rate: f64,
}

impl Adjuster {
    /// Creates an adjuster for an encoder of so many frames per second, whose target it does not lower below `least`.
    pub(super) fn new(mode: Mode, frame_rate: f64, least: Rate) -> Adjuster {
        Adjuster {
            mode,
            frame_rate,
            least: least.as_bits() as f64,
            detectors: vec![Detector::default(); shares(mode).len()],
            made: Utilisation::default(),
            frames: 0,
            rate: 0.0,
        }
    }

    /// The encoder begins anew: its picture has another size.
    pub(super) fn reset(&mut self) {
        self.detectors.fill(Detector::default());
        (self.made, self.frames) = (Utilisation::default(), 0);
    }

    /// What the encoder is asked for if it should have `target` of the `available` bitrate.
    pub(super) fn adjust(&mut self, target: Rate, available: Rate, now: Time) -> Rate {
        let (rate, available) = (target.as_bits() as f64, available.as_bits() as f64);
        self.rate = rate;
        self.made.add(rate, 0.0, now);
        let mut factor = self.factor(now).clamp(1.0, MOST);
        let used = if self.frames < LEAST_FRAMES { None } else { self.made.ratio(now) };
        let wanted = (factor - used.unwrap_or(UNKNOWN).max(1.0)).max(0.0) * rate;
        let granted = wanted.min((available - rate).max(0.0));
        factor *= rate / (rate + granted).max(1.0);
        if self.least < rate {
            factor = factor.min(rate / self.least);
        }
        let adjusted = (rate / factor).min(rate);
        for (detector, (bits, frames)) in self.detectors.iter_mut().zip(shares(self.mode)) {
            detector.set_target(bits * adjusted, frames * self.frame_rate, now);
        }
        Rate::from_bits(adjusted.round() as u64)
    }

    fn factor(&mut self, now: Time) -> f64 {
        let layers = self.detectors.iter_mut().zip(shares(self.mode));
        let factors = layers.map(|(detector, (bits, _))| detector.factor(now).map(|factor| bits * factor));
        let sum: Option<f64> = factors.sum();
        sum.filter(|_| self.frames >= LEAST_FRAMES).unwrap_or(UNKNOWN)
    }

    /// Records a frame of a layer.
    pub(super) fn encoded(&mut self, bytes: u64, layer: u8, now: Time) {
        let bits = 8.0 * bytes as f64;
        self.frames = self.frames.saturating_add(1);
        self.made.add(self.rate, bits, now);
        if let Some(detector) = self.detectors.get_mut(usize::from(layer)) {
            detector.encoded(bits, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Rate = Rate::from_kbit(900);

    /// Frames of so many bytes, 30 per second, for 5 s; the target at the end in kbit/s.
    fn run(adjuster: &mut Adjuster, available: Rate, size: impl Fn(u64, Rate) -> u64) -> f64 {
        let mut rate = TARGET;
        for frame in 0..150 {
            let now = Time::from_micros(frame * 100_000 / 3);
            rate = adjuster.adjust(TARGET, available, now);
            adjuster.encoded(size(frame, rate), 0, now);
        }
        rate.as_bits() as f64 / 1e3
    }

    fn adjuster() -> Adjuster {
        Adjuster::new(Mode::L1T1, 30.0, Rate::from_kbit(30))
    }

    #[test]
    fn an_encoder_that_keeps_to_its_target_gets_all_of_it() {
        let found = run(&mut adjuster(), TARGET, |_, rate| rate.as_bits() / 240);
        assert!((found - 900.0).abs() < 1.0, "{found}");
    }

    #[test]
    fn until_there_are_thirty_frames_it_gets_a_sixth_less() {
        let mut adjuster = adjuster();
        for frame in 0..30 {
            let now = Time::from_millis(33 * frame);
            assert_eq!(adjuster.adjust(TARGET, TARGET, now), Rate::from_kbit(750));
            adjuster.encoded(3125, 0, now);
        }
        assert!(adjuster.adjust(TARGET, TARGET, Time::from_secs(1)) > Rate::from_kbit(890));
        // And after 3 s without a frame.
        assert_eq!(adjuster.adjust(TARGET, TARGET, Time::from_secs(5)), Rate::from_kbit(750));
        run(&mut adjuster, TARGET, |_, rate| rate.as_bits() / 240);
        adjuster.reset();
        assert_eq!(adjuster.adjust(TARGET, TARGET, Time::from_secs(5)), Rate::from_kbit(750));
    }

    #[test]
    fn an_encoder_that_makes_a_tenth_more_of_any_target_is_asked_for_less() {
        let found = run(&mut adjuster(), TARGET, |_, rate| rate.as_bits() * 11 / 2400);
        // 1.1 times that is the target again.
        assert!((found * 1.1 - 900.0).abs() < 20.0, "{found}");
        // But never for less than half of it.
        let found = run(&mut adjuster(), TARGET, |_, rate| rate.as_bits() / 60);
        assert!((found - 450.0).abs() < 1.0, "{found}");
    }

    #[test]
    fn a_large_frame_that_smaller_ones_make_up_for_is_no_overshoot() {
        let mut adjuster = adjuster();
        // Two ideal frames, and then nothing.
        let found =
            run(&mut adjuster, TARGET, |frame, rate| if frame % 2 == 0 { rate.as_bits() / 120 } else { 0 });
        assert!(found > 890.0, "{found}");
        // Fluctuations without such care are.
        let found = run(&mut adjuster, TARGET, |frame, rate| {
            rate.as_bits() / 240 * if frame % 4 < 2 { 3 } else { 1 } / 2
        });
        assert!((600.0..890.0).contains(&found), "{found}");
    }

    #[test]
    fn with_more_available_fluctuations_are_permitted_but_no_higher_mean() {
        let swinging = |frame: u64, rate: Rate| rate.as_bits() / 240 * if frame % 4 < 2 { 3 } else { 1 } / 2;
        let found = run(&mut adjuster(), Rate::from_mbit(5), swinging);
        assert!(found > 890.0, "{found}");
        // Of a mean above the target, half of the excess is left.
        let found = run(&mut adjuster(), Rate::from_mbit(5), |_, rate| rate.as_bits() * 11 / 2400);
        assert!((found * 1.1 - 945.0).abs() < 10.0, "{found}");
    }

    #[test]
    fn the_least_target_is_kept() {
        let mut adjuster = adjuster();
        let low = Rate::from_kbit(33);
        assert_eq!(adjuster.adjust(low, low, Time::ZERO), Rate::from_kbit(30));
        let lower = Rate::from_kbit(24);
        assert_eq!(adjuster.adjust(lower, lower, Time::ZERO), Rate::from_kbit(20));
    }

    #[test]
    fn layers_have_ideal_frames_of_their_own() {
        let mut adjuster = Adjuster::new(Mode::L1T3, 30.0, Rate::from_kbit(30));
        let mut rate = TARGET;
        for frame in 0..150u64 {
            let now = Time::from_micros(frame * 100_000 / 3);
            rate = adjuster.adjust(TARGET, TARGET, now);
            let (layer, weight) = [(0, 16), (2, 8), (1, 8), (2, 8)][(frame % 4) as usize];
            adjuster.encoded(rate.as_bits() * weight / 2400, layer, now);
        }
        assert!(rate > Rate::from_kbit(890), "{rate}");
    }
}
