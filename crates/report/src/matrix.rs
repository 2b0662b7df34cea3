//! A comparison over two axes as a matrix: a row for each value of the first axis, a column for each of the second.
//!
//! A list of all variants is hard to read when there are many; a matrix for each metric shows at a glance which value
//! of the one axis does badly under which of the other.

use indexmap::IndexSet;

use crate::columns::{Column, ColumnValue, Statistic, comparison_columns};
use crate::model::{Experiment, Variant};
use crate::number;
use crate::store::Results;

/// Up to so many variants, the list is as easy to read.
const LIST: usize = 20;
/// With three or more axes there is a matrix for each combination of the further ones, up to so many.
const MOST_SLICES: usize = 6;
/// What a matrix is about in the first place, in this order.
const MAIN: [(&str, Statistic); 5] = [
    ("utilisation", Statistic::Mean),
    ("goodput", Statistic::Mean),
    ("sojourn", Statistic::P99),
    ("drop_rate", Statistic::Mean),
    ("jain_index", Statistic::Mean),
];
/// Of other queues than the bottleneck that drop.
const OF_OTHER_QUEUES: [(&str, Statistic); 2] = [("sojourn", Statistic::P99), ("drop_rate", Statistic::Mean)];
/// From this ratio between a column's largest and smallest value on, its shades are logarithmic.
const WIDE: f64 = 10.0;
/// A difference below this share of a column's largest value is not worth a full ramp.
const NARROW: f64 = 0.05;

/// Where each variant stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// Name of the axis whose values are the rows, and these.
    pub rows: (String, Vec<String>),
    /// Name of the axis whose values are the columns, and these.
    pub columns: (String, Vec<String>),
    /// One, or one for each combination of the further axes.
    pub slices: Vec<Slice>,
}

/// The variants that share their values on all further axes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slice {
    /// Those values; empty if there are two axes.
    pub title: String,
    /// The variant, by its place, in each row and column.
    cells: Vec<Vec<Option<usize>>>,
}

/// The metrics of a matrix.
pub(crate) struct Metrics {
    /// What it is about in the first place.
    pub main: Vec<Column>,
    /// The other columns of the comparison.
    pub more: Vec<Column>,
}

/// One matrix: a metric of one slice, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// `None` where nothing was measured.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// One value of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// The value.
    pub value: ColumnValue,
    /// As it is printed.
    pub text: String,
    /// From 0, the best of its column, to 1, the worst; of a metric that has no better or worse, from the smallest.
    pub shade: f64,
    /// Whether nothing in its column is better, as far as the printed digits tell.
    pub is_best: bool,
}

/// What one wants of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    High,
    Low,
    Neither,
}

/// How the variants stand in a matrix; `None` if there are few, fewer than two axes, or too many further ones.
pub(crate) fn layout(experiment: &Experiment) -> Option<Layout> {
    let variants = &experiment.variants;
    let axes: Vec<&String> = variants.first()?.labels.keys().collect();
    let is_alike = |variant: &Variant| variant.labels.keys().eq(axes.iter().copied());
    let [rows, columns, further @ ..] = axes.as_slice() else { return None };
    if variants.len() <= LIST || !variants.iter().all(is_alike) {
        return None;
    }
    let values =
        |axis: &str| -> IndexSet<&str> { variants.iter().map(|v| v.labels[axis].as_str()).collect() };
    let (row_values, column_values) = (values(rows), values(columns));
    let title = |variant: &Variant| {
        let labels = further.iter().map(|axis| format!("{axis}: {}", variant.labels[axis.as_str()]));
        labels.collect::<Vec<_>>().join(", ")
    };
    let titles: IndexSet<String> = variants.iter().map(title).collect();
    if titles.len() > MOST_SLICES || row_values.len() < 2 || column_values.len() < 2 {
        return None;
    }
    let slice = |title_: &String| {
        let mut cells = vec![vec![None; column_values.len()]; row_values.len()];
        for (index, variant) in variants.iter().enumerate().filter(|(_, v)| title(v) == *title_) {
            let row = row_values.get_index_of(variant.labels[rows.as_str()].as_str());
            let column = column_values.get_index_of(variant.labels[columns.as_str()].as_str());
            if let (Some(row), Some(column)) = (row, column) {
                cells[row][column] = Some(index);
            }
        }
        Slice { title: title_.clone(), cells }
    };
    let owned = |values: IndexSet<&str>| values.into_iter().map(str::to_owned).collect();
    let slices = titles.iter().map(slice).collect();
    Some(Layout {
        rows: ((*rows).clone(), owned(row_values)),
        columns: ((*columns).clone(), owned(column_values)),
        slices,
    })
}

