//! Reader of MPD files: static manifests of ISO/IEC 23009-1.
//!
//! The first AdaptationSet of each kind is streamed, except sets for trick modes. Several Periods are joined into one
//! title if they offer the same Representations.

mod describe;
mod duration;
mod model;
mod segments;
#[cfg(test)]
mod tests;
mod xml;

use jettison_core::{Duration, Rate};

use super::draft::{Draft, DraftRepresentation, DraftSet, HIGHEST, LONGEST, MOST_SEGMENTS, Sizes};
use describe::{Kind, align, check, is_for_trick_modes, kind_of, picture};
use jettison_sockets::{FileError, Lines};
use model::{AdaptationSet, Mpd, Period, Representation};
use segments::Place;
pub(super) use segments::even;

/// Properties that an MPD does not define.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Open {
    /// Buffer of the video encoder, as time at the bitrate.
    pub(super) encoder_buffer: Duration,
    /// Length of the segments in files with an index.
    pub(super) segment_duration: Option<Duration>,
}

/// Content of an MPD.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Presentation {
    /// Streamed content.
    pub(super) draft: Draft,
    /// Ids of the other Representations.
    pub(super) others: Vec<String>,
}

/// Reads an MPD.
///
/// # Errors
/// With the line of the offending element.
pub(super) fn read(content: &[u8], open: Open) -> Result<Presentation, FileError> {
    let text = std::str::from_utf8(content)
        .map_err(|error| FileError::at(Lines::new(content).at(error.valid_up_to()), "must be UTF-8 text"))?;
    let text = text.trim_start_matches('\u{feff}');
    let mpd = Mpd::parse(text)?;
    let reading = Reading { mpd: &mpd, open };
    let mut presentation = reading.presentation()?;
    presentation.draft.manifest = Some(content.len() as u64);
    Ok(presentation)
}

struct Reading<'m> {
    mpd: &'m Mpd,
    open: Open,
}

impl<'m> Reading<'m> {
    fn presentation(&self) -> Result<Presentation, FileError> {
        let root = |message: &str| FileError::at(self.mpd.line, message);
        if self.mpd.kind.as_deref() == Some("dynamic") {
            return Err(root(
                "must have @type=\"static\", got \"dynamic\": live presentations are unsupported",
            ));
        }
        if self.mpd.periods.is_empty() {
            return Err(root("must have at least one Period"));
        }
        let lengths = self.lengths()?;
        let (mut video, mut audio) = (None, None);
        for (place, (period, length)) in self.mpd.periods.iter().zip(lengths).enumerate() {
            if period.is_link {
                let message =
                    format!("{}: unsupported: remote element (xlink:href)", period_name(place, period));
                return Err(FileError::at(period.line, message));
            }
            let next = self.set(period, length, Kind::Video)?.ok_or_else(|| {
                let message = format!(
                    "{} has no AdaptationSet of contentType or mimeType video",
                    period_name(place, period)
                );
                FileError::at(period.line, message)
            })?;
            self.join(place, period, &mut video, next)?;
            match (self.set(period, length, Kind::Audio)?, place) {
                (Some(next), 0) => audio = Some(next),
                (Some(next), _) if audio.is_some() => self.join(place, period, &mut audio, next)?,
                (None, _) if audio.is_none() => {}
                _ => {
                    let message =
                        format!("{}: either all Periods must have audio or none", period_name(place, period));
                    return Err(FileError::at(period.line, message));
                }
            }
        }
        let video = video.ok_or_else(|| root("must have at least one Period"))?;
        let draft = Draft { manifest: None, video, audio };
        Ok(Presentation { others: self.others(&draft), draft })
    }

