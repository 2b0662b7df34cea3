//! Abandon-request rule (`rules/abr/AbandonRequestsRule.js`).

use jettison_core::{Duration, Time};

use super::super::{AbrState, Progress};

/// Time from the first byte before a request is abandoned.
const GRACE: Duration = Duration::from_millis(500);
/// Download time that a segment may take, as a multiple of its media time.
const MULTIPLIER: f64 = 1.8;
/// Least time between two progress events of a browser (XMLHttpRequest Standard).
const EVENTS: Duration = Duration::from_millis(50);
/// Share of the rate so far that the replacement may use, in 4.x.
const SAFETY: f64 = 0.9;

/// How the rate of a request is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AbandonStyle {
    /// 4.x: mean of the rates since the first byte that 5 or more progress events saw.
    MeanOfReports,
    /// 5.x: rate from the first progress event to the last of 6 or more.
    SinceFirstReport,
}

/// Monitor of the request in transfer.
#[derive(Debug, Clone)]
pub(super) struct Abandon {
    style: AbandonStyle,
    /// Highest level at which requests are abandoned.
    below: Duration,
    transfer: Option<(usize, usize)>,
    /// Rates in kbit/s that events saw.
    rates: Vec<f64>,
    /// Time and bytes of the first event.
    first: Option<(Time, u64)>,
    latest: Option<Time>,
    /// The last abandoned segment: each is abandoned at most once.
    abandoned: Option<usize>,
}

impl Abandon {
    pub(super) fn new(style: AbandonStyle, below: Duration) -> Abandon {
        Abandon {
            style,
            below,
            transfer: None,
            rates: Vec::new(),
            first: None,
            latest: None,
            abandoned: None,
        }
    }

    /// Handles progress. Returns the lower representation to fetch instead.
    pub(super) fn on_progress(&mut self, progress: &Progress, state: &AbrState<'_>) -> Option<usize> {
        let transfer = Some((progress.segment, progress.representation));
        if self.transfer != transfer {
            (self.transfer, self.first, self.latest) = (transfer, None, None);
            self.rates.clear();
        }
        if self.latest.is_some_and(|at| state.now.since(at) < EVENTS) {
            return None;
        }
        self.latest = Some(state.now);
        let first = *self.first.get_or_insert((state.now, progress.received));
        // 4.x takes no samples while the buffer is above the level.
        if self.abandoned == Some(progress.segment) || state.buffer > self.below {
            return None;
        }
        let elapsed = state.now.since(progress.first_byte_at);
        if !elapsed.is_zero() {
            self.rates.push((progress.received as f64 * 8.0 / elapsed.as_millis_f64()).round());
        }
        if elapsed <= GRACE || progress.received >= progress.bytes || progress.representation == 0 {
            return None;
        }
        let (kbit, safety) = match self.style {
            AbandonStyle::MeanOfReports if self.rates.len() >= 5 => {
                ((self.rates.iter().sum::<f64>() / self.rates.len() as f64).round(), SAFETY)
            }
            AbandonStyle::SinceFirstReport if self.rates.len() >= 6 => {
                let took = state.now.since(first.0).as_millis_f64().max(1.0);
                (((progress.received - first.1) as f64 * 8.0 / took).round(), 1.0)
            }
            _ => return None,
        };
        let media = state.set.durations.get(progress.segment).copied().unwrap_or(state.segment_duration());
        let time = progress.bytes as f64 * 8.0 / kbit.max(1e-9) / 1e3;
        if time < media.as_secs_f64() * MULTIPLIER {
            return None;
        }
        let lower = state.set.highest_below(kbit * safety * 1e3);
        let bitrate = |place: usize| state.set.representations.get(place).map(|r| r.bitrate.as_bits() as f64);
        let lower_bytes = progress.bytes as f64 * bitrate(lower)? / bitrate(progress.representation)?;
        if lower >= progress.representation || (progress.bytes - progress.received) as f64 <= lower_bytes {
            return None;
        }
        self.abandoned = Some(progress.segment);
        Some(lower)
    }
}