/// What the matrices show: the columns of the comparison, the main ones first, and other queues that drop.
pub(crate) fn metrics(results: &Results) -> Metrics {
    let mut more = comparison_columns(results);
    let mut main = Vec::new();
    for (metric, statistic) in MAIN {
        let is_it = |column: &Column| column.metric == metric && column.statistic == statistic;
        if let Some(at) = more.iter().position(is_it) {
            main.push(more.remove(at));
        }
    }
    let templates = OF_OTHER_QUEUES.iter().filter_map(|(metric, statistic)| {
        main.iter().find(|column| column.metric == *metric && column.statistic == *statistic)
    });
    let templates: Vec<Column> = templates.cloned().collect();
    let queues = results.manifest.objects.iter().filter(|(_, table)| *table == "queues");
    for (queue, _) in queues {
        let drops =
            |run: &crate::summary::RunSummary| run.value(queue, "drops", "").is_some_and(|v| v.mean > 0.0);
        if templates.iter().any(|template| template.subject == *queue) || !results.runs.iter().any(drops) {
            continue;
        }
        more.extend(templates.iter().map(|template| Column {
            subject: queue.clone(),
            objects: vec![queue.clone()],
            ..template.clone()
        }));
    }
    Metrics { main, more }
}

/// The values of `column` in `slice`.
pub(crate) fn matrix(results: &Results, slice: &Slice, column: &Column) -> Matrix {
    let variants = &results.manifest.experiment.variants;
    let value = |place: &Option<usize>| column.value(&results.runs, &variants[(*place)?].name);
    let values: Vec<Vec<Option<ColumnValue>>> =
        slice.cells.iter().map(|row| row.iter().map(value).collect()).collect();
    let better = better(&column.metric);
    let width = values.first().map_or(0, Vec::len);
    let mut cells: Vec<Vec<Option<Cell>>> = vec![Vec::with_capacity(width); values.len()];
    for at in 0..width {
        let column: Vec<Option<ColumnValue>> = values.iter().map(|row| row[at]).collect();
        for (row, cell) in cells.iter_mut().zip(judged(&column, better)) {
            row.push(cell);
        }
    }
    Matrix { cells }
}

/// The cells of one column: how each compares with the others.
fn judged(values: &[Option<ColumnValue>], better: Better) -> Vec<Option<Cell>> {
    let means = || values.iter().flatten().map(|value| value.estimate.mean);
    let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
    let best = if better == Better::High { high } else { low };
    // Ratios tell more than differences where values are of several orders.
    let is_wide = low > 0.0 && high / low >= WIDE;
    let scale = |value: f64| if is_wide { libm::log(value) } else { value };
    let span = (scale(high) - scale(low)).max(if is_wide { 0.0 } else { NARROW * high.abs().max(low.abs()) });
    let text = |value: &ColumnValue| {
        let mean = value.estimate.mean;
        if value.is_count { number::count(mean) } else { number::plain(rounded(mean)) }
    };
    let printed: Vec<Option<String>> = values.iter().map(|value| value.as_ref().map(text)).collect();
    let best_text = values.iter().zip(&printed).find_map(|(value, printed)| {
        value.filter(|value| value.estimate.mean == best).and(printed.as_deref())
    });
    // Where all are alike, none is best.
    let is_contest = better != Better::Neither && printed.iter().flatten().collect::<IndexSet<_>>().len() > 1;
    let cell = |(value, text): (&Option<ColumnValue>, &Option<String>)| {
        let (value, text) = ((*value)?, text.clone()?);
        let off = (scale(value.estimate.mean) - scale(best)).abs();
        Some(Cell {
            value,
            shade: if span > 0.0 { (off / span).clamp(0.0, 1.0) } else { 0.0 },
            is_best: is_contest && Some(text.as_str()) == best_text,
            text,
        })
    };
    values.iter().zip(&printed).map(cell).collect()
}

/// To three significant digits, so that what rounds alike prints alike: 99.98 as 100.02, and not as 100.0.
fn rounded(value: f64) -> f64 {
    if value.abs() >= 1000.0 { value } else { format!("{value:.2e}").parse().unwrap_or(value) }
}

