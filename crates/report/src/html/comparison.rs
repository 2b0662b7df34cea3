//! Comparison of the variants: a small table, all columns, bars and all values.

use indexmap::IndexMap;
use minijinja::context;
use serde::Serialize;

use super::aligned::Short;
use super::numbers::Number;
use super::palette::Look;
use super::pictures::{Kind, Picture, Row, Rows};
use super::templates::rendered;
use super::{Page, Section};
use crate::answer::answer;
use crate::columns::Column;
use crate::comparison::{Comparison, Mark};
use crate::error::ReportError;
use crate::load::Load;
use crate::number;
use crate::viewers::is_seen;

/// Maximum number of rows on the page.
const MAX_ROWS: usize = 3000;
/// Number of columns of the small table.
const FEW_COLUMNS: usize = 7;
/// Number of those that viewers see, if there are others.
const FEW_SEEN: usize = 4;
/// Maximum number of bar charts that are shown at first.
const FIRST: usize = 4;
/// Columns of the small table after those of viewers, by title.
const TELLING: [&str; 9] = [
    "page load p99",
    "response p99",
    "goodput",
    "RTT p99",
    "sojourn p99",
    "OWD p99",
    "drop rate",
    "utilisation",
    "fairness",
];

/// Columns of one subject, which is above them.
#[derive(Serialize)]
struct Subject<'a> {
    name: &'a str,
    columns: usize,
}

#[derive(Serialize)]
struct Heading<'a> {
    title: &'a str,
    unit: &'a str,
}

#[derive(Serialize)]
struct TableRow<'a> {
    look: &'a Look,
    place: usize,
    cells: Vec<Number>,
}

/// A table with one row per variant.
#[derive(Serialize)]
struct Table<'a> {
    subjects: Vec<Subject<'a>>,
    headings: Vec<Heading<'a>>,
    rows: Vec<TableRow<'a>>,
}

/// The small table, and all columns folded.
pub(super) fn section(page: &Page<'_>, compared: &Comparison<'_>) -> Result<Section, ReportError> {
    let all: Vec<usize> = (0..compared.columns.len()).collect();
    let few = few(page, &compared.columns);
    let has_more = few.len() < all.len();
    let experiment = &page.results.manifest.experiment;
    let title = |column: &Column| column.full_title();
    let (seeds, fewer) = compared.seeds(&title);
    let body = rendered(
        "comparison.html",
        context! {
            is_empty => all.is_empty(),
            is_drawn => page.is_drawn,
            variants => experiment.variants.len(),
            few => table(page, compared, if has_more { &few } else { &all }),
            all => has_more.then(|| table(page, compared, &all)),
            columns => all.len(),
            is_one_seed => experiment.seeds.len() == 1,
            seeds => seeds + &fewer,
            has_baselines => compared.has_baselines(),
        },
    )?;
    Ok(Section { id: "comparison", title: "Comparison", body })
}

/// Columns that answer first: those that the experiment names, or else what the answer judges by, what viewers see, then times
/// and rates.
fn few(page: &Page<'_>, columns: &[Column]) -> Vec<usize> {
    // The user's choice is shown as it is.
    if !page.results.manifest.experiment.report.columns.is_empty() {
        return (0..columns.len()).collect();
    }
    // Those of a load test are in the order of their importance.
    if Load::of(page.results).is_some() {
        return (0..columns.len().min(FEW_COLUMNS)).collect();
    }
    let judged = answer(page.results).judged;
    let of_answer = |at: &usize| judged.iter().position(|judged| judged.is_in(&columns[*at]));
    let telling = |at: &usize| TELLING.iter().position(|title| columns[*at].title == *title);
    let mut seen: Vec<usize> =
        (0..columns.len()).filter(|at| of_answer(at).is_some() || is_seen(&columns[*at].metric)).collect();
    seen.sort_by_key(|at| of_answer(at).unwrap_or(judged.len()));
    let mut told: Vec<usize> =
        (0..columns.len()).filter(|at| telling(at).is_some() && !seen.contains(at)).collect();
    told.sort_by_key(telling);
    // Others pay for what viewers gain: some columns are theirs.
    let rest = seen.split_off(seen.len().min(FEW_SEEN));
    let mut few: Vec<usize> = seen.into_iter().chain(told).chain(rest).take(FEW_COLUMNS).collect();
    if few.is_empty() {
        few = (0..columns.len().min(FEW_COLUMNS)).collect();
    }
    few
}

fn table<'a>(page: &'a Page<'_>, compared: &'a Comparison<'_>, columns: &[usize]) -> Table<'a> {
    // Columns of one subject are adjacent, below its name.
    let mut subjects: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for at in columns {
        subjects.entry(&compared.columns[*at].subject).or_default().push(*at);
    }
    // A stable sort: viewers first, others in their order.
    subjects.sort_by_key(|_, places| !places.iter().any(|at| is_seen(&compared.columns[*at].metric)));
    let places: Vec<usize> = subjects.values().flatten().copied().collect();
    let heading = |at: &usize| {
        let column = &compared.columns[*at];
        Heading { title: &column.title, unit: page.units.heading(column) }
    };
    let row = |(place, look): (usize, &'a Look)| TableRow {
        look,
        place,
        cells: places.iter().map(|at| cell(page, compared, *at, place)).collect(),
    };
    Table {
        subjects: subjects.iter().map(|(name, places)| Subject { name, columns: places.len() }).collect(),
        headings: places.iter().map(heading).collect(),
        rows: page.looks.iter().enumerate().map(row).collect(),
    }
}

