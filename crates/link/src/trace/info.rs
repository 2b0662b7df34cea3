//! Statistics of a trace.

use std::fmt;

use jettison_core::{Bytes, Duration, Rate, Time};
use serde::{Serialize, Serializer};

use super::{DriveTest, Format, Grants, OPPORTUNITY_BYTES, Recording, Restarts, Trace};

/// Statistics of a recording. Rates count 1,504 bytes per opportunity.
///
/// Serialised as plain numbers, each with its unit in the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceInfo {
    /// Lines of a Mahimahi trace: opportunities of up to 1,504 bytes per round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opportunities: Option<u64>,
    /// Duration of a round, after which the trace repeats.
    #[serde(rename = "period_s", serialize_with = "seconds")]
    pub period: Duration,
    /// Mean rate over a round.
    #[serde(rename = "mean_mbit_s", serialize_with = "megabits")]
    pub mean: Rate,
    /// The lowest rate of the windows.
    #[serde(rename = "min_mbit_s", serialize_with = "megabits")]
    pub min: Rate,
    /// The 5th percentile of the windows' rates (nearest rank).
    #[serde(rename = "p5_mbit_s", serialize_with = "megabits")]
    pub p5: Rate,
    /// The median of the windows' rates.
    #[serde(rename = "p50_mbit_s", serialize_with = "megabits")]
    pub p50: Rate,
    /// The 95th percentile of the windows' rates.
    #[serde(rename = "p95_mbit_s", serialize_with = "megabits")]
    pub p95: Rate,
    /// The highest rate of the windows.
    #[serde(rename = "max_mbit_s", serialize_with = "megabits")]
    pub max: Rate,
    /// Number of one-second windows for the percentiles: whole ones from the start of the round, at least one.
    pub windows: u64,
    /// The longest interval without capacity, including across the seam between rounds.
    #[serde(rename = "longest_outage_s", serialize_with = "seconds")]
    pub longest_outage: Duration,
    /// Start of that outage in the round.
    #[serde(rename = "longest_outage_at_s", serialize_with = "instant")]
    pub longest_outage_at: Time,
    /// Number of outages of one second or more.
    #[serde(rename = "outages_from_1_s")]
    pub outages: u64,
    /// Total duration of those.
    #[serde(rename = "outages_from_1_s_together_s", serialize_with = "seconds")]
    pub outage: Duration,
    /// Largest number of opportunities of a Mahimahi trace in one millisecond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_in_a_millisecond: Option<u64>,
    /// Largest grant in bytes per millisecond, for traces of grants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_grant_bytes: Option<u64>,
    /// Recognised restarts of a drive test's downloads.
    #[serde(rename = "download_restarts", skip_serializing_if = "Option::is_none")]
    pub restarts: Option<u64>,
    /// Total duration of those.
    #[serde(
        rename = "download_restarts_together_s",
        serialize_with = "maybe_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub restarting: Option<Duration>,
    /// What became of those.
    #[serde(rename = "download_restarts_are", skip_serializing_if = "Option::is_none")]
    pub handling: Option<Restarts>,
    /// The file format.
    pub format: Format,
}

const WINDOW: Duration = Duration::from_secs(1);

impl TraceInfo {
    /// Computes the statistics of a recording.
    pub fn of(recording: &Recording) -> TraceInfo {
        match recording {
            Recording::Mahimahi(trace) => TraceInfo::of_trace(trace),
            Recording::Srsran(grants) => TraceInfo::of_grants(grants, recording.format()),
            Recording::Csv(DriveTest { grants, restarts, restarting, handling }) => TraceInfo {
                restarts: Some(*restarts),
                restarting: Some(*restarting),
                handling: Some(*handling),
                ..TraceInfo::of_grants(grants, recording.format())
            },
        }
    }

