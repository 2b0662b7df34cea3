//! BOLA's core: maps buffer levels to representations.
//!
//! K. Spiteri, R. Urgaonkar, R. Sitaraman, "BOLA: Near-Optimal Bitrate Adaptation for Online Videos" (INFOCOM 2016,
//! arXiv 1601.06748): with the level Q, a segment of size S_m and the utility υ_m = ln(S_m/S_1), BOLA chooses the
//! representation that maximises (V·υ_m + V·γp − Q) / S_m, and pauses while all of these are negative. Sizes are
//! nominal bitrates. Q and V are in seconds of media where the paper counts segments: V here is its V·p.

use jettison_core::Duration;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::content::AdaptationSet;
use super::AbrState;

/// dash.js's steady-state buffer level (`stableBufferTime`), in seconds.
const STABLE: f64 = 12.0;
/// dash.js's media time per representation between its lowest and its highest level, in seconds.
const A_REPRESENTATION: f64 = 2.0;

/// BOLA's mapping of buffer levels to representations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BolaBuffer {
    /// Measure against oscillation.
    pub variant: Variant,
    /// Parameters that determine V and γp.
    pub tuning: Tuning,
    /// For `gamma-p`: γp, the weight of a full buffer against utility.
    pub gamma_p: f64,
    /// For `thresholds`: level below which the lowest representation is chosen. Replaced by a third of the target if
    /// it is not below the target.
    pub minimum: Duration,
    /// Level of the highest representation; limited by the player's maximum. Unset: the player's maximum with
    /// `gamma-p`; the larger of 12 s and the minimum plus 2 s per representation with `thresholds`.
    pub target: Option<Duration>,
}

/// Measure against oscillation between the two representations around the throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// None (BOLA-BASIC).
    Basic,
    /// Never choose above the throughput of the last download; pause until the level suits the lower representation
    /// (BOLA-O).
    O,
    /// Choose at most one representation above the throughput of the last download, without a pause (BOLA-U).
    U,
}

/// Parameters that determine BOLA's V and γp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tuning {
    /// As in the paper: γp is given, and V is such that a segment still fits below the target: V = (target − p)/(υ_M +
    /// γp).
    GammaP,
    /// As in dash.js: the minimum is the level of the lowest representation, the target that of the highest. With the
    /// highest representation only the player's maximum pauses.
    Thresholds,
}

/// dash.js's defaults, which the rule `dynamic` uses; `bola` has the paper's tuning.
impl Default for BolaBuffer {
    fn default() -> BolaBuffer {
        BolaBuffer {
            variant: Variant::O,
            tuning: Tuning::Thresholds,
            gamma_p: 5.0,
            minimum: Duration::from_secs(10),
            target: None,
        }
    }
}

impl BolaBuffer {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.gamma_p > 0.0 && self.gamma_p.is_finite(), "gamma_p", || {
            format!("must be > 0, got {}", self.gamma_p)
        })?;
        ParameterError::unless(!self.minimum.is_zero(), "minimum", || "must be > 0, got 0 s".to_owned())?;
        ParameterError::unless(self.target.is_none_or(|target| !target.is_zero()), "target", || {
            "must be > 0, got 0 s".to_owned()
        })?;
        let above = self.tuning == Tuning::GammaP || self.target.is_none_or(|target| target > self.minimum);
        ParameterError::unless(above, "target", || {
            format!("must be > `minimum` ({}), got {}", self.minimum, self.target.unwrap_or_default())
        })
    }
}

/// Choice at a buffer level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decision {
    pub(super) representation: usize,
    /// Level in seconds above which to pause.
    pub(super) pause_above: f64,
}

/// Level thresholds of one adaptation set.
#[derive(Debug)]
pub(super) struct Levels<'a> {
    set: &'a AdaptationSet,
    variant: Variant,
    tuning: Tuning,
    v: f64,
    gp: f64,
}