/// A cell with its value and the mark of its difference from the baseline.
fn cell(page: &Page<'_>, compared: &Comparison<'_>, at: usize, variant: usize) -> Number {
    let column = &compared.columns[at];
    let cell = Number::or_dash(compared.value(at, variant).map(|value| page.units.text(column, &value)));
    let Some(paired) = compared.difference(at, variant) else { return cell };
    let mark = Mark::of(&paired);
    if mark == Mark::Unclear {
        return cell;
    }
    let scale = page.units.divisor(column);
    let interval = paired.estimate.ci95.map(|ends| ends.map(|end| end / scale));
    let size = number::signed(paired.estimate.mean / scale, interval);
    let unit = page.units.heading(column);
    let tooltip = format!("{size} {unit} against the baseline, over {} seeds", paired.estimate.n);
    cell.marked(mark.sign(), tooltip)
}

/// One bar chart per column of the comparison, those of the small table first.
pub(super) fn bars(page: &mut Page<'_>, compared: &Comparison<'_>) -> Result<Section, ReportError> {
    let first = few(page, &compared.columns);
    let others = (0..compared.columns.len()).filter(|at| !first.contains(at));
    let order: Vec<usize> = first.iter().copied().chain(others).collect();
    let pictures = order.into_iter().map(|at| bars_of(page, compared, at));
    let pictures = pictures.collect::<Result<Vec<Picture>, ReportError>>()?;
    let shown = page.budget.shown(pictures, FIRST);
    if shown.is_empty() {
        return Ok(Section::none());
    }
    let note = match page.results.manifest.experiment.seeds.len() {
        1 => "",
        _ => "Whiskers are 95 % confidence intervals over seeds.",
    };
    let body = rendered("pictures.html", context! { note, shown })?;
    Ok(Section { id: "bars", title: "Means and intervals", body })
}

fn bars_of(page: &Page<'_>, compared: &Comparison<'_>, at: usize) -> Result<Picture, ReportError> {
    let column = &compared.columns[at];
    let scale = page.units.divisor(column);
    let row = |(variant, look): (usize, &Look)| {
        let value = compared.value(at, variant);
        let mean = value.map_or(0.0, |v| v.estimate.mean / scale);
        let ends = value.and_then(|v| v.estimate.ci95).filter(|[low, high]| high > low);
        Row {
            variant,
            label: look.title.clone(),
            parts: vec![(None, Short(mean))],
            mean: None,
            interval: ends.map(|ends| ends.map(|end| Short(end / scale))),
            sure: false,
            text: match value {
                None => "not measured".to_owned(),
                Some(v) if v.is_count => number::count(mean),
                Some(_) => number::plain(mean),
            },
        }
    };
    let unit = page.units.heading(column);
    let rows = Rows {
        kind: Kind::Bars,
        title: format!("{} of {}, one bar per variant", column.title, column.subject),
        axis: if unit.is_empty() { column.title.clone() } else { format!("{} ({unit})", column.title) },
        parts: Vec::new(),
        rows: page.looks.iter().enumerate().map(row).collect(),
    };
    rows.picture(&column.title, format!(" of {}", column.subject))
}

#[derive(Serialize)]
struct ValueRow<'a> {
    variant: &'a str,
    object: &'a str,
    metric: String,
    unit: &'a str,
    cells: Vec<Number>,
}

/// All values of the summary, collapsed.
pub(super) fn all_values(page: &Page<'_>) -> Result<Section, ReportError> {
    let rows = &page.results.summary.rows;
    if rows.is_empty() {
        return Ok(Section::none());
    }
    let shown: Vec<ValueRow<'_>> = rows
        .iter()
        .take(MAX_ROWS)
        .map(|row| {
            let part = if row.part.is_empty() { String::new() } else { format!(":{}", row.part) };
            let (unit, scale) = page.units.of_row(&row.metric, &row.unit);
            let ends = row.estimate.ci95.map(|ends| ends.map(|end| end / scale));
            let mean = number::with_interval(row.estimate.mean / scale, ends);
            let percentiles = (0..3).map(|i| row.percentiles.map(|p| number::plain(p[i] / scale)));
            let mut cells = vec![Number::of(&mean)];
            cells.extend(percentiles.map(Number::or_dash));
            cells.push(Number::of(&row.estimate.n.to_string()));
            ValueRow {
                variant: &row.variant,
                object: &row.object,
                metric: format!("{}{part}", row.metric),
                unit,
                cells,
            }
        })
        .collect();
    let body = rendered(
        "values.html",
        context! {
            count => number::count(rows.len() as f64),
            rows => shown,
            omitted => rows.len().saturating_sub(MAX_ROWS),
        },
    )?;
    Ok(Section { id: "all", title: "All values", body })
}
