//! P.1203.3: integrates the quality per second, start-up and stalls into one score.
//!
//! Clause 8 of P.1203.3, with equation 20 as the edition of 01/2019 corrects it.

use super::Scores;

/// Minimum difference of a quality change (clauses 8.1.2.3 to 8.1.2.5).
const CHANGE: f64 = 0.2;
/// Window in seconds of the moving average that determines the direction of quality, and its step.
const MEAN_OF: usize = 5;
const STEP: usize = 3;

/// An interruption of playback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interruption {
    /// Media time before the interruption, in seconds.
    pub at: f64,
    /// Duration in seconds.
    pub lasted: f64,
}

/// Integrates audio and video quality per second (of equal length) and the interruptions in order. Returns `None` if
/// the lists are empty or differ in length.
pub fn integrate(o21: Vec<f64>, o22: Vec<f64>, interruptions: &[Interruption]) -> Option<Scores> {
    if o22.is_empty() || o21.len() != o22.len() {
        return None;
    }
    let o34: Vec<f64> = o21.iter().zip(&o22).map(|(audio, video)| audiovisual(*audio, *video)).collect();
    let baseline = weighted_mean(&o34);
    let o35 = baseline - negative_bias(&o34, baseline) - changes_compensation(&o22);
    let influence = stalling_influence(interruptions, o22.len() as f64);
    Some(Scores {
        o23: 1.0 + 4.0 * influence,
        parametric: (1.0 + (o35 - 1.0) * influence).clamp(1.0, 5.0),
        o21,
        o22,
        o34,
        o35,
    })
}

/// Equation 17: O.34 of one second.
fn audiovisual(audio: f64, video: f64) -> f64 {
    let mos = -0.00069084 + 0.15374283 * audio + 0.97153861 * video + 0.02461776 * audio * video;
    mos.clamp(1.0, 5.0)
}

/// Equations 19 to 21: mean with higher weights of late and of bad seconds.
fn weighted_mean(o34: &[f64]) -> f64 {
    let total = o34.len() as f64;
    let (mut sum, mut weights) = (0.0, 0.0);
    for (second, score) in o34.iter().enumerate() {
        let late = 0.00666620027943848
            + 0.0000404018840273729 * libm::exp(second as f64 / total / 0.156497800436237);
        let bad = 0.143179744942738 - 0.0238641564518876 * score;
        sum += late * bad * score;
        weights += late * bad;
    }
    sum / weights
}

/// Equations 5 to 7: deviation of the worst tenth below the mean, with higher weights of recent seconds.
fn negative_bias(o34: &[f64], baseline: f64) -> f64 {
    let last = o34.len() - 1;
    let mut below: Vec<f64> = o34
        .iter()
        .enumerate()
        .map(|(second, score)| {
            (score - baseline) * decaying(1.874_036_25, 7.854_164_81, (last - second) as f64)
        })
        .collect();
    below.sort_by(f64::total_cmp);
    // Tenth percentile with linear interpolation.
    let place = 0.1 * last as f64;
    let whole = libm::floor(place) as usize;
    let next = below[(whole + 1).min(last)];
    let percentile = below[whole] + (next - below[whole]) * (place - whole as f64);
    (-percentile).max(0.0) * 0.018_538_20
}

/// Equations 23 to 27: penalties of oscillation and of quality changes.
fn changes_compensation(o22: &[f64]) -> f64 {
    let total = o22.len() as f64;
    let highest = o22.iter().copied().fold(f64::MIN, f64::max);
    let lowest = o22.iter().copied().fold(f64::MAX, f64::min);
    let spread = highest - lowest;
    let changes = o22.windows(2).filter(|pair| (pair[1] - pair[0]).abs() > CHANGE).count() as f64;
    let (turns, longest) = directions(o22);
    if longest / total >= 0.25 {
        return 0.0;
    }
    let oscillation = if longest < 30.0 {
        let difference = (1.0 + libm::log10(spread + 0.001)).max(0.0);
        (difference * libm::exp(0.677_560_80 * turns - 8.055_333_03)).clamp(0.0, 1.5)
    } else {
        0.0
    };
    let adaptation = (0.173_325_53 * spread * changes / total - 0.010_356_47).clamp(0.0, 0.5);
    oscillation + adaptation
}