    fn of_trace(trace: &Trace) -> TraceInfo {
        let times = trace.opportunities();
        let each = u64::from(OPPORTUNITY_BYTES);
        let until = |seconds| trace.count_before(Time::from_secs(seconds)).saturating_mul(each);
        let round = (trace.period_millis(), (times.len() as u64).saturating_mul(each));
        let most = times.chunk_by(|a, b| a == b).map(|same| same.len() as u64).max();
        TraceInfo {
            opportunities: Some(times.len() as u64),
            most_in_a_millisecond: Some(most.unwrap_or(0)),
            ..TraceInfo::with(Format::Mahimahi, round, until, outages(times))
        }
    }

    fn of_grants(grants: &Grants, format: Format) -> TraceInfo {
        let until = |seconds: u64| grants.granted_before(seconds.saturating_mul(1_000));
        TraceInfo {
            largest_grant_bytes: Some(grants.largest()),
            ..TraceInfo::with(format, (grants.period(), grants.total()), until, silences(grants))
        }
    }

    /// Computes statistics from the length of a round in milliseconds, its bytes, the cumulative bytes by second, and
    /// the outages in milliseconds with their starts.
    fn with(
        format: Format,
        (period, bytes): (u64, u64),
        until: impl Fn(u64) -> u64,
        outages: impl Iterator<Item = (u64, u64)>,
    ) -> TraceInfo {
        let windows = sorted_windows(period, &until);
        let rank = |percent: usize| {
            let bytes = windows[(windows.len() * percent).div_ceil(100).max(1) - 1];
            Rate::of(Bytes::new(bytes), WINDOW)
        };
        let (mut longest, mut many, mut together) = ((0, 0), 0, 0);
        for (length, at) in outages {
            // Keep the first of several longest outages.
            longest = if length > longest.0 { (length, at) } else { longest };
            if length >= WINDOW.as_millis() {
                (many, together) = (many + 1, together + length);
            }
        }
        TraceInfo {
            opportunities: None,
            period: Duration::from_millis(period),
            mean: Rate::of(Bytes::new(bytes), Duration::from_millis(period)),
            min: rank(0),
            p5: rank(5),
            p50: rank(50),
            p95: rank(95),
            max: rank(100),
            windows: windows.len() as u64,
            longest_outage: Duration::from_millis(longest.0),
            longest_outage_at: Time::from_millis(longest.1),
            outages: many,
            outage: Duration::from_millis(together),
            most_in_a_millisecond: None,
            largest_grant_bytes: None,
            restarts: None,
            restarting: None,
            handling: None,
            format,
        }
    }
}

/// Bytes in each whole second of a round, sorted ascending; a trace shorter than a second repeats to fill one.
///
/// A trace of a few lines may last 49 days, so there are up to 4 million counts.
fn sorted_windows(period: u64, until: &impl Fn(u64) -> u64) -> Vec<u64> {
    let seconds = (period / 1_000).max(1);
    let mut before = 0;
    let mut windows: Vec<u64> = (1..=seconds)
        .map(|second| {
            let bytes = until(second);
            let window = bytes - before;
            before = bytes;
            window
        })
        .collect();
    windows.sort_unstable();
    windows
}

/// Gaps between opportunities, with their starts.
fn outages(times: &[u32]) -> impl Iterator<Item = (u64, u64)> + '_ {
    // The last timestamp is the next round's zero, so the first timestamp is the gap at the seam.
    let seam = (u64::from(times.first().copied().unwrap_or(0)), 0);
    let gaps = times.windows(2).map(|pair| (u64::from(pair[1] - pair[0]), u64::from(pair[0])));
    std::iter::once(seam).chain(gaps)
}

/// Stretches without a grant, with their starts; those at both ends of the round form one.
fn silences(grants: &Grants) -> impl Iterator<Item = (u64, u64)> + '_ {
    let mut end = 0;
    let mut stretches: Vec<(u64, u64, bool)> = Vec::new();
    for stretch in grants.stretches() {
        stretches.push((u64::from(stretch.ttis), end, stretch.bytes == 0));
        end += u64::from(stretch.ttis);
    }
    if let [first, .., last] = &mut stretches[..]
        && first.2
        && last.2
    {
        last.0 += first.0;
        first.2 = false;
    }
    stretches.into_iter().filter(|stretch| stretch.2).map(|(length, at, _)| (length, at))
}