impl<'a> Levels<'a> {
    /// Computes the thresholds of the state's adaptation set; `None` if it has a single representation.
    pub(super) fn of(parameters: &BolaBuffer, state: &AbrState<'a>) -> Option<Levels<'a>> {
        let mut levels = Levels {
            set: state.set,
            variant: parameters.variant,
            tuning: parameters.tuning,
            v: 0.0,
            gp: parameters.gamma_p,
        };
        let top = state.set.representations.len().checked_sub(1)?;
        let span = levels.utility(top);
        if span <= 0.0 {
            return None;
        }
        let maximum = state.max_buffer.as_secs_f64();
        let minimum = parameters.minimum.as_secs_f64();
        let wanted = match (parameters.target, parameters.tuning) {
            (Some(target), _) => target.as_secs_f64(),
            (None, Tuning::GammaP) => maximum,
            (None, Tuning::Thresholds) => STABLE.max(minimum + A_REPRESENTATION * (top + 1) as f64),
        };
        // Avoid a division by zero.
        let target = wanted.min(maximum).max(1e-3);
        match parameters.tuning {
            Tuning::GammaP => {
                let room = target - state.segment_duration().as_secs_f64();
                // If less than one segment fits, use half of what fits.
                levels.v = if room > 0.0 { room } else { target / 2.0 } / (span + levels.gp);
            }
            Tuning::Thresholds => {
                let minimum = if minimum < target { minimum } else { target / 3.0 };
                // For continuous S the maximum is where V·(υ + γp − 1) = Q: applied once to the minimum, once to the
                // target.
                levels.v = (target - minimum) / span;
                levels.gp = 1.0 + minimum / levels.v;
            }
        }
        Some(levels)
    }

    /// Returns the choice at a level, after representation `last` arrived at `throughput` bit/s (INFOCOM 2016,
    /// Algorithm "BOLA-FINITE", without its shorter buffers at the start and end of a video).
    pub(super) fn decide(&self, level: f64, last: Option<usize>, throughput: Option<f64>) -> Decision {
        let best = self.best(level);
        let plain =
            |representation| Decision { representation, pause_above: self.pause_above(representation) };
        let (Some(last), Some(throughput)) = (last, throughput) else { return plain(best) };
        let sustained = self.set.highest_below(throughput);
        if self.variant == Variant::Basic || best <= last || sustained >= best {
            return plain(best);
        }
        if sustained < last {
            return plain(last);
        }
        match self.variant {
            Variant::U => plain(sustained + 1),
            _ => Decision {
                representation: sustained,
                pause_above: self.boundary(sustained, sustained + 1).min(self.zero_score(sustained)),
            },
        }
    }

    /// Returns the representation with the highest score at a level.
    pub(super) fn best(&self, level: f64) -> usize {
        let score = |place: usize| (self.zero_score(place) - level) / self.size(place);
        let mut best = 0;
        for place in 1..self.set.representations.len() {
            if score(place) >= score(best) {
                best = place;
            }
        }
        best
    }

    /// Returns the level from which a representation is better than all lower ones.
    pub(super) fn from(&self, place: usize) -> f64 {
        (0..place).map(|lower| self.boundary(lower, place)).fold(0.0, f64::max)
    }

    /// Returns the level at which a representation's score is zero.
    pub(super) fn zero_score(&self, place: usize) -> f64 {
        self.v * (self.utility(place) + self.gp)
    }

    fn pause_above(&self, place: usize) -> f64 {
        let top = place + 1 == self.set.representations.len();
        if top && self.tuning == Tuning::Thresholds { f64::INFINITY } else { self.zero_score(place) }
    }

    /// Returns the level at which two representations have the same score.
    fn boundary(&self, lower: usize, upper: usize) -> f64 {
        let (small, large) = (self.size(lower), self.size(upper));
        if large <= small {
            return 0.0;
        }
        self.v * (self.gp + (self.utility(lower) * large - self.utility(upper) * small) / (large - small))
    }

    fn utility(&self, place: usize) -> f64 {
        libm::log(self.size(place) / self.size(0))
    }

    fn size(&self, place: usize) -> f64 {
        self.set.representations.get(place).map_or(1.0, |r| r.bitrate.as_bits().max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{ladder, playing, segmented};
    use super::*;

    /// Big Buck Bunny as in the paper's evaluation, in kbit/s.
    const BUNNY: [u64; 10] = [230, 331, 477, 688, 991, 1427, 2056, 2962, 5027, 6000];

    fn paper() -> BolaBuffer {
        BolaBuffer { tuning: Tuning::GammaP, ..BolaBuffer::default() }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn utilities_are_the_logarithms_of_relative_sizes() {
        // INFOCOM 2016, the utilities of its test video.
        let expected = [0.0, 0.364, 0.729, 1.096, 1.461, 1.825, 2.190, 2.556, 3.084, 3.261];
        let set = ladder(&BUNNY);
        let levels = Levels::of(&paper(), &playing(&set, Duration::ZERO)).unwrap();
        for (place, expected) in expected.into_iter().enumerate() {
            assert!((levels.utility(place) - expected).abs() < 1e-3, "{place}");
        }
    }

    #[test]
    fn a_segment_still_fits_below_the_target() {
        // INFOCOM 2016, Theorem 1: the level stays at most V(υ_M + γp) and a segment.
        let set = segmented(&BUNNY, Duration::from_secs(3));
        let levels = Levels::of(&paper(), &playing(&set, Duration::ZERO)).unwrap();
        assert!(near(levels.zero_score(9), 30.0 - 3.0));
        assert_eq!(levels.gp, 5.0);
        let target = BolaBuffer { target: Some(Duration::from_secs(25)), ..paper() };
        let levels = Levels::of(&target, &playing(&set, Duration::ZERO)).unwrap();
        assert!(near(levels.zero_score(9), 25.0 - 3.0));
    }

    #[test]
    fn thresholds_are_met_by_a_fine_ladder() {
        // dash.js: (V(υ + γp) − Q)/S has its maximum at the lowest where Q is the minimum, at the highest where Q is the target.
        let fine: Vec<u64> = (100..2000).collect();
        let set = ladder(&fine);
        let parameters =
            BolaBuffer { tuning: Tuning::Thresholds, target: Some(Duration::from_secs(25)), ..paper() };
        let levels = Levels::of(&parameters, &playing(&set, Duration::ZERO)).unwrap();
        assert_eq!(levels.best(10.0), 0);
        assert!(levels.best(10.2) > 0);
        assert_eq!(levels.best(25.0), fine.len() - 1);
        assert!(levels.best(24.8) < fine.len() - 1);
    }

    #[test]
    fn at_its_boundary_a_representation_begins() {
        let set = ladder(&[140, 490, 1040]);
        let levels = Levels::of(&paper(), &playing(&set, Duration::ZERO)).unwrap();
        for place in 1..3 {
            assert_eq!(levels.best(levels.from(place) + 1e-6), place);
            assert_eq!(levels.best(levels.from(place) - 1e-6), place - 1);
        }
    }

    #[test]
    fn a_low_maximum_of_the_player_lowers_the_target() {
        let set = ladder(&[140, 490, 1040]);
        for tuning in [Tuning::GammaP, Tuning::Thresholds] {
            let mut state = playing(&set, Duration::ZERO);
            state.max_buffer = Duration::from_secs(6);
            let levels = Levels::of(&BolaBuffer { tuning, ..paper() }, &state).unwrap();
            assert_eq!(levels.best(0.0), 0);
            assert_eq!(levels.best(6.0), 2, "{tuning:?}");
            state.max_buffer = Duration::ZERO;
            let levels = Levels::of(&BolaBuffer { tuning, ..paper() }, &state).unwrap();
            assert!(levels.v.is_finite() && levels.v > 0.0, "{tuning:?}");
        }
    }

    #[test]
    fn bola_o_pauses_when_the_throughput_is_between_two_representations() {
        // INFOCOM 2016, "avoiding bitrate oscillations".
        let set = ladder(&[140, 490, 1040]);
        let state = playing(&set, Duration::ZERO);
        let levels = Levels::of(&paper(), &state).unwrap();
        let between = levels.decide(25.0, Some(0), Some(700e3));
        assert_eq!(between.representation, 1);
        assert!(near(between.pause_above, levels.from(2)));
        assert_eq!(levels.best(between.pause_above - 1e-6), 1);
        // The sustainable representation is chosen only if it is above the previous one.
        assert_eq!(levels.decide(25.0, Some(0), Some(1040e3)).representation, 2);
        assert_eq!(levels.decide(25.0, Some(1), Some(200e3)).representation, 1);
        assert_eq!(levels.decide(0.0, Some(2), Some(9e6)).representation, 0);
    }

    #[test]
    fn bola_u_takes_the_one_above_and_basic_takes_the_best() {
        let set = ladder(&[140, 490, 1040, 2080]);
        let state = playing(&set, Duration::ZERO);
        let decide = |variant| {
            let parameters = BolaBuffer { variant, ..paper() };
            let levels = Levels::of(&parameters, &state).unwrap();
            (levels.decide(29.0, Some(0), Some(500e3)), levels.zero_score(2))
        };
        let (u, zero_score) = decide(Variant::U);
        assert_eq!(u, Decision { representation: 2, pause_above: zero_score });
        assert_eq!(decide(Variant::Basic).0.representation, 3);
        assert_eq!(decide(Variant::O).0.representation, 1);
    }

    #[test]
    fn a_single_representation_has_no_levels() {
        for kbits in [&[500][..], &[500, 500], &[0]] {
            let set = ladder(kbits);
            assert!(Levels::of(&paper(), &playing(&set, Duration::ZERO)).is_none());
        }
    }

    #[test]
    fn parameters_out_of_range_name_their_key() {
        let bad = |parameters: BolaBuffer| parameters.validate().unwrap_err().to_string();
        let good = paper();
        assert_eq!(good.validate(), Ok(()));
        assert!(bad(BolaBuffer { gamma_p: 0.0, ..good.clone() }).starts_with("gamma_p: "));
        assert!(bad(BolaBuffer { minimum: Duration::ZERO, ..good.clone() }).starts_with("minimum: "));
        assert!(bad(BolaBuffer { target: Some(Duration::ZERO), ..good.clone() }).starts_with("target: "));
        let crossed =
            BolaBuffer { tuning: Tuning::Thresholds, target: Some(Duration::from_secs(10)), ..good };
        assert!(bad(crossed).contains("must be > `minimum` (10 s), got "));
    }

    proptest! {
        #[test]
        fn the_choice_does_not_fall_with_the_level(
            mut kbits in proptest::collection::vec(1u64..20_000, 2..12),
            thresholds: bool,
            maximum in 1u64..120,
            lower in 0.0..150.0f64,
            more in 0.0..50.0f64,
        ) {
            kbits.sort_unstable();
            let set = ladder(&kbits);
            let mut state = playing(&set, Duration::ZERO);
            state.max_buffer = Duration::from_secs(maximum);
            let tuning = if thresholds { Tuning::Thresholds } else { Tuning::GammaP };
            let parameters = BolaBuffer { tuning, ..paper() };
            if let Some(levels) = Levels::of(&parameters, &state) {
                prop_assert!(levels.best(lower + more) >= levels.best(lower));
                prop_assert!(levels.best(lower + more) < kbits.len());
            }
        }
    }
}
