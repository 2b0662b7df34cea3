//! Segment boundaries of a Representation, from any of the four forms of segment information (ISO/IEC 23009-1 §5.3.9).

use jettison_core::Duration;

use super::model::{
    AdaptationSet, Initialization, Period, Representation, SegmentBase, SegmentInformation, SegmentList,
    SegmentTemplate, Timeline,
};
use crate::content::draft::{LONGEST, MOST_SEGMENTS};

/// Segments of one Representation in one Period.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segments {
    /// Media time of each segment.
    pub(super) durations: Vec<Duration>,
    /// Length of the initialization segment in bytes, if a byte range gives it.
    pub(super) initialization: Option<u64>,
    /// Length of each segment in bytes, if byte ranges give it.
    pub(super) sizes: Option<Vec<u64>>,
}

/// Position of a Representation in the MPD. Missing attributes are inherited from its AdaptationSet or its Period
/// (§5.3.9.1).
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'m> {
    pub(super) period: &'m Period,
    pub(super) set: &'m AdaptationSet,
    pub(super) representation: &'m Representation,
    /// Length of the Period, if known.
    pub(super) length: Option<Duration>,
    /// Length of the segments in files with an index, which the MPD does not hold.
    pub(super) segment_duration: Option<Duration>,
}

impl<'m> Place<'m> {
    /// Computes the segments.
    ///
    /// # Errors
    /// With the missing or inconsistent attribute, without the position.
    pub(super) fn segments(&self) -> Result<Segments, String> {
        // The innermost element determines the form.
        for level in self.levels() {
            if level.template.is_some() {
                return self.by_template();
            }
            if level.list.is_some() {
                return self.by_list();
            }
            if level.base.is_some() {
                break;
            }
        }
        self.by_index()
    }

    /// Returns the levels of segment information, innermost first.
    fn levels(&self) -> [&'m SegmentInformation; 3] {
        [&self.representation.segments, &self.set.segments, &self.period.segments]
    }

