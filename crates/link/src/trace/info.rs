//! What a trace offers, in figures.

use std::fmt;

use jettison_core::{Bytes, Duration, Rate, Time};
use serde::{Serialize, Serializer};

use super::{OPPORTUNITY_BYTES, Trace};

/// What a trace offers, in figures. Rates count 1,504 bytes an opportunity.
///
/// It is serialised as plain numbers, each with its unit in the key's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceInfo {
    /// Lines of the trace: packets of up to 1,504 bytes that may leave in one round.
    pub opportunities: u64,
    /// One round, after which the trace repeats.
    #[serde(rename = "period_s", serialize_with = "seconds")]
    pub period: Duration,
    /// All opportunities over one round.
    #[serde(rename = "mean_mbit_s", serialize_with = "megabits")]
    pub mean: Rate,
    /// The slowest of the windows.
    #[serde(rename = "min_mbit_s", serialize_with = "megabits")]
    pub min: Rate,
    /// The 5th percentile of the windows (nearest rank).
    #[serde(rename = "p5_mbit_s", serialize_with = "megabits")]
    pub p5: Rate,
    /// The median of the windows.
    #[serde(rename = "p50_mbit_s", serialize_with = "megabits")]
    pub p50: Rate,
    /// The 95th percentile of the windows.
    #[serde(rename = "p95_mbit_s", serialize_with = "megabits")]
    pub p95: Rate,
    /// The fastest of the windows.
    #[serde(rename = "max_mbit_s", serialize_with = "megabits")]
    pub max: Rate,
    /// Windows of one second that the percentiles are taken over: whole ones from the start of the round, at least one.
    pub windows: u64,
    /// The longest time between two opportunities, the seam between rounds included.
    #[serde(rename = "longest_outage_s", serialize_with = "seconds")]
    pub longest_outage: Duration,
    /// Where in the round that outage begins.
    #[serde(rename = "longest_outage_at_s", serialize_with = "instant")]
    pub longest_outage_at: Time,
    /// Most opportunities in one millisecond.
    pub most_in_a_millisecond: u64,
}

const WINDOW: Duration = Duration::from_secs(1);

impl TraceInfo {
    /// The figures of `trace`.
    pub fn of(trace: &Trace) -> TraceInfo {
        let times = trace.opportunities();
        let period = Duration::from_millis(trace.period_millis());
        let carried = |opportunities: u64, over| {
            Rate::of(Bytes::new(opportunities.saturating_mul(u64::from(OPPORTUNITY_BYTES))), over)
        };
        let rates = sorted_windows(trace);
        let rank = |percent: usize| carried(rates[(rates.len() * percent).div_ceil(100).max(1) - 1], WINDOW);
        let (outage, outage_at) = longest_outage(times);
        TraceInfo {
            opportunities: times.len() as u64,
            period,
            mean: carried(times.len() as u64, period),
            min: rank(0),
            p5: rank(5),
            p50: rank(50),
            p95: rank(95),
            max: rank(100),
            windows: rates.len() as u64,
            longest_outage: Duration::from_millis(u64::from(outage)),
            longest_outage_at: Time::from_millis(u64::from(outage_at)),
            most_in_a_millisecond: times
                .chunk_by(|a, b| a == b)
                .map(|same| same.len() as u64)
                .max()
                .unwrap_or(0),
        }
    }
}

/// Opportunities in each whole second of a round, ascending; a trace shorter than a second repeats into one.
///
/// A trace of a few lines may last 49 days: one count a second is 4 million at most.
fn sorted_windows(trace: &Trace) -> Vec<u64> {
    let seconds = (trace.period_millis() / 1_000).max(1);
    let mut before = 0;
    let mut counts: Vec<u64> = (1..=seconds)
        .map(|second| {
            let until = trace.count_before(Time::from_secs(second));
            let count = until - before;
            before = until;
            count
        })
        .collect();
    counts.sort_unstable();
    counts
}

/// The longest gap in milliseconds, and where it begins.
fn longest_outage(times: &[u32]) -> (u32, u32) {
    // The last timestamp is the next round's zero, so the gap at the seam is the first timestamp.
    let seam = (times.first().copied().unwrap_or(0), 0);
    let gaps = times.windows(2).map(|pair| (pair[1] - pair[0], pair[0]));
    // The first of the longest.
    gaps.fold(seam, |longest, gap| if gap.0 > longest.0 { gap } else { longest })
}

fn seconds<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.as_secs_f64())
}
fn instant<S: Serializer>(at: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(at.as_secs_f64())
}
fn megabits<S: Serializer>(rate: &Rate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rate.as_mbit_f64())
}

impl fmt::Display for TraceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mbit = |rate: Rate| format!("{:.3}", rate.as_mbit_f64());
        writeln!(f, "opportunities   {} of up to 1,504 bytes", self.opportunities)?;
        writeln!(f, "period          {}, then it repeats", self.period)?;
        writeln!(f, "mean rate       {} Mbit/s", mbit(self.mean))?;
        writeln!(
            f,
            "over 1 s        min {}, p5 {}, p50 {}, p95 {}, max {} Mbit/s ({} windows)",
            mbit(self.min),
            mbit(self.p5),
            mbit(self.p50),
            mbit(self.p95),
            mbit(self.max),
            self.windows
        )?;
        writeln!(f, "longest outage  {}, from {} on", self.longest_outage, self.longest_outage_at)?;
        write!(f, "most at once    {} in a millisecond", self.most_in_a_millisecond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(times: &[u32]) -> TraceInfo {
        Trace::from_opportunities(times.to_vec()).unwrap().info()
    }

    #[test]
    fn figures_of_a_small_trace() {
        // Seconds with 4, 1 and 2 opportunities, then a last one at 3 s that ends the round.
        let info = info(&[0, 10, 10, 10, 1_500, 2_000, 2_900, 3_000]);
        assert_eq!((info.opportunities, info.windows), (8, 3));
        assert_eq!(info.period, Duration::from_secs(3));
        assert_eq!(info.mean, Rate::from_bits(8 * 1504 * 8 / 3));
        let window = |n: u64| Rate::from_bits(n * 1504 * 8);
        assert_eq!([info.min, info.p5, info.p50, info.p95, info.max], [1, 1, 2, 4, 4].map(window));
        assert_eq!(info.longest_outage, Duration::from_millis(1_490));
        assert_eq!(info.longest_outage_at, Time::from_millis(10));
        assert_eq!(info.most_in_a_millisecond, 3);
    }

    #[test]
    fn the_seam_counts_as_an_outage() {
        let info = info(&[700, 800, 1_000]);
        assert_eq!((info.longest_outage, info.longest_outage_at), (Duration::from_millis(700), Time::ZERO));
    }

    #[test]
    fn a_trace_shorter_than_a_second_repeats_into_one_window() {
        let info = info(&[100]);
        assert_eq!((info.windows, info.p50), (1, Rate::from_bits(9 * 1504 * 8)), "100 to 900 ms");
        assert_eq!(info.mean, Rate::from_bits(10 * 1504 * 8));
    }

    #[test]
    fn json_has_numbers_with_units_in_their_keys_and_text_reads_well() {
        let info = info(&[0, 500, 1_000, 2_000]);
        let json = serde_json::to_value(&info).unwrap();
        assert_eq!(json["period_s"], 2.0);
        assert_eq!(json["mean_mbit_s"], 0.024064);
        let text = info.to_string();
        assert!(text.contains("mean rate       0.024 Mbit/s"), "{text}");
        assert!(text.contains("longest outage  1 s, from 1 s on"), "{text}");
    }
}
