//! What the page's script draws: lines, bars and dots, as JSON beside each picture.
//!
//! The types on the script's side are in `web/report/spec.js`.

use serde::Serialize;

use super::aligned::{Aligned, Short, aligned, short, stretches};
use super::palette::Ink;
use super::templates::{json, safe};
use crate::error::ReportError;

/// A picture with its caption.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Picture {
    /// What it shows: `RTT`.
    pub(super) name: String,
    /// The rest of the caption: `of ping`.
    pub(super) of: String,
    /// Height in pixels.
    height: u32,
    /// Whether it is as wide as the page.
    pub(super) is_wide: bool,
    data: minijinja::Value,
}

/// A line.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    /// Its variant; others have a name and an ink.
    pub(super) variant: Option<usize>,
    pub(super) name: Option<String>,
    pub(super) ink: Option<Ink>,
    pub(super) points: Vec<(f64, f64)>,
    /// Least and greatest values around the line at the places of its points.
    pub(super) band: Option<Vec<(f64, f64)>>,
}

/// Lines over one axis.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    /// What it shows, for screen readers.
    pub(super) title: String,
    pub(super) x: X<'a>,
    pub(super) unit: &'a str,
    /// Whether the axis includes zero.
    pub(super) zero: bool,
    /// Upper end of the axis, if it is fixed.
    pub(super) top: Option<f64>,
    /// The axis that may be logarithmic.
    pub(super) log: Option<Axis>,
    pub(super) height: u32,
    /// Whether a value holds until the next one.
    pub(super) is_step: bool,
    pub(super) lines: Vec<Line>,
}

/// The x axis.
#[derive(Debug, Clone)]
pub(super) enum X<'a> {
    /// Seconds in this range, of which the first are the warm-up.
    Time { from: f64, to: f64, warm_up: f64 },
    /// Values of this range in this unit.
    Values { unit: &'a str, from: f64, to: f64 },
}

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Axis {
    X,
    Y,
}

/// Bars or dots, one row per variant.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Rows {
    pub(super) kind: Kind,
    pub(super) title: String,
    /// Label of the axis.
    pub(super) axis: String,
    /// What parts of bars mean; empty for bars of one part.
    pub(super) parts: Vec<Part>,
    pub(super) rows: Vec<Row>,
}

/// What rows hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Bars from zero.
    Bars,
    /// Dots with intervals around zero.
    Dots,
}

/// A part of bars.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) ink: Ink,
}

/// A row.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) variant: usize,
    pub(super) label: String,
    /// Parts of a bar with their lengths; without a place, in the variant's colour.
    pub(super) parts: Vec<(Option<usize>, Short)>,
    /// The place of a dot.
    pub(super) mean: Option<Short>,
    pub(super) interval: Option<[Short; 2]>,
    /// Whether the interval excludes zero.
    pub(super) sure: bool,
    pub(super) text: String,
}

/// Heights of rows, and of what is below them, as in `web/report/rows.js`.
const ROW: u32 = 24;
const FOOT: u32 = 42;

impl Rows {
    pub(super) fn picture(self, name: &str, of: String) -> Result<Picture, ReportError> {
        let height = self.rows.len() as u32 * ROW + FOOT;
        let data = safe(json(&self)?);
        Ok(Picture { name: name.to_owned(), of, height, is_wide: !self.parts.is_empty(), data })
    }
}

#[derive(Serialize)]
struct Spec<'a> {
    kind: &'static str,
    title: &'a str,
    x: SpecX<'a>,
    y: SpecY<'a>,
    log: Option<Axis>,
    height: u32,
    steps: bool,
    shade: Short,
    lines: Vec<SpecLine<'a>>,
}

#[derive(Serialize)]
struct SpecX<'a> {
    kind: &'static str,
    unit: &'a str,
    from: Short,
    to: Short,
    at: Vec<Short>,
}

#[derive(Serialize)]
struct SpecY<'a> {
    unit: &'a str,
    zero: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Short>,
}

#[derive(Serialize)]
struct SpecLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ink: Option<Ink>,
    values: Vec<Option<Short>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<Vec<Option<Short>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<Vec<Option<Short>>>,
}

impl Lines<'_> {
    /// The picture; lines that have places of their own share those of all.
    pub(super) fn picture(&self, name: &str, of: String) -> Result<Picture, ReportError> {
        let points: Vec<&[(f64, f64)]> = self.lines.iter().map(|line| line.points.as_slice()).collect();
        self.over(aligned(&points, stretches(points.len())), name, of)
    }

    /// The picture of lines whose values are `columns`.
    pub(super) fn over(&self, columns: Aligned, name: &str, of: String) -> Result<Picture, ReportError> {
        let Aligned { at, columns } = columns;
        let (kind, unit, from, to, shade) = match self.x {
            X::Time { from, to, warm_up } => ("time", "s", from, to, warm_up),
            X::Values { unit, from, to } => ("value", unit, from, to, 0.0),
        };
        let end = |line: &Line, end: fn(&(f64, f64)) -> f64| {
            let band = line.band.as_ref()?;
            let points: Vec<(f64, f64)> =
                line.points.iter().zip(band).map(|((x, _), ends)| (*x, end(ends))).collect();
            let mut column = vec![None; at.len()];
            for (x, y) in points {
                if let Ok(place) = at.binary_search_by(|other| other.total_cmp(&x)) {
                    column[place] = Some(Short(y));
                }
            }
            Some(column)
        };
        let lines = self.lines.iter().zip(&columns).map(|(line, column)| SpecLine {
            variant: line.variant,
            name: line.name.as_deref(),
            ink: line.ink,
            values: short(column),
            low: end(line, |ends| ends.0),
            high: end(line, |ends| ends.1),
        });
        let spec = Spec {
            kind: "lines",
            title: &self.title,
            x: SpecX {
                kind,
                unit,
                from: Short(from),
                to: Short(to),
                at: at.iter().copied().map(Short).collect(),
            },
            y: SpecY { unit: self.unit, zero: self.zero, to: self.top.map(Short) },
            log: self.log,
            height: self.height,
            steps: self.is_step,
            shade: Short(shade),
            lines: lines.collect(),
        };
        let data = safe(json(&spec)?);
        Ok(Picture { name: name.to_owned(), of, height: self.height, is_wide: false, data })
    }
}

/// How many pictures the page shows unfolded.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    /// Pictures on a page before the reader asks for more.
    pub(super) const PAGE: usize = 12;

    pub(super) fn new() -> Budget {
        Budget(Budget::PAGE)
    }

    /// Shows the first of these pictures, at most `most`, and folds the others.
    pub(super) fn shown(&mut self, pictures: Vec<Picture>, most: usize) -> Shown {
        let count = most.min(self.0).min(pictures.len());
        self.0 -= count;
        let mut first = pictures;
        let more = first.split_off(count);
        Shown { all: first.len() + more.len(), first, more }
    }
}

/// Pictures of a section: those shown at first, and the others.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    all: usize,
    first: Vec<Picture>,
    more: Vec<Picture>,
}

impl Shown {
    pub(super) fn is_empty(&self) -> bool {
        self.all == 0
    }
}
