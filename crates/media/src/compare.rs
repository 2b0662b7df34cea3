//! What layers cost: more bitrate than another video at the same quality.

use jettison_video::content::layered::{Quality, Summary};

/// A rate in kbit/s and its quality.
type Point = (f64, f64);

/// Returns the mean ratio of the bitrates of two videos at the same quality, over the qualities that both have: 1.1 if
/// `video` needs 10 % more than `reference`. The logarithm of the bitrate is linear between the points, and its difference is
/// averaged over quality, as Bjøntegaard's delta rate (VCEG-M33) does with cubic curves. `None` without such a quality.
pub fn overhead(video: &[Point], reference: &[Point]) -> Option<f64> {
    let (video, reference) = (curve(video)?, curve(reference)?);
    let ends = |curve: &[(f64, f64)]| Some((curve.first()?.0, curve.last()?.0));
    let ((low, high), (other_low, other_high)) = (ends(&video)?, ends(&reference)?);
    let (low, high) = (low.max(other_low), high.min(other_high));
    // Of few points this is exact: the difference is linear between all qualities at which a curve bends.
    let mut bends: Vec<f64> = video.iter().chain(&reference).map(|(quality, _)| *quality).collect();
    bends.extend([low, high]);
    bends.retain(|quality| (low..=high).contains(quality));
    bends.sort_by(f64::total_cmp);
    bends.dedup();
    let difference = |quality| at(&video, quality) - at(&reference, quality);
    let area: f64 = bends
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) * (difference(pair[0]) + difference(pair[1])) / 2.0)
        .sum();
    (high > low).then(|| libm::exp(area / (high - low)))
}

/// Returns the logarithm of the bitrate by quality, in ascending order of both. A point that needs more for less quality than
/// another one is left out. `None` with fewer than two.
fn curve(points: &[Point]) -> Option<Vec<(f64, f64)>> {
    let mut points: Vec<Point> = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut curve: Vec<(f64, f64)> = Vec::new();
    for (rate, quality) in points {
        if rate > 0.0 && curve.last().is_none_or(|last| quality > last.0) {
            curve.push((quality, libm::log(rate)));
        }
    }
    (curve.len() >= 2).then_some(curve)
}

/// Returns the logarithm of the bitrate at a quality within the curve.
fn at(curve: &[(f64, f64)], quality: f64) -> f64 {
    let next = curve.partition_point(|point| point.0 < quality).clamp(1, curve.len() - 1);
    let (from, to) = (curve[next - 1], curve[next]);
    from.1 + (to.1 - from.1) * (quality - from.0) / (to.0 - from.0)
}

/// Returns the points of a curve from the highest operating points of several rungs.
pub fn points(rungs: &[Vec<Summary>], quality: impl Fn(&Quality) -> f64) -> Vec<Point> {
    rungs
        .iter()
        .filter_map(|rung| rung.last())
        .map(|top| (top.rate.as_mbit_f64() * 1e3, quality(&top.quality)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_that_always_needs_a_fifth_more_has_that_overhead() {
        let reference = [(100.0, 8.0), (200.0, 10.0), (400.0, 13.0)];
        let video = reference.map(|(rate, quality)| (1.2 * rate, quality));
        let ratio = overhead(&video, &reference).expect("the same qualities");
        assert!((ratio - 1.2).abs() < 1e-12, "{ratio}");
        // In part of the range, and the other way round.
        let part = overhead(&video[1..], &reference).expect("they overlap");
        assert!((part - 1.2).abs() < 1e-12, "{part}");
        let inverse = overhead(&reference, &video).expect("the same qualities");
        assert!((inverse - 1.0 / 1.2).abs() < 1e-12, "{inverse}");
    }

    #[test]
    fn between_points_the_logarithm_is_linear() {
        // From 100 at 8 to 400 at 12 is 200 at 10; the other video has 200 at 10 and 400 at 12 too.
        let ratio =
            overhead(&[(100.0, 8.0), (400.0, 12.0)], &[(200.0, 10.0), (400.0, 12.0)]).expect("they overlap");
        assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    }

    #[test]
    fn without_a_common_quality_there_is_no_overhead() {
        let low = [(100.0, 8.0), (200.0, 9.0)];
        assert_eq!(overhead(&low, &[(100.0, 9.5), (200.0, 10.0)]), None);
        assert_eq!(overhead(&low, &low[..1]), None);
        assert_eq!(overhead(&low, &[(100.0, 9.0), (200.0, 8.0)]), None);
    }
}
