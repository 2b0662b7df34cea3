//! A comparison over two axes as a matrix: one row per value of the first axis, one column per value of the second.
//!
//! A long list of variants is hard to read. One matrix per metric shows at a glance which value of one axis performs
//! badly with which value of the other.

use indexmap::IndexSet;
use jettison_measure::Domain;

use crate::columns::{AT_DEADLINES, Column, ColumnValue, Statistic, comparison_columns, pair_columns};
use crate::difference::paired;
use crate::load::Load;
use crate::matrix_layout::{Grid, Layout};
use crate::number;
use crate::samples::by_variant;
use crate::store::Results;

/// Main metrics of a matrix, in order.
const MAIN: [(&str, Statistic); 9] = [
    ("utilisation", Statistic::Mean),
    ("goodput", Statistic::Mean),
    ("sojourn", Statistic::P99),
    ("drop_rate", Statistic::Mean),
    ("jain_index", Statistic::Mean),
    ("rate_ratio", Statistic::Mean),
    ("group_rtt", Statistic::Mean),
    ("page_load_time", Statistic::Mean),
    ("response_time", Statistic::P99),
];
/// Main metrics of load tests, each of all its subjects.
const MAIN_OF_LOAD: [(&str, Statistic); 3] =
    [("goodput", Statistic::Sum), ("rtt", Statistic::P99), ("loss", Statistic::Mean)];
/// Main metrics with viewers: quality of experience comes before network metrics.
const MAIN_OF_VIEWERS: [(&str, Statistic); 12] = [
    ("linear_qoe", Statistic::Mean),
    ("p1203_parametric", Statistic::Mean),
    ("stall_ratio", Statistic::Mean),
    ("representation_rate", Statistic::Mean),
    ("sqi_ssim", Statistic::Mean),
    ("frames_in_time", Statistic::Mean),
    ("freeze_rate", Statistic::Mean),
    ("frame_latency", Statistic::P99),
    ("age_of_information", Statistic::P99),
    ("frames_decoded", Statistic::Mean),
    ("page_load_time", Statistic::Mean),
    ("response_time", Statistic::P99),
];
/// The subset that a terminal shows when a matrix has means, or there are several; the report shows all.
const IN_BRIEF: [&str; 11] = [
    "linear_qoe",
    "stall_ratio",
    "sqi_ssim",
    "frames_in_time",
    "freeze_rate",
    "frame_latency",
    "age_of_information",
    "page_load_time",
    "response_time",
    "rate_ratio",
    "group_rtt",
];
/// Metrics of dropping queues other than the bottleneck.
const OF_OTHER_QUEUES: [(&str, Statistic); 2] = [("sojourn", Statistic::P99), ("drop_rate", Statistic::Mean)];
/// Minimum ratio between a column's largest and smallest value for logarithmic shades.
const WIDE: f64 = 10.0;
/// Minimum span of the shades, as a fraction of a column's largest value.
const NARROW: f64 = 0.05;

/// The metrics of a matrix.
pub(crate) struct Metrics {
    /// Main metrics.
    pub main: Vec<Column>,
    /// Other columns of the comparison.
    pub more: Vec<Column>,
}

/// One value of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// The value.
    pub value: ColumnValue,
    /// The printed value.
    pub text: String,
    /// Shade, from 0 (best in the column) to 1 (worst). For a metric that is neither better high nor low, from the
    /// smallest.
    pub shade: f64,
    /// Whether it is better than all values in its column that print otherwise, beyond chance: the 95 % interval of the
    /// difference, paired by seed, excludes zero.
    pub is_best: bool,
}

/// A value with those of the single seeds.
#[derive(Debug, Clone)]
struct Value {
    shown: ColumnValue,
    by_seed: Vec<(u64, f64)>,
}

/// Which values of a metric are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    High,
    Low,
    Neither,
}

