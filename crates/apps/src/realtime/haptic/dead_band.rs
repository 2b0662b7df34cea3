//! Perceptual dead-band reduction (Hinterseer, Hirche, Chaudhuri, Steinbach, Buss 2008, "Perception-based data
//! reduction and transmission of haptic data in telepresence and teleaction systems").
//!
//! Weber's law: a change is perceptible if it exceeds a fixed fraction of the previous value. Imperceptible changes
//! are not sent, and the receiver holds the last sample sent.

/// The dead band: selects the samples to send.
#[derive(Debug, Clone)]
pub struct DeadBand {
    fraction: f64,
    floor: f64,
    /// The last sample sent.
    last: Option<f64>,
}

impl DeadBand {
    /// Creates a band of `fraction` of the last sample sent on both sides of it, and of at least `floor`.
    pub fn new(fraction: f64, floor: f64) -> DeadBand {
        DeadBand { fraction, floor, last: None }
    }

    /// Returns whether to send a sample: the first one, and any outside the band. The band is then centred on it.
    pub fn admits(&mut self, sample: f64) -> bool {
        let is_felt = self.last.is_none_or(|last| (sample - last).abs() > self.threshold(last));
        if is_felt {
            self.last = Some(sample);
        }
        is_felt
    }

    fn threshold(&self, last: f64) -> f64 {
        (self.fraction * last.abs()).max(self.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sample_is_sent_if_it_differs_by_more_than_the_fraction_of_the_last_one_sent() {
        let mut band = DeadBand::new(0.125, 0.0);
        // 8 ± 1 is imperceptible, even in small steps; then 9.5 ± 1.1875.
        let sent = [8.0, 8.5, 9.0, 7.0, 9.5, 8.5, 10.5, 10.75].map(|sample| band.admits(sample));
        assert_eq!(sent, [true, false, false, false, true, false, false, true]);
    }

    #[test]
    fn small_forces_have_the_floor_as_their_band() {
        let mut band = DeadBand::new(0.1, 0.25);
        let sent = [0.0, 0.25, 0.5, 0.375, -0.125].map(|sample| band.admits(sample));
        assert_eq!(sent, [true, false, true, false, true]);
    }

    proptest! {
        #[test]
        fn the_receivers_value_is_always_within_the_band(
            samples in prop::collection::vec(-20.0..20.0_f64, 1..200),
            fraction in 0.01..0.9_f64,
            floor in 0.0..1.0_f64,
        ) {
            let mut band = DeadBand::new(fraction, floor);
            let mut held = None;
            for sample in samples {
                if band.admits(sample) {
                    held = Some(sample);
                }
                let held = held.expect("the first sample is sent");
                let off: f64 = sample - held;
                prop_assert!(off.abs() <= floor || off.abs() <= fraction * held.abs());
            }
        }
    }
}