/// Clauses 8.1.2.4 and 8.1.2.5: number of stretches with quality in one direction, and the longest time between two of
/// them in seconds.
fn directions(o22: &[f64]) -> (f64, f64) {
    let last = o22.len() - 1;
    // Mean over five seconds, padded with the first and the last second at the ends.
    let mean = |end: usize| {
        let window = (0..MEAN_OF).map(|back| o22[(end + 1 + back).saturating_sub(MEAN_OF).min(last)]);
        window.sum::<f64>() / MEAN_OF as f64
    };
    let means: Vec<f64> = (0..o22.len() + MEAN_OF - 1).step_by(STEP).map(mean).collect();
    let steps = means.len().saturating_sub(1);
    let mut turns = 0_u32;
    let mut rising = None;
    let mut since = 0;
    let mut longest = 0;
    for (step, pair) in means.windows(2).enumerate() {
        let change = pair[1] - pair[0];
        if change.abs() > CHANGE && rising != Some(change > 0.0) {
            rising = Some(change > 0.0);
            turns += 1;
            longest = longest.max(step - since);
            since = step;
        }
    }
    longest = longest.max(steps - since);
    (f64::from(turns), (longest * STEP) as f64)
}

/// Clause 8.1.1 and equation 29: influence of stalls, 1 without an interruption.
fn stalling_influence(interruptions: &[Interruption], total: f64) -> f64 {
    let count = interruptions.len() as f64;
    // Recent stalls have higher weights.
    let time: f64 = interruptions.iter().map(|i| i.lasted * decaying(0.484_128_79, 10.0, total - i.at)).sum();
    let interval = match (interruptions.first(), interruptions.last()) {
        (Some(first), Some(last)) if count > 1.0 => (last.at - first.at) / (count - 1.0),
        _ => 0.0,
    };
    libm::exp(-count / 9.351_586_84)
        * libm::exp(-time / total / 0.918_908_15)
        * libm::exp(-interval / total / 11.056_755_8)
}