/// Metrics for matrices: the comparison's columns, main ones first, and other queues with drops.
pub(crate) fn metrics(results: &Results) -> Metrics {
    let mut more = comparison_columns(results);
    // One distribution for all flows of an entry, where `rtt` of a group is the mean of its flows' means.
    if more.iter().any(|column| column.metric == "rate_ratio") {
        more.extend(pair_columns(results, "group_rtt", "RTT mean"));
    }
    more.extend(other_queues(results, &more));
    let has = |more: &[Column], metric: &str| more.iter().any(|column| column.metric == metric);
    let wanted: &[(&str, Statistic)] = match MAIN_OF_VIEWERS.iter().any(|(metric, _)| has(&more, metric)) {
        true => &MAIN_OF_VIEWERS,
        false if Load::of(results).is_some() => &MAIN_OF_LOAD,
        false => &MAIN,
    };
    let mut main = Vec::new();
    for (metric, statistic) in wanted {
        let is_it = |column: &Column| column.metric == *metric && column.statistic == *statistic;
        let Some(at) = more.iter().position(is_it) else { continue };
        let column = more.remove(at);
        let is_part = |other: &Column| match *metric {
            "rate_ratio" | "group_rtt" => is_it(other),
            _ if wanted == MAIN_OF_LOAD => is_it(other),
            metric => AT_DEADLINES.contains(&metric) && is_it(other) && other.subject == column.subject,
        };
        let parts: Vec<Column> = more.extract_if(.., |other| is_part(other)).collect();
        main.push(column);
        main.extend(parts);
    }
    Metrics { main, more }
}

impl Metrics {
    /// The main metrics that fit in a terminal.
    pub(crate) fn in_terminal(self, layout: &Layout) -> Vec<Column> {
        let mut shown = self.main;
        if (layout.means_over.is_some() || layout.grids.len() > 1)
            && shown.iter().any(|column| IN_BRIEF.contains(&column.metric.as_str()))
        {
            shown.retain(|column| IN_BRIEF.contains(&column.metric.as_str()));
        }
        shown
    }
}

/// Columns of queues with drops, other than the bottleneck.
fn other_queues(results: &Results, columns: &[Column]) -> Vec<Column> {
    let templates = OF_OTHER_QUEUES.iter().filter_map(|(metric, statistic)| {
        columns.iter().find(|column| column.metric == *metric && column.statistic == *statistic)
    });
    let templates: Vec<&Column> = templates.collect();
    let drops = |queue: &str| {
        let mut runs = results.runs.iter();
        runs.any(|run| run.value(queue, "drops", "").is_some_and(|v| v.mean > 0.0))
    };
    let queues = results.manifest.objects.iter().filter(|(_, table)| *table == "queues");
    let queues = queues.map(|(queue, _)| queue);
    let others = queues.filter(|queue| columns.iter().all(|c| c.subject != **queue) && drops(queue));
    let of_queue = |queue: &String| {
        let (subject, objects) = (queue.clone(), vec![queue.clone()]);
        templates
            .iter()
            .map(move |t| Column { subject: subject.clone(), objects: objects.clone(), ..(*t).clone() })
            .collect::<Vec<_>>()
    };
    others.flat_map(of_queue).collect()
}

/// The values of `column` in `grid`, row by row; `None` for missing values.
pub(crate) fn matrix(results: &Results, grid: &Grid, column: &Column) -> Vec<Vec<Option<Cell>>> {
    let variants = &results.manifest.experiment.variants;
    let runs = by_variant(&results.runs);
    let of_variant = |place: &usize| {
        let runs = runs.get(variants[*place].name.as_str());
        column.by_seed(runs.into_iter().flatten().copied())
    };
    let value = |places: &Vec<usize>| {
        let mut of_each: Vec<Vec<(u64, f64)>> = places.iter().map(of_variant).collect();
        let by_seed = if of_each.len() == 1 { of_each.swap_remove(0) } else { column.mean_by_seed(&of_each) };
        Some(Value { shown: column.of(&by_seed)?, by_seed })
    };
    let values: Vec<Vec<Option<Value>>> =
        grid.rows().map(|row| row.cells.iter().map(value).collect()).collect();
    let better = better(&column.metric);
    let width = values.first().map_or(0, Vec::len);
    let mut cells: Vec<Vec<Option<Cell>>> = vec![Vec::with_capacity(width); values.len()];
    for at in 0..width {
        let column: Vec<Option<&Value>> = values.iter().map(|row| row[at].as_ref()).collect();
        for (row, cell) in cells.iter_mut().zip(ranked(&column, better)) {
            row.push(cell);
        }
    }
    cells
}

