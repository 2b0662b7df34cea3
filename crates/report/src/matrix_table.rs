//! Matrices for the terminal.

use comfy_table::{CellAlignment, Table, presets};

use crate::columns::Column;
use crate::matrix::{Cell, matrix, metrics};
use crate::matrix_layout::{Grid, layout};
use crate::store::Results;
use crate::table::hanging;

/// Maximum number of values of the third axis with matrices of their own; a list is shorter than more of them.
const MOST_SLICES: usize = 3;

/// Matrices and what is said below them.
pub(crate) struct Matrices {
    /// Names and texts.
    pub tables: Vec<(String, String)>,
    /// The meaning of marks, and where more is.
    pub notes: String,
}

/// One matrix per main metric, in place of a long list of variants, for each value of the third axis in turn; `None` if
/// there is no such list, or the third axis has too many values. A matrix wider than `width` characters is continued below.
pub(crate) fn matrix_tables(results: &Results, width: usize) -> Option<Matrices> {
    let layout = layout(&results.manifest.experiment)?;
    if layout.grids.len() > MOST_SLICES {
        return None;
    }
    let shown = metrics(results).in_terminal(&layout);
    if shown.is_empty() {
        return None;
    }
    let of_grid = |grid: &Grid| {
        let name = |column: &Column| match grid.title.as_str() {
            "" => column.full_title(),
            title => format!("{} ({title})", column.full_title()),
        };
        shown.iter().map(|column| (name(column), one(results, grid, column, width))).collect::<Vec<_>>()
    };
    let tables: Vec<(String, String)> = layout.grids.iter().flat_map(of_grid).collect();
    let stars = match tables.iter().any(|(_, text)| text.contains('*')) {
        true => hanging(
            "*",
            "best in its column beyond chance (values that print alike share it): the 95 % intervals of its differences, paired by seed, exclude 0.",
            width,
        ),
        false => String::new(),
    };
    let rest = match (&layout.means_over, &layout.whole) {
        (None, _) => "report.html has intervals and more.".to_owned(),
        (Some(over), Some(_)) => {
            format!("Means over {over}; report.html has each of them and more metrics.")
        }
        (Some(over), None) => {
            format!("Means over {over}; summary.parquet has each of them, report.html more metrics.")
        }
    };
    Some(Matrices { tables, notes: format!("{stars}{rest}\n") })
}

fn one(results: &Results, grid: &Grid, column: &Column, width: usize) -> String {
    let all = matrix(results, grid, column);
    // Rows without a value say nothing.
    let has_values = |row: &[Option<Cell>]| row.iter().any(Option::is_some);
    let (titles, cells): (Vec<String>, Vec<&Vec<Option<Cell>>>) = grid
        .rows()
        .zip(&all)
        .filter(|(_, cells)| has_values(cells))
        .map(|(row, cells)| (row.title.clone(), cells))
        .unzip();
    let columns = &grid.columns;
    let text = |cell: &Option<Cell>| match cell {
        Some(cell) => format!("{}{}", cell.text, if cell.is_best { "*" } else { " " }),
        None => "– ".to_owned(),
    };
    // Align the end of headings with the digits, not with the mark.
    let of_column = |at: usize| -> Vec<String> {
        std::iter::once(format!("{} ", columns[at])).chain(cells.iter().map(|row| text(&row[at]))).collect()
    };
    // Padding and a border take three characters.
    let longest = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0) + 3;
    let first: Vec<String> = std::iter::once(grid.row_axis.clone()).chain(titles).collect();
    let unit = match column.shown_unit() {
        "" => String::new(),
        unit => format!(", {unit}"),
    };
    let title = match grid.title.as_str() {
        "" => String::new(),
        over if over.starts_with("mean over") && column.is_of_ratios() => format!(", geometric {over}"),
        title => format!(", {title}"),
    };
    let mut out = format!("{}{unit} ({}){title}\n", column.title, column.subject);
    let start = longest(&first) + 1;
    let (mut used, mut group) = (start, Vec::new());
    for at in 0..columns.len() {
        let cells = of_column(at);
        if !group.is_empty() && used + longest(&cells) > width {
            out.push_str(&render(&first, &group));
            (used, group) = (start, Vec::new());
        }
        used += longest(&cells);
        group.push(cells);
    }
    out.push_str(&render(&first, &group));
    out
}

fn render(first: &[String], columns: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    let row = |index: usize| std::iter::once(&first[index]).chain(columns.iter().map(move |c| &c[index]));
    table.set_header(row(0));
    for index in 1..first.len() {
        table.add_row(row(index));
    }
    for index in 1..=columns.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// All that is printed.
    fn printed(results: &Results, width: usize) -> Option<String> {
        let Matrices { tables, notes } = matrix_tables(results, width)?;
        Some(tables.into_iter().map(|(_, text)| text).collect::<String>() + &notes)
    }

    #[test]
    fn matrices_match_their_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::of_two_axes(&folder.path().join("out"), 7, 3);
        insta::assert_snapshot!(printed(&results, 100).unwrap());
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::of_two_axes(&folder.path().join("out"), 3, 12);
        for width in [60, 80, 100] {
            let text = printed(&results, width).unwrap();
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{text}");
            assert_eq!(
                text.matches("load-11").count(),
                4,
                "every column of every metric is printed:\n{text}"
            );
        }
    }

    #[test]
    fn short_lists_make_no_matrix() {
        let folder = tempfile::tempdir().unwrap();
        assert!(printed(&testing::results(&folder.path().join("out")), 100).is_none());
    }

    #[test]
    fn few_values_of_a_third_axis_have_matrices_each_and_more_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let of = |profiles: u64| {
            let out = folder.path().join(profiles.to_string());
            printed(&testing::streaming::of_three_axes(&out, [3, 4, profiles]), 100)
        };
        let text = of(3).unwrap();
        let headings: Vec<&str> = text.lines().filter(|line| line.contains("(client)")).collect();
        let titles = ["profile: profile-0", "profile: profile-1", "profile: profile-2"];
        assert_eq!(headings.len(), titles.len(), "a matrix for each of three profiles:\n{text}");
        for (heading, title) in headings.iter().zip(titles) {
            assert!(heading.ends_with(title), "{heading}: {title}");
        }
        assert!(of(4).is_none());
    }

    #[test]
    fn many_values_of_a_third_axis_are_averaged() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::streaming::of_three_axes(&folder.path().join("out"), [3, 4, 8]);
        insta::assert_snapshot!(printed(&results, 100).unwrap());
    }
}