    /// Returns the length of each Period, if known (§5.3.2.1).
    fn lengths(&self) -> Result<Vec<Option<Duration>>, FileError> {
        let total = self.mpd.duration.map(|total| span(total, "mediaPresentationDuration"));
        let total = total.transpose().map_err(|message| FileError::at(self.mpd.line, message))?;
        let mut start = Some(Duration::ZERO);
        let mut lengths = Vec::with_capacity(self.mpd.periods.len());
        for (place, period) in self.mpd.periods.iter().enumerate() {
            let at = |message: String| FileError::at(period.line, message);
            if let Some(own) = period.start {
                start = Some(span(own, "start").map_err(at)?);
            }
            let next = match self.mpd.periods.get(place + 1) {
                Some(next) => next.start.map(|start| span(start, "start")).transpose().map_err(at)?,
                None => total,
            };
            let length = match (period.duration, start, next) {
                (Some(own), _, _) => Some(span(own, "duration").map_err(at)?),
                (None, Some(start), Some(next)) => Some(next.saturating_sub(start)),
                _ => None,
            };
            if length == Some(Duration::ZERO) {
                return Err(at(format!("{} must have a length > 0, got 0 s", period_name(place, period))));
            }
            start = start.zip(length).map(|(start, length)| start.saturating_add(length));
            lengths.push(length);
        }
        Ok(lengths)
    }

    /// Returns the first AdaptationSet of a kind in a Period, if any.
    fn set(
        &self,
        period: &'m Period,
        length: Option<Duration>,
        kind: Kind,
    ) -> Result<Option<DraftSet>, FileError> {
        let matches = |set: &&AdaptationSet| kind_of(set) == Some(kind) && !is_for_trick_modes(set);
        let Some(number) = period.sets.iter().position(|set| matches(&set)) else { return Ok(None) };
        let set = &period.sets[number];
        let least = match kind {
            Kind::Video => 2,
            Kind::Audio => 1,
        };
        if set.representations.len() < least {
            let message = format!(
                "the AdaptationSet of {} must have at least {least} Representations{}, got {}",
                kind.word(),
                if kind == Kind::Video { " for adaptation" } else { "" },
                set.representations.len(),
            );
            return Err(FileError::at(set.line, message));
        }
        let mut durations: Vec<Duration> = Vec::new();
        let mut representations: Vec<DraftRepresentation> = Vec::new();
        for (index, representation) in set.representations.iter().enumerate() {
            let name = representation
                .id
                .as_deref()
                .map_or_else(|| format!("number {}", index + 1), |id| format!("`{id}`"));
            let at = |message: String| {
                FileError::at(representation.line, format!("Representation {name} {message}"))
            };
            let segment_duration = self.open.segment_duration;
            let segments =
                Place { period, set, representation, length, segment_duration }.segments().map_err(at)?;
            check(&segments).map_err(at)?;
            let drafted = self
                .representation(set, representation, kind, segments.initialization, segments.sizes)
                .map_err(at)?;
            if let Some(twin) = representations
                .iter()
                .find(|other| other.id == drafted.id || other.bitrate == drafted.bitrate)
            {
                let shared = match twin.id == drafted.id {
                    true => "id",
                    false => "@bandwidth",
                };
                return Err(at(format!(
                    "must differ in id and @bandwidth from the others, got the {shared} of `{}`",
                    twin.id
                )));
            }
            // The first Representation defines the segment boundaries of the set.
            if representations.is_empty() {
                durations = segments.durations;
            } else {
                align(&durations, &segments.durations).map_err(|message| {
                    at(format!(
                        "{message} `{}`; the segments of a set must be aligned",
                        representations[0].id
                    ))
                })?;
            }
            representations.push(drafted);
        }
        representations.sort_by_key(|representation| representation.bitrate);
        Ok(Some(DraftSet { durations, representations }))
    }