/// Cells of one column, ranked against each other.
fn ranked(values: &[Option<&Value>], better: Better) -> Vec<Option<Cell>> {
    let means = || values.iter().flatten().map(|value| value.shown.estimate.mean);
    let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
    let best = if better == Better::High { high } else { low };
    // Ratios are more informative than differences if values span orders of magnitude.
    let is_wide = low > 0.0 && high / low >= WIDE;
    let scale = |value: f64| if is_wide { libm::log(value) } else { value };
    let span = (scale(high) - scale(low)).max(if is_wide { 0.0 } else { NARROW * high.abs().max(low.abs()) });
    let text = |value: &ColumnValue| {
        let mean = value.estimate.mean;
        if value.is_count { number::count(mean) } else { number::plain(rounded(mean)) }
    };
    let printed: Vec<Option<String>> =
        values.iter().map(|value| value.map(|value| text(&value.shown))).collect();
    let best_text = values.iter().zip(&printed).find_map(|(value, printed)| {
        value.filter(|value| value.shown.estimate.mean == best).and(printed.as_deref())
    });
    // If all are equal, none is best.
    let is_contest = better != Better::Neither && printed.iter().flatten().collect::<IndexSet<_>>().len() > 1;
    // Values that print alike share the place.
    let beats_others = |value: &Value| {
        let others = values.iter().zip(&printed).filter(|(_, other)| other.as_deref() != best_text);
        others.filter_map(|(other, _)| *other).all(|other| {
            let difference = paired(Domain::Real, &other.by_seed, &value.by_seed);
            difference.is_some_and(|difference| difference.estimate.excludes(0.0))
        })
    };
    let cell = |(value, text): (&Option<&Value>, &Option<String>)| {
        let (value, text) = ((*value)?, text.clone()?);
        let off = (scale(value.shown.estimate.mean) - scale(best)).abs();
        Some(Cell {
            value: value.shown,
            shade: if span > 0.0 { (off / span).clamp(0.0, 1.0) } else { 0.0 },
            is_best: is_contest && Some(text.as_str()) == best_text && beats_others(value),
            text,
        })
    };
    values.iter().zip(&printed).map(cell).collect()
}

/// Rounded to three significant digits, so equal printed values rank equal: 99.98 as 100.02, not as 100.0.
fn rounded(value: f64) -> f64 {
    if value.abs() >= 1000.0 { value } else { format!("{value:.2e}").parse().unwrap_or(value) }
}