    fn template<T>(&self, take: impl Fn(&'m SegmentTemplate) -> Option<T>) -> Option<T> {
        self.levels().into_iter().filter_map(|level| level.template.as_ref()).find_map(take)
    }

    fn list<T>(&self, take: impl Fn(&'m SegmentList) -> Option<T>) -> Option<T> {
        self.levels().into_iter().filter_map(|level| level.list.as_ref()).find_map(take)
    }

    fn base<T>(&self, take: impl Fn(&'m SegmentBase) -> Option<T>) -> Option<T> {
        self.levels().into_iter().filter_map(|level| level.base.as_ref()).find_map(take)
    }

    fn by_template(&self) -> Result<Segments, String> {
        let timescale = timescale(self.template(|template| template.timescale))?;
        let durations = match self.template(|t| {
            let timeline = t.timeline.as_ref().map(Pace::Timeline);
            timeline.or(t.duration.map(Pace::Duration))
        }) {
            Some(Pace::Timeline(timeline)) => {
                let offset = self.template(|template| template.presentation_time_offset).unwrap_or(0);
                self.timeline(timeline, timescale, offset)?
            }
            Some(Pace::Duration(duration)) => self.template_of_duration(duration, timescale)?,
            None => {
                return Err("must have a SegmentTemplate with @duration or a SegmentTimeline".to_owned());
            }
        };
        let initialization = initialization(self.template(|template| template.initialization.as_ref()))?;
        Ok(Segments { durations, initialization, sizes: None })
    }

    fn template_of_duration(&self, duration: f64, timescale: u64) -> Result<Vec<Duration>, String> {
        let seconds = duration / timescale as f64;
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(format!("must have a SegmentTemplate with a @duration > 0, got {duration}"));
        }
        let numbered = match (self.template(|t| t.start_number), self.template(|t| t.end_number)) {
            (first, Some(last)) => {
                let first = first.unwrap_or(1);
                let count = last.checked_sub(first).ok_or_else(|| {
                    format!(
                        "must have a SegmentTemplate with @endNumber >= @startNumber, got {last} < {first}"
                    )
                })?;
                Some(count.saturating_add(1))
            }
            (_, None) => None,
        };
        // A remainder below a millionth of a segment is rounding.
        let in_period = self.length.map(|length| libm::ceil(length.as_secs_f64() / seconds - 1e-6).max(1.0));
        let count = match (in_period, numbered) {
            (Some(in_period), Some(numbered)) => in_period.min(numbered as f64),
            (Some(in_period), None) => in_period,
            (None, Some(numbered)) => numbered as f64,
            (None, None) => return Err(NO_LENGTH.to_owned()),
        };
        if count > MOST_SEGMENTS as f64 {
            return Err(too_many(count as u64));
        }
        if self.length.is_none() && seconds * count > LONGEST.as_secs_f64() {
            return Err(too_long());
        }
        let boundary = |place: u64| {
            let at = Duration::from_secs_f64(place as f64 * seconds);
            self.length.map_or(at, |length| at.min(length))
        };
        Ok(by_boundaries((0..=count as u64).map(boundary)))
    }

    fn by_list(&self) -> Result<Segments, String> {
        let ranges: &[Option<String>] = self
            .list(|list| (!list.media_ranges.is_empty()).then_some(list.media_ranges.as_slice()))
            .ok_or("must have a SegmentList with a SegmentURL (remote lists are unsupported)")?;
        if ranges.len() > MOST_SEGMENTS {
            return Err(too_many(ranges.len() as u64));
        }
        let timescale = timescale(self.list(|list| list.timescale))?;
        // A SegmentTimeline has precedence over @duration.
        let pace = self.list(|list| {
            let timeline = list.timeline.as_ref().map(Pace::Timeline);
            timeline.or(list.duration.map(|duration| Pace::Duration(duration as f64)))
        });
        let durations = match (pace, self.length) {
            (Some(Pace::Timeline(timeline)), _) => {
                let durations = self.timeline(timeline, timescale, 0)?;
                if durations.len() != ranges.len() {
                    return Err(format!(
                        "must have as many SegmentURLs as its SegmentTimeline has segments ({}), got {}",
                        durations.len(),
                        ranges.len()
                    ));
                }
                durations
            }
            (Some(Pace::Duration(duration)), length) => {
                // The last segment may be shorter: it ends with the Period.
                let whole = Duration::from_secs_f64(duration / timescale as f64);
                let before_last = whole.saturating_mul(ranges.len() as u64 - 1);
                let end = before_last.saturating_add(whole);
                let end = length.map_or(end, |length| length.min(end));
                if end <= before_last {
                    return Err(format!(
                        "must have a SegmentList within its Period, got {} segments of {whole}",
                        ranges.len()
                    ));
                }
                if end > LONGEST {
                    return Err(too_long());
                }
                by_boundaries((0..=ranges.len() as u64).map(|place| whole.saturating_mul(place).min(end)))
            }
            (None, Some(length)) if ranges.len() == 1 => vec![length],
            (None, None) if ranges.len() == 1 => return Err(NO_LENGTH.to_owned()),
            (None, _) => {
                return Err("must have a SegmentList with @duration or a SegmentTimeline".to_owned());
            }
        };
        let initialization = initialization(self.list(|list| list.initialization.as_ref()))?;
        // Use either all sizes or none: if one is unknown, all are drawn from the same model.
        let sizes: Option<Result<Vec<u64>, String>> =
            ranges.iter().map(|range| range.as_deref().map(length_of_range)).collect();
        Ok(Segments { durations, initialization, sizes: sizes.transpose()? })
    }

    /// Computes the segments of one file with an index (SegmentBase, or a BaseURL alone).
    fn by_index(&self) -> Result<Segments, String> {
        let Some(segment) = self.segment_duration.filter(|segment| !segment.is_zero()) else {
            return Err(
                "is one file with an index that the MPD does not contain; give the length of its segments in \
                 `segment_duration`"
                    .to_owned(),
            );
        };
        let length = self.length.ok_or(NO_LENGTH)?;
        let initialization = initialization(self.base(|base| base.initialization.as_ref()))?;
        Ok(Segments { durations: even(length, segment)?, initialization, sizes: None })
    }

    /// Computes the segments of a SegmentTimeline (§5.3.9.6).
    fn timeline(&self, timeline: &Timeline, timescale: u64, offset: u64) -> Result<Vec<Duration>, String> {
        let period_end = self.length.map(|length| {
            u128::from(offset) + u128::from(length.as_nanos()) * u128::from(timescale) / 1_000_000_000
        });
        let mut ticks: Vec<u64> = Vec::new();
        // End of the previous entry, in ticks.
        let mut clock: Option<u128> = None;
        for (place, entry) in timeline.entries.iter().enumerate() {
            let at = |message: &str| format!("has a SegmentTimeline whose S number {} {message}", place + 1);
            let Some(each) = entry.d.filter(|d| *d > 0) else {
                return Err(at("must have @d > 0"));
            };
            let duration = u128::from(each);
            let start = entry.t.map(u128::from).or(clock).unwrap_or(0);
            if let Some(clock) = clock {
                // A few ticks are the packager's rounding.
                if clock > start && (clock - start) * 2 > duration {
                    return Err(at("must not overlap the previous one"));
                }
                if start > clock && (start - clock) * 2 > duration {
                    return Err(at("must not start after a gap"));
                }
            }
            let end = match entry.r.unwrap_or(0) {
                repeats if repeats >= 0 => start + duration * (repeats.unsigned_abs() as u128 + 1),
                // Until the next entry, or the end of the Period.
                _ => match timeline.entries.get(place + 1) {
                    Some(next) => next
                        .t
                        .map(u128::from)
                        .ok_or_else(|| at("repeats until the next one, which must have @t"))?,
                    None => period_end.ok_or_else(|| {
                        at("repeats until the end of its Period, whose length must be known")
                    })?,
                },
            };
            if end <= start {
                return Err(at("must repeat until a time after its start"));
            }
            let count = (end - start).div_ceil(duration);
            if count + ticks.len() as u128 > MOST_SEGMENTS as u128 {
                return Err(too_many(u64::try_from(count + ticks.len() as u128).unwrap_or(u64::MAX)));
            }
            ticks.extend(std::iter::repeat_n(each, count as usize - 1));
            // The last repetition before a given time may be shorter than @d, but not longer.
            ticks.push((end - start - duration * (count - 1)) as u64);
            clock = Some(end);
        }
        if ticks.is_empty() {
            return Err("must have a SegmentTimeline with a segment".to_owned());
        }
        let total: u128 = ticks.iter().copied().map(u128::from).sum();
        if total / u128::from(timescale) > u128::from(LONGEST.as_nanos() / 1_000_000_000) {
            return Err(too_long());
        }
        let mut sum = 0;
        let ends = ticks.into_iter().map(|ticks| {
            sum += u128::from(ticks);
            Duration::from_nanos((sum * 1_000_000_000 / u128::from(timescale)) as u64)
        });
        Ok(by_boundaries(std::iter::once(Duration::ZERO).chain(ends)))
    }
}

enum Pace<'m> {
    Timeline(&'m Timeline),
    /// Duration in units of the timescale.
    Duration(f64),
}

const NO_LENGTH: &str =
    "must be in a Period of known length: give MPD@mediaPresentationDuration or Period@duration";

pub(super) fn too_many(count: u64) -> String {
    format!("must have at most {MOST_SEGMENTS} segments, got {count}")
}

pub(super) fn too_long() -> String {
    format!("must last at most {LONGEST}")
}

/// Divides `total` into segments of one duration; the last one may be shorter.
pub(in crate::content) fn even(total: Duration, segment: Duration) -> Result<Vec<Duration>, String> {
    let count = total.as_nanos().div_ceil(segment.as_nanos().max(1));
    if count > MOST_SEGMENTS as u64 {
        return Err(too_many(count));
    }
    Ok(by_boundaries((0..=count).map(|place| segment.saturating_mul(place).min(total))))
}

fn by_boundaries(mut boundaries: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut before = boundaries.next().unwrap_or_default();
    boundaries
        .map(|boundary| {
            let duration = boundary.saturating_sub(before);
            before = boundary;
            duration
        })
        .collect()
}

fn timescale(timescale: Option<u64>) -> Result<u64, String> {
    match timescale {
        Some(0) => Err("must have a @timescale > 0, got 0".to_owned()),
        Some(timescale) => Ok(timescale),
        None => Ok(1),
    }
}

fn initialization(element: Option<&Initialization>) -> Result<Option<u64>, String> {
    element.and_then(|element| element.range.as_deref()).map(length_of_range).transpose()
}

/// Returns the length of a byte range such as `0-862` (RFC 9110 §14.1.2, without open ends).
fn length_of_range(range: &str) -> Result<u64, String> {
    let bounds = range.trim().split_once('-').and_then(|(from, to)| {
        let (from, to) = (from.parse::<u64>().ok()?, to.parse::<u64>().ok()?);
        to.checked_sub(from)?.checked_add(1)
    });
    bounds
        .filter(|length| *length <= MOST_RANGE)
        .ok_or_else(|| format!("must have byte ranges such as \"0-862\" of at most 1 TB, got `{range}`"))
}

/// Maximum length of a byte range: 1 TB.
const MOST_RANGE: u64 = 1_000_000_000_000;