    fn representation(
        &self,
        set: &AdaptationSet,
        representation: &Representation,
        kind: Kind,
        initialization: Option<u64>,
        sizes: Option<Vec<u64>>,
    ) -> Result<DraftRepresentation, String> {
        if representation.is_link {
            return Err("is a remote element (xlink:href), which is unsupported".to_owned());
        }
        if representation.dependency_id.is_some() {
            return Err(
                "depends on another one (@dependencyId); layered encodings are unsupported".to_owned()
            );
        }
        let id = representation.id.clone().ok_or("has no @id")?;
        if id.is_empty() || id.len() > 200 || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("must have an @id of 1 to 200 characters without spaces".to_owned());
        }
        let bandwidth = representation.bandwidth.ok_or("has no @bandwidth")?;
        if bandwidth == 0 || Rate::from_bits(bandwidth) > HIGHEST {
            return Err(format!("must have a @bandwidth in [1, {}], got {bandwidth}", HIGHEST.as_bits()));
        }
        let codec = representation.common.codecs.clone().or_else(|| set.common.codecs.clone());
        let sizes = match (sizes, kind) {
            (Some(sizes), _) => Sizes::Known(sizes),
            (None, Kind::Video) => Sizes::Drawn { buffer: self.open.encoder_buffer },
            (None, Kind::Audio) => Sizes::Drawn { buffer: Duration::ZERO },
        };
        let picture = match kind {
            Kind::Video => picture(set, representation)?,
            Kind::Audio => None,
        };
        let bitrate = Rate::from_bits(bandwidth);
        let codec = codec.unwrap_or_else(|| "unknown".to_owned());
        Ok(DraftRepresentation { id, bitrate, codec, picture, initialization, sizes })
    }

    /// Appends a Period's set to the joined sets of the Periods before it.
    fn join(
        &self,
        place: usize,
        period: &Period,
        joined: &mut Option<DraftSet>,
        next: DraftSet,
    ) -> Result<(), FileError> {
        let Some(before) = joined else {
            *joined = Some(next);
            return Ok(());
        };
        let offered = |set: &DraftSet| -> Vec<(String, Rate)> {
            set.representations.iter().map(|r| (r.id.clone(), r.bitrate)).collect()
        };
        if offered(before) != offered(&next) {
            let message = format!(
                "Period number {} must offer the same Representations (ids and bitrates) as the first",
                place + 1
            );
            return Err(FileError::at(period.line, message));
        }
        before.durations.extend(next.durations);
        for (before, next) in before.representations.iter_mut().zip(next.representations) {
            match (&mut before.sizes, next.sizes) {
                (Sizes::Known(sizes), Sizes::Known(more)) => sizes.extend(more),
                (Sizes::Known(_), drawn) => before.sizes = drawn,
                _ => {}
            }
        }
        let total = before.durations.iter().copied().fold(Duration::ZERO, Duration::saturating_add);
        if before.durations.len() > MOST_SEGMENTS || total > LONGEST {
            let message = format!(
                "all Periods together must have at most {MOST_SEGMENTS} segments and last at most {LONGEST}"
            );
            return Err(FileError::at(period.line, message));
        }
        Ok(())
    }

    /// Returns the ids of the Representations that are in the MPD and not in the draft.
    fn others(&self, draft: &Draft) -> Vec<String> {
        let sets = [Some(&draft.video), draft.audio.as_ref()];
        let streamed: Vec<&str> =
            sets.into_iter().flatten().flat_map(|set| &set.representations).map(|r| r.id.as_str()).collect();
        let all =
            self.mpd.periods.iter().flat_map(|period| &period.sets).flat_map(|set| &set.representations);
        let mut others: Vec<String> =
            all.filter_map(|r| r.id.clone()).filter(|id| !streamed.contains(&id.as_str())).collect();
        others.sort();
        others.dedup();
        others
    }
}

fn period_name(place: usize, period: &Period) -> String {
    match &period.id {
        Some(id) => format!("Period `{id}`"),
        None => format!("Period number {}", place + 1),
    }
}

fn span(span: Duration, key: &str) -> Result<Duration, String> {
    if span > LONGEST { Err(format!("@{key} must be at most {LONGEST}, got {span}")) } else { Ok(span) }
}