fn seconds<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.as_secs_f64())
}
fn maybe_seconds<S: Serializer>(span: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_some(&span.map(Duration::as_secs_f64))
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
        writeln!(f, "format          {}", self.format.description())?;
        if let Some(opportunities) = self.opportunities {
            writeln!(f, "opportunities   {opportunities} of up to 1,504 bytes")?;
        }
        writeln!(f, "period          {} (repeats)", self.period)?;
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
        match self.longest_outage.is_zero() {
            true => writeln!(f, "longest outage  none")?,
            false => writeln!(f, "longest outage  {} at {}", self.longest_outage, self.longest_outage_at)?,
        }
        write!(f, "outages         {} of 1 s or more, {} in total", self.outages, self.outage)?;
        if let Some(most) = self.most_in_a_millisecond {
            write!(f, "\nmost at once    {most} per millisecond")?;
        }
        if let Some(bytes) = self.largest_grant_bytes {
            write!(f, "\nmost at once    {bytes} bytes per millisecond")?;
        }
        if let (Some(restarts), Some(restarting), Some(handling)) =
            (self.restarts, self.restarting, self.handling)
        {
            let handling = match handling {
                Restarts::Interpolate => "interpolated",
                Restarts::Keep => "kept",
            };
            write!(f, "\nrestarts        {restarts} of downloads, {restarting} in total, {handling}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(times: &[u32]) -> TraceInfo {
        TraceInfo::of(&Recording::Mahimahi(Trace::from_opportunities(times.to_vec()).unwrap()))
    }

    #[test]
    fn figures_of_a_small_trace() {
        // Seconds with 4, 1 and 2 opportunities, then a last one at 3 s that ends the round.
        let info = info(&[0, 10, 10, 10, 1_500, 2_000, 2_900, 3_000]);
        assert_eq!((info.opportunities, info.windows), (Some(8), 3));
        assert_eq!((info.outages, info.outage), (1, Duration::from_millis(1_490)));
        assert_eq!(info.period, Duration::from_secs(3));
        assert_eq!(info.mean, Rate::from_bits(8 * 1504 * 8 / 3));
        let window = |n: u64| Rate::from_bits(n * 1504 * 8);
        assert_eq!([info.min, info.p5, info.p50, info.p95, info.max], [1, 1, 2, 4, 4].map(window));
        assert_eq!(info.longest_outage, Duration::from_millis(1_490));
        assert_eq!(info.longest_outage_at, Time::from_millis(10));
        assert_eq!(info.most_in_a_millisecond, Some(3));
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
        assert!(text.contains("longest outage  1 s at 1 s"), "{text}");
    }

    #[test]
    fn figures_of_grants() {
        // Two seconds in batches of 500 ms: one without a grant at each end of the round.
        let recording = Recording::read(b"500\n4\n0\n62500\n125000\n0\n", None).unwrap();
        let info = TraceInfo::of(&recording);
        assert_eq!((info.format, info.opportunities, info.windows), (Format::Srsran, None, 2));
        assert_eq!(info.mean, Rate::from_kbit(750));
        assert_eq!([info.min, info.p50, info.max], [500, 500, 1_000].map(Rate::from_kbit));
        assert_eq!(info.longest_outage, Duration::from_secs(1), "across the seam");
        assert_eq!((info.longest_outage_at, info.outages), (Time::from_millis(1_500), 1));
        assert_eq!(info.largest_grant_bytes, Some(250));
        let text = info.to_string();
        assert!(text.contains("250 bytes per millisecond") && !text.contains("opportunities"), "{text}");
    }
}
