//! Representations and segments of a real manifest: static MPDs of ISO/IEC 23009-1.
//!
//! The first AdaptationSet of each kind is streamed, sets for trick modes aside. Several Periods are joined to one title if
//! they offer the same Representations.

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

/// What an MPD leaves open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Open {
    /// The buffer of the encoder of its pictures, as time at the bitrate.
    pub(super) encoder_buffer: Duration,
    /// The length of the segments of files that hold many.
    pub(super) segment_duration: Option<Duration>,
}

/// What an MPD holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Presentation {
    /// What is streamed of it.
    pub(super) draft: Draft,
    /// The ids of the other Representations.
    pub(super) others: Vec<String>,
}

/// Reads an MPD.
///
/// # Errors
/// With the line of the element that is at fault.
pub(super) fn read(content: &[u8], open: Open) -> Result<Presentation, FileError> {
    let text = std::str::from_utf8(content)
        .map_err(|error| FileError::at(Lines::new(content).at(error.valid_up_to()), "is not UTF-8 text"))?;
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
            return Err(root("is a live presentation (type=\"dynamic\"); only type=\"static\" is streamed"));
        }
        if self.mpd.periods.is_empty() {
            return Err(root("has no Period"));
        }
        let lengths = self.lengths()?;
        let (mut video, mut audio) = (None, None);
        for (place, (period, length)) in self.mpd.periods.iter().zip(lengths).enumerate() {
            if period.is_link {
                let message = format!(
                    "{}: what stands behind a link (xlink) is not fetched",
                    period_name(place, period)
                );
                return Err(FileError::at(period.line, message));
            }
            let next = self.set(period, length, Kind::Video)?.ok_or_else(|| {
                let message = format!(
                    "{} has no video: no AdaptationSet is of contentType or mimeType video",
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
                        format!("{}: some Periods have audio and some have not", period_name(place, period));
                    return Err(FileError::at(period.line, message));
                }
            }
        }
        let video = video.ok_or_else(|| root("has no Period"))?;
        let draft = Draft { manifest: None, video, audio };
        Ok(Presentation { others: self.others(&draft), draft })
    }

    /// The length of each Period, if it is known (§5.3.2.1).
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
                return Err(at(format!("{} lasts no time", period_name(place, period))));
            }
            start = start.zip(length).map(|(start, length)| start.saturating_add(length));
            lengths.push(length);
        }
        Ok(lengths)
    }

    /// The first set of that kind in a Period.
    fn set(
        &self,
        period: &'m Period,
        length: Option<Duration>,
        kind: Kind,
    ) -> Result<Option<DraftSet>, FileError> {
        let is_meant = |set: &&AdaptationSet| kind_of(set) == Some(kind) && !is_for_trick_modes(set);
        let Some(number) = period.sets.iter().position(|set| is_meant(&set)) else { return Ok(None) };
        let set = &period.sets[number];
        let least = match kind {
            Kind::Video => 2,
            Kind::Audio => 1,
        };
        if set.representations.len() < least {
            let message = format!(
                "the AdaptationSet of {} has {} of the {least} Representations or more that it takes{}",
                kind.word(),
                set.representations.len(),
                if kind == Kind::Video { ": with less there is nothing to adapt" } else { "" },
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
                let both = match twin.id == drafted.id {
                    true => "id",
                    false => "@bandwidth",
                };
                return Err(at(format!(
                    "has the {both} of Representation `{}`: choices go by the bitrate, requests by the id",
                    twin.id
                )));
            }
            if representations.is_empty() {
                durations = segments.durations;
            } else {
                align(&durations, &segments.durations).map_err(|message| {
                    at(format!(
                        "{message} those of `{}`: segments of a set begin together",
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
            return Err("stands behind a link (xlink), which is not fetched".to_owned());
        }
        if representation.dependency_id.is_some() {
            return Err("needs another one to be decoded (@dependencyId); layers are not streamed".to_owned());
        }
        let id = representation.id.clone().ok_or("has no @id")?;
        if id.is_empty() || id.len() > 200 || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(
                "has an @id that no request could name: 1 to 200 characters without spaces".to_owned()
            );
        }
        let bandwidth = representation.bandwidth.ok_or("has no @bandwidth")?;
        if bandwidth == 0 || Rate::from_bits(bandwidth) > HIGHEST {
            return Err(format!(
                "has a @bandwidth of {bandwidth}; it is above 0 and at most {}",
                HIGHEST.as_bits()
            ));
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

    /// Appends a Period's set to those before it.
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
                "Period number {} offers other Representations than the first: Periods are joined if their \
                 Representations have the same ids and bitrates",
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
                "the Periods have more than {MOST_SEGMENTS} segments together, or last longer than {LONGEST}"
            );
            return Err(FileError::at(period.line, message));
        }
        Ok(())
    }

    /// The Representations that are in the MPD and not in the draft.
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
    if span > LONGEST { Err(format!("@{key} is longer than {LONGEST}")) } else { Ok(span) }
}
