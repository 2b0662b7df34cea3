//! Comparison of our values with the paper's, and the verdict on each.

use std::collections::BTreeMap;

use jettison_report::{Estimate, ReproductionRow, RunSummary, Verdict, names_object};

use super::paper::{Exactness, Paper, Pick, Row, Statistic};

/// Compares each of the paper's figures with our results. `value` returns a pick's summary value for each seed.
pub fn rows(paper: &Paper, value: &dyn Fn(&Pick) -> BTreeMap<u64, f64>) -> Vec<ReproductionRow> {
    let ours: Vec<Vec<f64>> = paper.rows.iter().map(|row| samples(row, value)).collect();
    let estimates: Vec<Option<Estimate>> = ours.iter().map(|samples| Estimate::of(samples)).collect();
    let means: Vec<Option<f64>> = estimates.iter().map(|e| e.as_ref().map(|e| e.mean)).collect();
    paper
        .rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let interval = estimates[index].as_ref().and_then(|estimate| estimate.ci95);
            let verdict = match means[index] {
                None => Verdict::Differs,
                Some(ours) if row.exact == Exactness::Direction => {
                    match surely_same_side(row, ours, interval) {
                        true => Verdict::SameDirection,
                        false => Verdict::Differs,
                    }
                }
                Some(_) if agrees(row, means[index], interval) => Verdict::Agrees,
                Some(ours) if same_side(row, ours) || same_move(paper, &estimates, index) => {
                    Verdict::SameDirection
                }
                Some(_) => Verdict::Differs,
            };
            let missing = "no value of ours: the variant did not run or did not measure it";
            ReproductionRow {
                paper: paper.paper.clone(),
                experiment: paper.experiment.clone(),
                figure: row.figure.clone(),
                variant: match &row.over {
                    Some(over) => format!("{} / {}", row.ours.variant, over.variant),
                    None => row.ours.variant.clone(),
                },
                metric: row.metric.clone(),
                unit: row.unit.clone(),
                paper_value: row.value,
                ours: means[index],
                ci95: interval,
                // For a claim in words, the value only tells the side of `neutral`.
                ratio: means[index]
                    .filter(|_| row.value != 0.0 && row.exact != Exactness::Direction)
                    .map(|ours| ours / row.value),
                verdict,
                note: if means[index].is_none() { missing.to_owned() } else { row.note.clone() },
            }
        })
        .collect()
}

/// Our value for each seed that has all parts of it.
fn samples(row: &Row, value: &dyn Fn(&Pick) -> BTreeMap<u64, f64>) -> Vec<f64> {
    let ours = value(&row.ours);
    let over = row.over.as_ref().map(value);
    ours.iter()
        .filter_map(|(seed, ours)| match &over {
            None => Some(*ours),
            Some(over) => over.get(seed).filter(|over| **over != 0.0).map(|over| ours / over),
        })
        .map(|ours| ours * row.scale + row.offset)
        .collect()
}

fn agrees(row: &Row, ours: Option<f64>, interval: Option<[f64; 2]>) -> bool {
    let near = ours.is_some_and(|ours| (ours - row.value).abs() <= row.tolerance * row.value.abs());
    // An interval so wide that it contains nearly any value proves nothing.
    let says_something = |[low, high]: [f64; 2]| high - low <= row.value.abs();
    near || interval
        .is_some_and(|interval| says_something(interval) && (interval[0]..=interval[1]).contains(&row.value))
}

/// Whether our entire interval is on the paper's side of `neutral`.
fn surely_same_side(row: &Row, ours: f64, interval: Option<[f64; 2]>) -> bool {
    interval.unwrap_or([ours; 2]).iter().all(|end| same_side(row, *end))
}

/// Whether both values are on the same side of `neutral`.
fn same_side(row: &Row, ours: f64) -> bool {
    row.neutral.is_some_and(|neutral| (ours - neutral) * (row.value - neutral) > 0.0)
}

/// Whether ours changes from the first row of the series to this one (for the first: to the last) in the paper's
/// direction, by more than chance: the two intervals do not overlap.
fn same_move(paper: &Paper, estimates: &[Option<Estimate>], index: usize) -> bool {
    let Some(series) = &paper.rows[index].series else { return false };
    let of_series = || (0..paper.rows.len()).filter(|i| paper.rows[*i].series.as_ref() == Some(series));
    let (Some(first), Some(last)) = (of_series().next(), of_series().next_back()) else { return false };
    let (from, to) = if index == first { (first, last) } else { (first, index) };
    let (Some(a), Some(b)) = (&estimates[from], &estimates[to]) else { return false };
    let chance = a.half_width().unwrap_or(0.0) + b.half_width().unwrap_or(0.0);
    let move_of_papers = paper.rows[to].value - paper.rows[from].value;
    (b.mean - a.mean).abs() > chance && (b.mean - a.mean) * move_of_papers > 0.0
}