fn better(metric: &str) -> Better {
    match metric {
        "utilisation" | "throughput" | "goodput" | "jain_index" | "transfers" => Better::High,
        "marks" | "clones" | "recirculations" | "recirculated_share" | "recirculated_bytes" => {
            Better::Neither
        }
        _ => Better::Low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Estimate;

    fn of(values: &[f64]) -> Vec<Option<ColumnValue>> {
        let value = |v: &f64| Estimate::of(&[*v]).map(|estimate| ColumnValue { estimate, is_count: false });
        values.iter().map(value).collect()
    }

    fn shades(values: &[f64], better: Better) -> Vec<f64> {
        judged(&of(values), better).into_iter().flatten().map(|cell| cell.shade).collect()
    }

    fn experiment(axes: &[(&str, usize)]) -> Experiment {
        let mut labels = vec![indexmap::IndexMap::new()];
        for (axis, values) in axes {
            let with = |before: &indexmap::IndexMap<String, String>| {
                let before = before.clone();
                (0..*values).map(move |value| {
                    let mut labels = before.clone();
                    labels.insert((*axis).to_owned(), format!("{axis}{value}"));
                    labels
                })
            };
            labels = labels.iter().flat_map(with).collect();
        }
        let variant = |labels: indexmap::IndexMap<String, String>| Variant {
            name: labels.values().cloned().collect::<Vec<_>>().join(","),
            labels,
        };
        Experiment {
            variants: labels.into_iter().map(variant).collect(),
            ..crate::testing::experiment(&[], 1)
        }
    }

    #[test]
    fn two_axes_make_rows_and_columns() {
        let layout = layout(&experiment(&[("queue", 7), ("load", 3)])).unwrap();
        assert_eq!((layout.rows.0.as_str(), layout.rows.1.len()), ("queue", 7));
        assert_eq!(layout.columns.1, ["load0", "load1", "load2"]);
        assert_eq!(layout.slices.len(), 1);
        assert_eq!(layout.slices[0].cells[6], [Some(18), Some(19), Some(20)]);
    }

    #[test]
    fn further_axes_make_a_matrix_each_up_to_six() {
        let three = layout(&experiment(&[("a", 3), ("b", 2), ("c", 6)])).unwrap();
        assert_eq!(three.slices.len(), 6);
        assert_eq!(three.slices[5].title, "c: c5");
        assert_eq!(three.slices[5].cells[0], [Some(5), Some(11)]);
        assert!(layout(&experiment(&[("a", 3), ("b", 2), ("c", 7)])).is_none());
    }

    #[test]
    fn a_short_list_and_a_single_axis_stay_lists() {
        assert!(layout(&experiment(&[("a", 10), ("b", 2)])).is_none());
        assert!(layout(&experiment(&[("a", 30)])).is_none());
        assert!(layout(&experiment(&[("a", 30), ("b", 1)])).is_none());
    }

    #[test]
    fn shades_go_from_the_best_to_the_worst() {
        assert_eq!(shades(&[10.0, 20.0, 30.0], Better::Low), [0.0, 0.5, 1.0]);
        assert_eq!(shades(&[10.0, 20.0, 30.0], Better::High), [1.0, 0.5, 0.0]);
        assert_eq!(shades(&[10.0, 20.0, 30.0], Better::Neither), [0.0, 0.5, 1.0]);
        // A factor of ten is half of a factor of a hundred.
        let wide = shades(&[1.0, 10.0, 100.0], Better::Low);
        assert!((wide[1] - 0.5).abs() < 1e-9 && wide[2] == 1.0, "{wide:?}");
        // One per cent of difference is a fifth of the least span.
        let narrow = shades(&[99.0, 100.0], Better::High);
        assert!((narrow[0] - 0.2).abs() < 1e-9, "{narrow:?}");
        assert_eq!(shades(&[0.0, 0.0], Better::Low), [0.0, 0.0]);
    }

    #[test]
    fn the_best_are_those_that_print_alike_and_none_where_all_do() {
        let best = |values: &[f64], better| -> Vec<bool> {
            judged(&of(values), better).into_iter().map(|cell| cell.is_some_and(|c| c.is_best)).collect()
        };
        assert_eq!(best(&[19.11, 19.12, 18.0], Better::High), [true, true, false]);
        assert_eq!(best(&[19.11, 19.12], Better::High), [false, false]);
        assert_eq!(best(&[99.98, 100.02, 97.0], Better::High), [true, true, false]);
        assert_eq!(best(&[5.0, 3.0], Better::Low), [false, true]);
        assert_eq!(best(&[5.0, 3.0], Better::Neither), [false, false]);
    }

    #[test]
    fn a_missing_value_is_no_cell() {
        let mut values = of(&[2.0, 1.0]);
        values.push(None);
        let cells = judged(&values, Better::Low);
        assert!(cells[2].is_none() && cells[1].as_ref().is_some_and(|cell| cell.is_best));
    }
}
