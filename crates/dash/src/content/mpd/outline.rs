//! A first reading of an MPD as XML: whether it is well formed, and in which line its elements stand.
//!
//! The second reading, by `dash-mpd`, gives neither lines nor refuses everything that would make it trip.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use jettison_sockets::{FileError, Lines};

/// Elements of an MPD nest to about eight levels.
const DEEPEST: usize = 64;
/// A run of more digits than this in a duration would overflow the count of seconds.
const MOST_DIGITS: usize = 9;

/// The lines of a manifest's elements, in the order of the document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Outline {
    /// Line of the root.
    pub(super) line: usize,
    pub(super) periods: Vec<PeriodLines>,
}

/// A Period's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PeriodLines {
    pub(super) line: usize,
    pub(super) sets: Vec<SetLines>,
}

/// An AdaptationSet's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SetLines {
    pub(super) line: usize,
    pub(super) representations: Vec<usize>,
}

/// What an element is, so far as lines are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Root,
    Period,
    AdaptationSet,
    Other,
}

impl Outline {
    /// Reads a text.
    ///
    /// # Errors
    /// With the line where it is no XML, or none that an MPD would be.
    pub(super) fn of(text: &str) -> Result<Outline, FileError> {
        let mut outline = Outline::default();
        let mut lines = Lines::new(text.as_bytes());
        let mut reader = Reader::from_str(text);
        // The elements around the place, outermost first.
        let mut around: Vec<Element> = Vec::new();
        let mut has_root = false;
        loop {
            let line = lines.at(offset(reader.buffer_position()));
            let event = reader.read_event().map_err(|error| {
                FileError::at(lines.at(offset(reader.error_position())), error.to_string())
            })?;
            match &event {
                Event::Start(tag) | Event::Empty(tag) => {
                    if around.is_empty() {
                        if has_root {
                            return Err(FileError::at(
                                line,
                                "more follows the end of the root element `MPD`",
                            ));
                        }
                        has_root = true;
                    }
                    check_attributes(tag, line)?;
                    let element = outline.enter(tag, &around, line)?;
                    if matches!(event, Event::Start(_)) {
                        around.push(element);
                    }
                    if around.len() > DEEPEST {
                        return Err(FileError::at(
                            line,
                            format!("elements nest deeper than {DEEPEST} levels"),
                        ));
                    }
                }
                Event::End(_) => drop(around.pop()),
                Event::Eof if !around.is_empty() => {
                    return Err(FileError::at(
                        line,
                        "the file ends before its elements do: it was cut short",
                    ));
                }
                Event::Eof if !has_root => return Err(FileError::at(None, "has no root element `MPD`")),
                Event::Eof => return Ok(outline),
                _ => {}
            }
        }
    }

    /// Notes an element's line.
    fn enter(&mut self, tag: &BytesStart<'_>, around: &[Element], line: usize) -> Result<Element, FileError> {
        let name = tag.local_name();
        let name: &str = name.as_ref();
        match (around.last(), name) {
            (None, "MPD") => {
                self.line = line;
                return Ok(Element::Root);
            }
            (None, _) => {
                return Err(FileError::at(
                    line,
                    format!("the root element is `{name}`, not `MPD`: this is no MPD"),
                ));
            }
            (Some(Element::Root), "Period") => {
                self.periods.push(PeriodLines { line, sets: Vec::new() });
                return Ok(Element::Period);
            }
            (Some(Element::Period), "AdaptationSet") => {
                if let Some(period) = self.periods.last_mut() {
                    period.sets.push(SetLines { line, representations: Vec::new() });
                }
                return Ok(Element::AdaptationSet);
            }
            (Some(Element::AdaptationSet), "Representation") => {
                if let Some(set) = self.periods.last_mut().and_then(|period| period.sets.last_mut()) {
                    set.representations.push(line);
                }
            }
            _ => {}
        }
        Ok(Element::Other)
    }

    /// The line of a Period.
    pub(super) fn period(&self, period: usize) -> Option<usize> {
        Some(self.periods.get(period)?.line)
    }

    /// The line of an AdaptationSet.
    pub(super) fn set(&self, period: usize, set: usize) -> Option<usize> {
        Some(self.periods.get(period)?.sets.get(set)?.line)
    }

    /// The line of a Representation.
    pub(super) fn representation(&self, period: usize, set: usize, place: usize) -> Option<usize> {
        self.periods.get(period)?.sets.get(set)?.representations.get(place).copied()
    }

    /// The line of the innermost element that a path such as `Period[0].AdaptationSet[1].SegmentTemplate` names.
    pub(super) fn named_in(&self, path: &str) -> Option<usize> {
        let mut places =
            path.split('.').zip(["Period", "AdaptationSet", "Representation"]).map_while(|(step, name)| {
                let place = step.strip_prefix(name)?.strip_prefix('[')?;
                place.split(']').next()?.parse::<usize>().ok()
            });
        match (places.next(), places.next(), places.next()) {
            (None, ..) => Some(self.line),
            (Some(period), None, _) => self.period(period),
            (Some(period), Some(set), None) => self.set(period, set),
            (Some(period), Some(set), Some(place)) => self.representation(period, set, place),
        }
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn check_attributes(tag: &BytesStart<'_>, line: usize) -> Result<(), FileError> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| FileError::at(line, error.to_string()))?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| FileError::at(line, error.to_string()))?;
        if is_absurd_duration(&value) {
            let name = attribute.key.local_name();
            let name: &str = name.as_ref();
            return Err(FileError::at(line, format!("@{name} is `{value}`, a duration out of range")));
        }
    }
    Ok(())
}

/// Whether a value is an `xs:duration` with a count of more than [`MOST_DIGITS`] digits (fractions aside).
fn is_absurd_duration(value: &str) -> bool {
    let Some(rest) = value.trim_start_matches(['+', '-']).strip_prefix('P') else { return false };
    if !rest.chars().all(|c| c.is_ascii_digit() || "YMWDTHS.,".contains(c)) {
        return false;
    }
    rest.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
        .any(|count| count.split(['.', ',']).next().is_some_and(|whole| whole.len() > MOST_DIGITS))
}