fn better(metric: &str) -> Better {
    match metric {
        "utilisation" | "throughput" | "goodput" | "jain_index" | "transfers" => Better::High,
        "buffer"
        | "frames_per_second"
        | "representation_rate"
        | "segment_rate"
        | "linear_qoe"
        | "p1203_parametric" => Better::High,
        "representation_rate_jain_index" | "sqi_ssim" | "ssim" | "frames_decoded" => Better::High,
        "frames_in_time" | "sqi_at_deadline" => Better::High,
        "marks" | "clones" | "recirculations" | "recirculated_share" | "recirculated_bytes"
        | "switch_cpu" => Better::Neither,
        "sessions" | "active_players" | "rate_ratio" => Better::Neither,
        _ => Better::Low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;
    use crate::matrix_layout::layout;
    use crate::testing::{self, streaming};

    /// Values whose seeds differ by a hundredth of `spread`, each in its own order.
    fn of(values: &[f64], spread: f64) -> Vec<Option<Value>> {
        let value = |(place, mean): (usize, &f64)| {
            let deviation = |seed: u64| spread * 0.01 * (((seed + place as u64) % 3) as f64 - 1.0);
            let by_seed: Vec<(u64, f64)> = (0..3).map(|seed| (seed, mean + deviation(seed))).collect();
            let values: Vec<f64> = by_seed.iter().map(|(_, value)| *value).collect();
            let estimate = Estimate { mean: *mean, ..Estimate::of(&values)? };
            Some(Value { shown: ColumnValue { estimate, is_count: false }, by_seed })
        };
        values.iter().enumerate().map(value).collect()
    }

    fn best(values: &[Option<Value>], better: Better) -> Vec<bool> {
        let values: Vec<Option<&Value>> = values.iter().map(Option::as_ref).collect();
        ranked(&values, better).into_iter().map(|cell| cell.is_some_and(|c| c.is_best)).collect()
    }

    fn shades(values: &[f64], better: Better) -> Vec<f64> {
        let values = of(values, 1.0);
        let values: Vec<Option<&Value>> = values.iter().map(Option::as_ref).collect();
        ranked(&values, better).into_iter().flatten().map(|cell| cell.shade).collect()
    }

    #[test]
    fn shades_go_from_the_best_to_the_worst() {
        assert_eq!(shades(&[10.0, 20.0, 30.0], Better::Low), [0.0, 0.5, 1.0]);
        assert_eq!(shades(&[10.0, 20.0, 30.0], Better::High), [1.0, 0.5, 0.0]);
        assert_eq!(shades(&[10.0, 20.0, 30.0], Better::Neither), [0.0, 0.5, 1.0]);
        // A factor of 10 is half of a factor of 100.
        let wide = shades(&[1.0, 10.0, 100.0], Better::Low);
        assert!((wide[1] - 0.5).abs() < 1e-9 && wide[2] == 1.0, "{wide:?}");
        // A difference of 1 % is a fifth of the minimum span.
        let narrow = shades(&[99.0, 100.0], Better::High);
        assert!((narrow[0] - 0.2).abs() < 1e-9, "{narrow:?}");
        assert_eq!(shades(&[0.0, 0.0], Better::Low), [0.0, 0.0]);
    }

    #[test]
    fn best_values_print_alike_and_none_is_best_if_all_do() {
        let best = |values: &[f64], better| best(&of(values, 1.0), better);
        assert_eq!(best(&[19.11, 19.12, 18.0], Better::High), [true, true, false]);
        assert_eq!(best(&[19.11, 19.12], Better::High), [false, false]);
        assert_eq!(best(&[99.98, 100.02, 97.0], Better::High), [true, true, false]);
        assert_eq!(best(&[5.0, 3.0], Better::Low), [false, true]);
        assert_eq!(best(&[5.0, 3.0], Better::Neither), [false, false]);
    }

    #[test]
    fn none_is_best_by_chance() {
        assert_eq!(best(&of(&[5.0, 5.4, 3.0], 1.0), Better::Low), [false, false, true]);
        assert_eq!(best(&of(&[5.0, 5.4, 3.0], 100.0), Better::Low), [false; 3], "the seeds differ by more");
        assert_eq!(best(&of(&[5.0, 3.1, 3.0], 20.0), Better::Low), [false; 3], "the second is as good");
        let mut one_seed = of(&[5.0, 3.0], 1.0);
        one_seed.iter_mut().flatten().for_each(|value| value.by_seed.truncate(1));
        assert_eq!(best(&one_seed, Better::Low), [false; 2]);
    }

    #[test]
    fn a_missing_value_makes_no_cell() {
        let mut values = of(&[2.0, 1.0], 1.0);
        values.push(None);
        let values: Vec<Option<&Value>> = values.iter().map(Option::as_ref).collect();
        let cells = ranked(&values, Better::Low);
        assert!(cells[2].is_none() && cells[1].as_ref().is_some_and(|cell| cell.is_best));
    }

    #[test]
    fn with_viewers_the_main_metrics_are_quality_of_experience() {
        let folder = tempfile::tempdir().unwrap();
        let results = streaming::of_three_axes(&folder.path().join("out"), [2, 2, 7]);
        let metrics = metrics(&results);
        let main: Vec<&str> = metrics.main.iter().map(|column| column.metric.as_str()).collect();
        assert_eq!(main, ["linear_qoe", "p1203_parametric", "stall_ratio", "representation_rate"]);
        assert!(metrics.more.iter().any(|column| column.metric == "drop_rate"), "the rest is not lost");
        let layout = layout(&results.manifest.experiment).unwrap();
        let brief: Vec<String> = metrics.in_terminal(&layout).into_iter().map(|c| c.metric).collect();
        assert_eq!(brief, ["linear_qoe", "stall_ratio"]);
    }

    #[test]
    fn higher_quality_of_experience_is_better() {
        for metric in ["buffer", "frames_per_second", "representation_rate", "linear_qoe", "p1203_parametric"]
        {
            assert_eq!(better(metric), Better::High, "{metric}");
        }
        for metric in ["stalls", "stall_ratio", "start_up_delay", "switches", "burst_time"] {
            assert_eq!(better(metric), Better::Low, "{metric}");
        }
        assert_eq!(better("active_players"), Better::Neither);
    }

    #[test]
    fn a_mean_over_variants_is_of_the_same_seeds() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::of_two_axes(&folder.path().join("out"), 2, 2);
        let column = metrics(&results).main.into_iter().find(|c| c.metric == "sojourn").unwrap();
        let names: Vec<String> =
            results.manifest.experiment.variants.iter().map(|v| v.name.clone()).collect();
        let of = |results: &Results, name: &str| column.value(&results.runs, name).unwrap().estimate;
        let mean = |results: &Results| {
            let of_variant =
                |name: &String| column.by_seed(results.runs.iter().filter(|r| r.key.variant == *name));
            let of_each: Vec<Vec<(u64, f64)>> = names[..2].iter().map(of_variant).collect();
            column.of(&column.mean_by_seed(&of_each)).map(|value| value.estimate)
        };
        let both = mean(&results).unwrap();
        assert!(
            (both.mean - (of(&results, &names[0]).mean + of(&results, &names[1]).mean) / 2.0).abs() < 1e-9
        );
        assert_eq!(both.n, 2);
        // The second variant lacks its second seed: both keep the first seed.
        results.runs.retain(|run| run.key.variant != names[1] || run.key.seed == 1);
        assert_eq!(mean(&results).unwrap().n, 1);
        results.runs.retain(|run| run.key.variant != names[1]);
        assert!(mean(&results).is_none(), "a mean over fewer variants is not comparable");
    }

    #[test]
    fn a_mean_of_ratios_is_geometric() {
        let column = |metric: &str| Column {
            title: String::new(),
            unit: "1".to_owned(),
            subject: String::new(),
            objects: Vec::new(),
            metric: metric.to_owned(),
            part: String::new(),
            statistic: Statistic::Mean,
        };
        let mean = |metric: &str, values: [f64; 2]| {
            column(metric).mean_by_seed(&values.map(|value| vec![(1, value)]))[0].1
        };
        assert!((mean("rate_ratio", [4.0, 0.25]) - 1.0).abs() < 1e-12, "four times and a quarter even out");
        assert_eq!(mean("rate_ratio", [4.0, 0.0]), 0.0, "a ratio of 0 on one path is not averaged away");
        assert_eq!(mean("jain_index", [0.5, 1.0]), 0.75);
    }
}
