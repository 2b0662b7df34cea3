//! The comparison as matrices, for two or more axes and many variants.

use minijinja::context;
use serde::Serialize;

use super::templates::rendered;
use super::{Page, Section};
use crate::columns::Column;
use crate::error::ReportError;
use crate::matrix::{Cell, matrix, metrics};
use crate::matrix_layout::{Grid, layout};
use crate::number;

/// The matrices of a metric.
#[derive(Serialize)]
struct Metric {
    title: String,
    unit: String,
    subject: String,
    grids: Vec<Table>,
}

#[derive(Serialize)]
struct Table {
    title: String,
    row_axis: String,
    columns: Vec<String>,
    /// Whether the last column holds the means of the others.
    has_mean: bool,
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct Group {
    title: String,
    rows: Vec<(String, Vec<Option<Shaded>>)>,
}

#[derive(Serialize)]
struct Shaded {
    text: String,
    /// The value with its interval.
    tooltip: String,
    /// Per cent of the darkest colour.
    shade: u32,
    is_best: bool,
}

/// Matrices of all metrics; none if the variants do not form matrices.
pub(super) fn section(page: &Page<'_>) -> Result<Section, ReportError> {
    let Some(layout) = layout(&page.results.manifest.experiment) else { return Ok(Section::none()) };
    let metrics = metrics(page.results);
    if metrics.main.is_empty() {
        return Ok(Section::none());
    }
    let with = |column: &Column, grids: &mut dyn Iterator<Item = &Grid>| metric(page, column, grids);
    let all = |column: &Column| with(column, &mut layout.grids.iter().chain(&layout.whole));
    // Show the means of all main metrics first.
    let (means, main): (Vec<Metric>, Vec<Metric>) = match (&layout.means_over, &layout.whole) {
        (Some(_), Some(whole)) => (
            metrics.main.iter().map(|column| with(column, &mut layout.grids.iter())).collect(),
            metrics.main.iter().map(|column| with(column, &mut std::iter::once(whole))).collect(),
        ),
        _ => (Vec::new(), metrics.main.iter().map(all).collect()),
    };
    let grid = &layout.grids[0];
    let body = rendered(
        "matrix.html",
        context! {
            row_axis => grid.row_axis,
            column_axis => grid.column_axis,
            means_over => layout.means_over,
            means_title => capitalised(&grid.title),
            has_ratios => metrics.main.iter().any(Column::is_of_ratios),
            whole => layout.whole.as_ref().map(|whole| context! {
                row_axis => whole.row_axis, group_axis => whole.group_axis, column_axis => whole.column_axis,
            }),
            means,
            main,
            more => metrics.more.iter().map(all).collect::<Vec<_>>(),
        },
    )?;
    Ok(Section { id: "matrix", title: "Matrix", body })
}

fn metric(page: &Page<'_>, column: &Column, grids: &mut dyn Iterator<Item = &Grid>) -> Metric {
    Metric {
        title: column.title.clone(),
        unit: page.units.heading(column).to_owned(),
        subject: column.subject.clone(),
        grids: grids.map(|grid| table(page, grid, column)).collect(),
    }
}

fn table(page: &Page<'_>, grid: &Grid, column: &Column) -> Table {
    let mut cells = matrix(page.results, grid, column).into_iter();
    let shaded = |cell: Cell| Shaded {
        text: match page.units.divisor(column) {
            1.0 => cell.text,
            scale => number::plain(cell.value.estimate.mean / scale),
        },
        tooltip: page.units.text(column, &cell.value),
        shade: libm::round(100.0 * cell.shade) as u32,
        is_best: cell.is_best,
    };
    let groups = grid.groups.iter().map(|group| Group {
        title: group.title.clone(),
        rows: group
            .rows
            .iter()
            .zip(&mut cells)
            .map(|(row, cells)| (row.title.clone(), cells.into_iter().map(|cell| cell.map(shaded)).collect()))
            .collect(),
    });
    Table {
        title: grid.title.clone(),
        row_axis: grid.row_axis.clone(),
        columns: grid.columns.clone(),
        has_mean: !grid.group_axis.is_empty(),
        groups: groups.collect(),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