impl Pick {
    /// The pick's value in one run: of one object, or the mean of all objects that have it.
    pub fn value_in(&self, run: &RunSummary) -> Option<f64> {
        let (metric, part) = self.metric.split_once(':').unwrap_or((&self.metric, ""));
        let found = run
            .values
            .iter()
            .filter(|v| v.metric == metric && v.part == part && names_object(&self.object, &v.object))
            .filter_map(|v| self.number(v.mean, v.percentiles));
        let (sum, count) = found.fold((0.0, 0u32), |(sum, count), number| (sum + number, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// The number for this pick's statistic.
    fn number(&self, mean: f64, percentiles: Option<[f64; 3]>) -> Option<f64> {
        match self.statistic {
            Statistic::Mean => Some(mean),
            Statistic::P50 => percentiles.map(|p| p[0]),
            Statistic::P95 => percentiles.map(|p| p[1]),
            Statistic::P99 => percentiles.map(|p| p[2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_report::{RunKey, RunValue};

    use super::*;

    fn paper(rows: &str) -> Paper {
        Paper::parse("test", &format!("paper = 'p'\nexperiment = 'e'\n{rows}")).unwrap()
    }

    const RATIO: &str = "[[row]]\nfigure='f'\nmetric='m'\nunit='x'\nvalue=2.5\nexact='text'\nneutral=1.0\n\
        ours={variant='a',object='o',metric='m'}\nover={variant='b',object='o',metric='m'}\n";

    fn judge(toml: &str, a: &[f64], b: &[f64]) -> ReproductionRow {
        let of = |values: &[f64]| values.iter().enumerate().map(|(i, v)| (i as u64, *v)).collect();
        let rows = rows(&paper(toml), &|pick: &Pick| if pick.variant == "a" { of(a) } else { of(b) });
        rows.into_iter().next_back().unwrap()
    }

    #[test]
    fn ratios_are_taken_seed_by_seed() {
        let outcome = judge(RATIO, &[2.0, 9.0], &[1.0, 3.0]);
        assert_eq!(outcome.ours, Some(2.5));
        assert_eq!(outcome.verdict, Verdict::Agrees);
    }

    #[test]
    fn the_same_side_of_neutral_is_the_same_direction() {
        assert_eq!(judge(RATIO, &[1.5, 1.5], &[1.0, 1.0]).verdict, Verdict::SameDirection);
        assert_eq!(judge(RATIO, &[0.5, 0.5], &[1.0, 1.0]).verdict, Verdict::Differs);
    }

    #[test]
    fn a_pick_of_several_objects_is_their_mean() {
        let of = |object: &str, mean: f64, percentiles| RunValue {
            object: object.to_owned(),
            metric: "owd".to_owned(),
            unit: "ms".to_owned(),
            part: String::new(),
            mean,
            percentiles,
        };
        let values = vec![
            of("video.1", 2.0, Some([1.0, 2.0, 8.0])),
            of("video.2", 4.0, Some([1.0, 2.0, 4.0])),
            of("blast", 90.0, None),
        ];
        let key = RunKey { variant: "a".to_owned(), seed: 1 };
        let run = RunSummary { key, values };
        let pick = |object: &str, statistic| Pick {
            variant: "a".to_owned(),
            object: object.to_owned(),
            metric: "owd".to_owned(),
            statistic,
        };
        assert_eq!(pick("video.*", Statistic::Mean).value_in(&run), Some(3.0));
        assert_eq!(pick("video.*", Statistic::P99).value_in(&run), Some(6.0));
        assert_eq!(pick("video.1", Statistic::Mean).value_in(&run), Some(2.0));
        assert_eq!(pick("blast", Statistic::P99).value_in(&run), None, "it has no percentiles");
        assert_eq!(pick("tcp.*", Statistic::Mean).value_in(&run), None);
    }

    #[test]
    fn a_claim_without_a_number_has_a_direction_and_no_more() {
        let claim = RATIO.replace("'text'", "'direction'");
        assert_eq!(judge(&claim, &[2.5, 2.5], &[1.0, 1.0]).verdict, Verdict::SameDirection);
        assert_eq!(judge(&claim, &[1.0, 1.0], &[1.0, 1.0]).verdict, Verdict::Differs);
        assert_eq!(judge(&claim, &[0.5, 0.5], &[1.0, 1.0]).verdict, Verdict::Differs);
        assert_eq!(
            judge(&claim, &[1.01, 1.5], &[1.0, 1.0]).verdict,
            Verdict::Differs,
            "perhaps no difference"
        );
        assert_eq!(judge(&claim, &[1.1], &[1.0]).verdict, Verdict::SameDirection, "one seed has no interval");
    }

    #[test]
    fn an_interval_that_holds_the_papers_value_agrees_unless_it_is_too_wide() {
        let narrow = judge(RATIO, &[2.1, 2.2, 2.3], &[1.0; 3]);
        assert!(narrow.ci95.unwrap()[1] < 2.5 && narrow.verdict == Verdict::SameDirection, "{narrow:?}");
        let fitting = judge(RATIO, &[1.8, 2.1, 2.4], &[1.0; 3]);
        assert!(fitting.ci95.unwrap()[1] > 2.5 && fitting.verdict == Verdict::Agrees, "{fitting:?}");
        let vague = judge(RATIO, &[1.0, 6.0], &[1.0; 2]);
        assert!(vague.ci95.unwrap()[1] > 2.5 && vague.verdict == Verdict::SameDirection, "{vague:?}");
    }

    #[test]
    fn a_move_along_a_series_counts_if_it_is_more_than_chance() {
        let row = |value: f64, variant: &str| {
            format!(
                "[[row]]\nfigure='f'\nseries='s'\nmetric='m'\nunit='x'\nvalue={value:?}\nexact='text'\n\
                ours={{variant='{variant}',object='o',metric='m'}}\n"
            )
        };
        let falling = format!("{}{}", row(100.0, "b"), row(50.0, "a"));
        assert_eq!(judge(&falling, &[8.0, 8.1], &[10.0, 10.1]).verdict, Verdict::SameDirection);
        assert_eq!(judge(&falling, &[12.0, 12.1], &[10.0, 10.1]).verdict, Verdict::Differs);
        assert_eq!(judge(&falling, &[9.9, 10.2], &[10.0, 10.2]).verdict, Verdict::Differs);
    }

    #[test]
    fn a_missing_value_differs_with_a_note() {
        let outcome = judge(RATIO, &[], &[1.0]);
        assert_eq!((outcome.ours, outcome.verdict), (None, Verdict::Differs));
        assert!(outcome.note.contains("no value of ours"));
    }
}
