//! Resources of a server and their paths: `/TITLE/manifest.mpd`, `/TITLE/video/INDEX/init.mp4`,
//! `/TITLE/video/INDEX/NUMBER.m4s`.
//!
//! A path holds the index of a representation among those of its kind (from 0) and the number of a segment (from 1, as
//! `$Number$` of ISO/IEC 23009-1), so ids that are not valid path segments need no escaping.

use std::sync::Arc;

use jettison_measure::{Unit, UnitKind};

use super::content::{AdaptationSet, Title};
use super::player::Kind;

/// Resource that a client can request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource<'p> {
    /// Name of the title.
    pub title: &'p str,
    /// Part of the title.
    pub part: Part,
}

/// A part of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The MPD.
    Manifest,
    /// The initialization segment of a representation.
    Initialization(Kind, usize),
    /// A segment of a representation; both indices start at 0.
    Segment(Kind, usize, usize),
}

/// Part of the units of audio, beside the representation.
pub(crate) const AUDIO: u32 = 1 << 16;
/// Part of the manifest, so that its request is no other's.
const MANIFEST: u32 = 1 << 17;

impl Part {
    /// The unit that carries this part, of a session by its number (0 for a flow with one).
    pub fn unit(&self, session: u32) -> Unit {
        let part = |kind, place: usize| {
            place as u32
                | match kind {
                    Kind::Video => 0,
                    Kind::Audio => AUDIO,
                }
        };
        let unit = match *self {
            Part::Manifest => Unit::new(UnitKind::Manifest, 0, MANIFEST),
            Part::Initialization(kind, place) => Unit::new(UnitKind::Segment, 0, part(kind, place)),
            Part::Segment(kind, place, segment) => {
                Unit::new(UnitKind::Segment, segment as u64 + 1, part(kind, place))
            }
        };
        unit.in_session(session)
    }
}

impl<'p> Resource<'p> {
    /// Returns the path of the resource.
    pub fn path(&self) -> String {
        let title = self.title;
        match self.part {
            Part::Manifest => format!("/{title}/manifest.mpd"),
            Part::Initialization(kind, place) => format!("/{title}/{}/{place}/init.mp4", word(kind)),
            Part::Segment(kind, place, segment) => {
                format!("/{title}/{}/{place}/{}.m4s", word(kind), segment + 1)
            }
        }
    }

    /// Parses a path; `None` if it matches no pattern.
    pub fn of_path(path: &'p str) -> Option<Resource<'p>> {
        let mut steps = path.strip_prefix('/')?.split('/');
        let title = steps.next()?;
        let kind = match steps.next()? {
            "manifest.mpd" => {
                return steps.next().is_none().then_some(Resource { title, part: Part::Manifest });
            }
            "video" => Kind::Video,
            "audio" => Kind::Audio,
            _ => return None,
        };
        let place = steps.next()?.parse().ok()?;
        let part = match steps.next()? {
            "init.mp4" => Part::Initialization(kind, place),
            file => {
                let number: usize = file.strip_suffix(".m4s")?.parse().ok()?;
                Part::Segment(kind, place, number.checked_sub(1)?)
            }
        };
        steps.next().is_none().then_some(Resource { title, part })
    }

    /// The unit of a request for `path`, in a session.
    pub fn requested(path: &'p str, session: u32) -> Option<Unit> {
        let unit = Resource::of_path(path)?.part.unit(session);
        Some(Unit { kind: UnitKind::Request, ..unit })
    }

    /// Returns the length in bytes; `None` if the resource does not exist.
    pub fn length(&self, titles: &[Arc<Title>]) -> Option<u64> {
        let title = titles.iter().find(|title| title.name == self.title)?;
        match self.part {
            Part::Manifest => Some(title.manifest),
            Part::Initialization(kind, place) => {
                Some(set(title, kind)?.representations.get(place)?.initialization)
            }
            Part::Segment(kind, place, segment) => {
                set(title, kind)?.representations.get(place)?.sizes.get(segment).copied()
            }
        }
    }

    /// Returns the media type of the resource at `path`.
    pub fn media_type(path: &str) -> &'static str {
        match path {
            path if path.ends_with(".mpd") => "application/dash+xml",
            path if path.contains("/audio/") => "audio/mp4",
            _ => "video/mp4",
        }
    }
}

/// Returns the adaptation set of a kind of media.
pub fn set(title: &Title, kind: Kind) -> Option<&AdaptationSet> {
    match kind {
        Kind::Video => Some(&title.video),
        Kind::Audio => title.audio.as_ref(),
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Video => "video",
        Kind::Audio => "audio",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_resources_round_trip() {
        let parts = [
            Part::Manifest,
            Part::Initialization(Kind::Video, 2),
            Part::Segment(Kind::Audio, 1, 0),
            Part::Segment(Kind::Video, 0, 149),
        ];
        for part in parts {
            let resource = Resource { title: "title-1", part };
            assert_eq!(Resource::of_path(&resource.path()), Some(resource), "{}", resource.path());
        }
    }

    #[test]
    fn requests_of_all_parts_of_a_session_are_told_apart() {
        let parts = [
            Part::Manifest,
            Part::Initialization(Kind::Video, 0),
            Part::Initialization(Kind::Audio, 0),
            Part::Segment(Kind::Audio, 1, 0),
            Part::Segment(Kind::Video, 1, 0),
            Part::Segment(Kind::Video, 0, 0),
            Part::Segment(Kind::Video, 0, 1),
        ];
        let units: std::collections::BTreeSet<_> =
            parts.iter().map(|part| part.unit(3)).map(|unit| (unit.number, unit.part)).collect();
        assert_eq!(units.len(), parts.len());
        let last = Part::Segment(Kind::Video, 2, 16).unit(3);
        assert_eq!(last.to_string(), "segment 17.2 of session 3");
    }

    #[test]
    fn other_paths_are_not_parsed() {
        for path in [
            "",
            "/",
            "/t",
            "/t/manifest.mpd/x",
            "/t/text/0/1.m4s",
            "/t/video/x/1.m4s",
            "/t/video/0/0.m4s",
            "t",
        ] {
            assert_eq!(Resource::of_path(path), None, "{path}");
        }
    }
}