/// Decays from 1 now to `end` in the distant past, with the given half-life in seconds.
fn decaying(end: f64, half_life: f64, ago: f64) -> f64 {
    end + (1.0 - end) * libm::exp2(-ago / half_life)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(o22: &[f64], interruptions: &[Interruption]) -> Scores {
        integrate(vec![4.5; o22.len()], o22.to_vec(), interruptions).unwrap()
    }

    #[test]
    fn a_constant_quality_is_its_own_mean() {
        let scores = of(&[3.0; 60], &[]);
        let expected = -0.00069084 + 0.15374283 * 4.5 + 0.97153861 * 3.0 + 0.02461776 * 13.5;
        assert!((scores.o34[0] - expected).abs() < 1e-12);
        assert!((scores.o35 - expected).abs() < 1e-12);
        assert!((scores.parametric - expected).abs() < 1e-12);
        assert_eq!(scores.o23, 5.0);
    }

    #[test]
    fn one_stall_by_equation_29() {
        // Ten seconds before the end of 60 s, 2 s: half of the part above 0.484 has decayed.
        let stall = Interruption { at: 50.0, lasted: 2.0 };
        let weighted = 2.0 * (0.48412879 + 0.51587121 * 0.5);
        let influence = libm::exp(-1.0 / 9.35158684 - weighted / 60.0 / 0.91890815);
        let scores = of(&[4.0; 60], &[stall]);
        assert!((scores.o23 - (1.0 + 4.0 * influence)).abs() < 1e-9);
        assert!((scores.parametric - (1.0 + (scores.o35 - 1.0) * influence)).abs() < 1e-9);
    }

    #[test]
    fn several_stalls_count_by_number_time_and_interval() {
        let stalls = [10.0, 20.0, 40.0].map(|at| Interruption { at, lasted: 1.0 });
        let time: f64 = [50.0, 40.0, 20.0].iter().map(|ago| decaying(0.48412879, 10.0, *ago)).sum();
        let exponent = 3.0 / 9.35158684 + time / 60.0 / 0.91890815 + 15.0 / 60.0 / 11.0567558;
        assert!((of(&[4.0; 60], &stalls).o23 - (1.0 + 4.0 * libm::exp(-exponent))).abs() < 1e-9);
    }

    #[test]
    fn a_recent_stall_is_worse_than_an_old_one() {
        let at = |at: f64| of(&[4.0; 60], &[Interruption { at, lasted: 3.0 }]).o23;
        assert!(at(55.0) < at(30.0) && at(30.0) < at(5.0));
    }

    #[test]
    fn a_bad_end_is_worse_than_a_bad_beginning() {
        // Equations 19 to 21 and 5 to 7.
        let mut beginning = [4.0; 60];
        beginning[..15].fill(2.0);
        let mut end = [4.0; 60];
        end[45..].fill(2.0);
        assert!(of(&end, &[]).o35 < of(&beginning, &[]).o35);
        assert!(of(&beginning, &[]).o35 < of(&[4.0; 60], &[]).o35);
    }

    #[test]
    fn turns_are_counted_where_the_mean_changes_direction() {
        assert_eq!(directions(&[3.0; 60]), (0.0, 63.0));
        let mut rising = [2.0; 60];
        rising[30..].fill(4.0);
        // Up once, from the mean that ends in second 30 on, which is step 10 of 21.
        assert_eq!(directions(&rising), (1.0, 36.0));
        let square: Vec<f64> = (0..60).map(|second| if second / 6 % 2 == 0 { 2.0 } else { 4.0 }).collect();
        let (turns, longest) = directions(&square);
        assert_eq!(turns, 9.0);
        assert!(longest <= 12.0, "{longest}");
    }

    #[test]
    fn oscillation_costs_more_than_one_change() {
        // Equations 23 to 27.
        let square: Vec<f64> = (0..60).map(|second| if second / 6 % 2 == 0 { 2.0 } else { 4.0 }).collect();
        let mut once = vec![2.0; 60];
        once[30..].fill(4.0);
        assert_eq!(changes_compensation(&[3.0; 60]), 0.0);
        assert_eq!(changes_compensation(&once), 0.0);
        // Nine turns, nine changes, a spread of 2.
        let oscillation = (1.0 + libm::log10(2.001)) * libm::exp(0.67756080 * 9.0 - 8.05533303);
        let adaptation = 0.17332553 * 2.0 * 9.0 / 60.0 - 0.01035647;
        assert!((changes_compensation(&square) - oscillation - adaptation).abs() < 1e-9);
    }

    #[test]
    fn an_empty_session_has_no_score() {
        assert_eq!(integrate(vec![], vec![], &[]), None);
        assert_eq!(integrate(vec![4.0], vec![4.0, 4.0], &[]), None);
    }

    proptest! {
        #[test]
        fn scores_stay_on_their_scale(
            o22 in proptest::collection::vec(1.05..4.9f64, 1..200),
            lasted in proptest::collection::vec(0.1..30.0f64, 0..6),
        ) {
            let total = o22.len() as f64;
            let stalls: Vec<Interruption> = lasted
                .iter()
                .enumerate()
                .map(|(place, lasted)| Interruption { at: total * place as f64 / 6.0, lasted: *lasted })
                .collect();
            let scores = of(&o22, &stalls);
            prop_assert!((1.0..=5.0).contains(&scores.o23));
            prop_assert!((1.0..=5.0).contains(&scores.parametric));
            prop_assert!(scores.o35 <= 5.0);
        }
    }
}
