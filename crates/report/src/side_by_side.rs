//! Two results of one scenario side by side, such as a simulated and a live one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use jettison_measure::{Declared, Domain, Kept};
use serde::Serialize;

use crate::difference::paired;
use crate::error::ReportError;
use crate::estimate::Estimate;
use crate::html;
use crate::model::{Experiment, Mode};
use crate::samples::{Sample, Samples, name};
use crate::store::{Results, write_atomically};
use crate::summary::RunSummary;
use crate::warning::Warning;

/// One of the two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// Two results and their comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct SideBySide {
    /// The first.
    pub a: Results,
    /// The second.
    pub b: Results,
    /// Where they are from: their folders, unless a caller knows better.
    pub places: [PathBuf; 2],
    /// Matched variants by their names in A and in B: those of the same name, or the only one of each.
    pub pairs: Vec<[String; 2]>,
    /// Values that both have: variants in A's order, objects and metrics in the summary's.
    pub rows: Vec<PairRow>,
    /// Objects and metrics that only one has.
    pub one_sided: Vec<OneSided>,
    /// Reasons why the two may not be comparable.
    pub warnings: Vec<Mismatch>,
}

/// A metric of an object in both results.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRow {
    /// Name of the variant in A.
    pub variant: String,
    /// Name of the object.
    pub object: String,
    /// Name of the metric with its part: `drops:codel`.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Mean over A's seeds.
    pub a: Estimate,
    /// Mean over B's seeds.
    pub b: Estimate,
    /// B minus A.
    pub difference: PairDifference,
    /// Whether both have the same value under every seed, and the same seeds.
    pub is_identical: bool,
    /// Median and 99th percentile, if the metric has a distribution.
    pub percentiles: Vec<PairPercentile>,
}

/// A percentile of a metric's distribution in both results: means over the runs' percentiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairPercentile {
    /// Which: 50 or 99.
    pub percent: u8,
    /// Mean over A's seeds.
    pub a: Estimate,
    /// Mean over B's seeds.
    pub b: Estimate,
    /// B minus A.
    pub difference: PairDifference,
    /// Whether both have the same value under every seed, and the same seeds.
    pub is_identical: bool,
}

/// The difference between the means of two results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairDifference {
    /// The difference and its interval: Student's if paired, else Welch's.
    pub estimate: Estimate,
    /// Whether it is the mean of the differences seed by seed.
    pub is_paired: bool,
}

impl PairRow {
    /// B divided by A; `None` if A is zero.
    pub fn ratio(&self) -> Option<f64> {
        ratio(&self.a, &self.b)
    }
}

impl PairPercentile {
    /// B divided by A; `None` if A is zero.
    pub fn ratio(&self) -> Option<f64> {
        ratio(&self.a, &self.b)
    }
}

fn ratio(a: &Estimate, b: &Estimate) -> Option<f64> {
    (a.mean != 0.0).then(|| b.mean / a.mean)
}

/// A variant, object or metrics that only one result has.
#[derive(Debug, Clone, PartialEq)]
pub struct OneSided {
    /// The result that has it.
    pub side: Side,
    /// Name of the variant there.
    pub variant: String,
    /// The object; `None` for a variant as a whole.
    pub object: Option<String>,
    /// Metrics of the object; empty for the object as a whole.
    pub metrics: Vec<String>,
}

/// Reason why two results may not be comparable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mismatch {
    /// The reason, in a sentence without a full stop.
    pub text: String,
    /// The single differences.
    pub lines: Vec<String>,
}

impl SideBySide {
    /// Compares `a` with `b`. Names and inputs in their manifests are checked; callers who can parse the
    /// configurations add to [`SideBySide::warnings`].
    pub fn of(a: Results, b: Results) -> SideBySide {
        let warnings = warnings(&a.manifest.experiment, &b.manifest.experiment);
        let pairs = pairs(&a, &b);
        let places = [a.folder.clone(), b.folder.clone()];
        let mut both = SideBySide { a, b, places, pairs, rows: Vec::new(), one_sided: Vec::new(), warnings };
        for side in [Side::A, Side::B] {
            both.warnings.extend(both.own_warnings(side).collect::<Vec<_>>());
        }
        for pair in both.pairs.clone() {
            both.add_pair(&pair);
        }
        for (side, results) in [(Side::A, &both.a), (Side::B, &both.b)] {
            let is_paired = |name: &String| both.pairs.iter().any(|pair| pair[side as usize] == *name);
            let names = results.manifest.experiment.variants.iter().map(|variant| &variant.name);
            let alone = names.filter(|name| !is_paired(name)).map(|name| OneSided {
                side,
                variant: name.clone(),
                object: None,
                metrics: Vec::new(),
            });
            both.one_sided.extend(alone);
        }
        both
    }

    /// The warnings of a side on its own figures. What concerns intervals alone shows in the table.
    fn own_warnings(&self, side: Side) -> impl Iterator<Item = Mismatch> {
        let shown = |warning: &&Warning| !["few-seeds", "wide-interval"].contains(&warning.kind.as_str());
        let title = self.title(side);
        let of = move |warning: &Warning| Mismatch {
            text: format!("{title}: {}", warning.reason),
            lines: warning.concerns.clone(),
        };
        self.side(side).warnings.iter().filter(shown).map(of)
    }

    fn add_pair(&mut self, [in_a, in_b]: &[String; 2]) {
        let (runs_a, runs_b) = (runs_of(&self.a, in_a), runs_of(&self.b, in_b));
        let (samples_a, samples_b) = (Samples::of(&runs_a), Samples::of(&runs_b));
        let (of_a, of_b) = (by_name(&samples_a), by_name(&samples_b));
        for (name, a) in &of_a {
            let Some(b) = of_b.get(name) else { continue };
            let Some((estimate_a, estimate_b, difference)) = compared(a.domain, &a.by_run, &b.by_run) else {
                continue;
            };
            self.rows.push(PairRow {
                variant: in_a.clone(),
                object: a.first.object.clone(),
                metric: full_metric(a),
                unit: a.first.unit.clone(),
                a: estimate_a,
                b: estimate_b,
                difference,
                is_identical: sorted(&a.by_run) == sorted(&b.by_run),
                percentiles: percentiles(a, b),
            });
        }
        let sides = [(Side::A, in_a, &of_a, &of_b), (Side::B, in_b, &of_b, &of_a)];
        for (side, variant, here, there) in sides {
            let objects_there: IndexSet<&str> = there.keys().map(|name| name.0).collect();
            let mut alone: IndexMap<&str, Vec<String>> = IndexMap::new();
            for (name, sample) in here.iter().filter(|(name, _)| !there.contains_key(*name)) {
                let metrics = alone.entry(name.0).or_default();
                if objects_there.contains(name.0) {
                    metrics.push(full_metric(sample));
                }
            }
            self.one_sided.extend(alone.into_iter().map(|(object, metrics)| OneSided {
                side,
                variant: variant.clone(),
                object: Some(object.to_owned()),
                metrics,
            }));
        }
    }

    /// The results of a side.
    pub fn side(&self, side: Side) -> &Results {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// Title of a side: `A (sim)`.
    pub fn title(&self, side: Side) -> String {
        format!("{side:?} ({})", self.side(side).manifest.experiment.mode)
    }

    /// The records that `compare --json` prints.
    pub fn records(&self) -> impl Iterator<Item = SideRecord<'_>> {
        let sides = [Side::A, Side::B].map(|side| {
            let manifest = &self.side(side).manifest;
            let Experiment { name, mode, .. } = &manifest.experiment;
            let folder = self.places[side as usize].as_path();
            SideRecord::Side { side, scenario: name, mode: *mode, folder, runs: manifest.runs.len() }
        });
        let warnings = self.warnings.iter().map(SideRecord::Warning);
        let rows = self.rows.iter().map(|row| SideRecord::Comparison {
            variant: &row.variant,
            object: &row.object,
            metric: &row.metric,
            unit: &row.unit,
            a: row.a.mean,
            a_ci95: row.a.ci95,
            a_n: row.a.n,
            b: row.b.mean,
            b_ci95: row.b.ci95,
            b_n: row.b.n,
            difference: row.difference.estimate.mean,
            difference_ci95: row.difference.estimate.ci95,
            paired: row.difference.is_paired,
            ratio: row.ratio(),
            identical: row.is_identical,
            percentiles: row.percentiles.iter().map(PercentileRecord::of).collect(),
        });
        let alone = self.one_sided.iter().map(|alone| SideRecord::OneSided {
            side: alone.side,
            variant: &alone.variant,
            object: alone.object.as_deref(),
            metrics: &alone.metrics,
        });
        let answer = SideRecord::Answer { answer: self.answer().text() };
        std::iter::once(answer).chain(sides).chain(warnings).chain(rows).chain(alone)
    }

    /// Writes `compare.html` to `folder`, created if missing, and returns the page's path.
    ///
    /// # Errors
    /// If the series cannot be read or the page cannot be written.
    pub fn write_page(&self, folder: &Path) -> Result<PathBuf, ReportError> {
        let page = html::render_side_by_side(self)?;
        if folder.exists() && !folder.is_dir() {
            return Err(ReportError::NotAFolder(folder.to_owned()));
        }
        let is_new = !folder.exists();
        fs::create_dir_all(folder).map_err(ReportError::write(folder))?;
        let path = folder.join("compare.html");
        write_atomically(&path, page.as_bytes()).inspect_err(|_| {
            if is_new {
                let _ = fs::remove_dir(folder); // only if it is empty
            }
        })?;
        Ok(path)
    }
}

/// A record that `compare --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[allow(missing_docs)] // the fields are those of the types above
pub enum SideRecord<'a> {
    /// The answer in words.
    Answer { answer: String },
    /// One of the two results.
    Side { side: Side, scenario: &'a str, mode: Mode, folder: &'a Path, runs: usize },
    /// A reason why they may not be comparable.
    Warning(&'a Mismatch),
    /// A row.
    Comparison {
        variant: &'a str,
        object: &'a str,
        metric: &'a str,
        unit: &'a str,
        a: f64,
        a_ci95: Option<[f64; 2]>,
        a_n: usize,
        b: f64,
        b_ci95: Option<[f64; 2]>,
        b_n: usize,
        difference: f64,
        difference_ci95: Option<[f64; 2]>,
        paired: bool,
        ratio: Option<f64>,
        identical: bool,
        percentiles: Vec<PercentileRecord>,
    },
    /// A variant, object or metrics that only one has.
    OneSided { side: Side, variant: &'a str, object: Option<&'a str>, metrics: &'a [String] },
}

/// A percentile in a record of `compare --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // the fields are those of the types above
pub struct PercentileRecord {
    pub percent: u8,
    pub a: f64,
    pub a_ci95: Option<[f64; 2]>,
    pub b: f64,
    pub b_ci95: Option<[f64; 2]>,
    pub difference: f64,
    pub difference_ci95: Option<[f64; 2]>,
    pub paired: bool,
    pub ratio: Option<f64>,
}

impl PercentileRecord {
    fn of(found: &PairPercentile) -> PercentileRecord {
        PercentileRecord {
            percent: found.percent,
            a: found.a.mean,
            a_ci95: found.a.ci95,
            b: found.b.mean,
            b_ci95: found.b.ci95,
            difference: found.difference.estimate.mean,
            difference_ci95: found.difference.estimate.ci95,
            paired: found.difference.is_paired,
            ratio: found.ratio(),
        }
    }
}

/// Matches variants of the same name; or, if each result has only one, those.
fn pairs(a: &Results, b: &Results) -> Vec<[String; 2]> {
    let names = |results: &Results| -> Vec<String> {
        results.manifest.experiment.variants.iter().map(|variant| variant.name.clone()).collect()
    };
    match (names(a).as_slice(), names(b).as_slice()) {
        ([one], [other]) => vec![[one.clone(), other.clone()]],
        (of_a, of_b) => {
            of_a.iter().filter(|name| of_b.contains(name)).map(|name| [name.clone(), name.clone()]).collect()
        }
    }
}

/// The runs of a variant.
fn runs_of<'a>(results: &'a Results, variant: &str) -> Vec<&'a RunSummary> {
    results.runs.iter().filter(|run| run.key.variant == variant).collect()
}

/// The samples of a variant by object, metric and part.
fn by_name<'a, 's>(samples: &'s Samples<'a>) -> IndexMap<(&'a str, &'a str, &'a str), &'s Sample<'a>> {
    samples.iter().map(|sample| (name(sample.first), sample)).collect()
}

fn full_metric(sample: &Sample<'_>) -> String {
    match sample.first.part.as_str() {
        "" => sample.first.metric.clone(),
        part => format!("{}:{part}", sample.first.metric),
    }
}

fn values(by_run: &[(u64, f64)]) -> Vec<f64> {
    by_run.iter().map(|(_, value)| *value).collect()
}

fn sorted(by_run: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let mut sorted = by_run.to_vec();
    sorted.sort_by_key(|(seed, _)| *seed);
    sorted
}

/// The means of both and their difference.
fn compared(
    domain: Domain,
    a: &[(u64, f64)],
    b: &[(u64, f64)],
) -> Option<(Estimate, Estimate, PairDifference)> {
    let of = |by_run: &[(u64, f64)]| Estimate::within(domain, &values(by_run));
    Some((of(a)?, of(b)?, difference(domain, a, b)?))
}

/// B minus A: paired if both have the same seeds, which then draw the same random numbers. (What a live kernel adds to a seed is
/// in the differences too, and widens their interval.)
fn difference(domain: Domain, a: &[(u64, f64)], b: &[(u64, f64)]) -> Option<PairDifference> {
    let seeds = |by_run: &[(u64, f64)]| by_run.iter().map(|(seed, _)| *seed).collect::<BTreeSet<u64>>();
    let is_paired = seeds(a) == seeds(b);
    let estimate = match is_paired {
        true => paired(domain, a, b)?.estimate,
        false => Estimate::difference(&values(a), &values(b))?,
    };
    Some(PairDifference { estimate, is_paired })
}

/// Median and 99th percentile of a metric with a distribution. Percentiles of samples over time, as of goodput, are not shown.
fn percentiles(a: &Sample<'_>, b: &Sample<'_>) -> Vec<PairPercentile> {
    let declared = Declared::named(&a.first.metric);
    if !declared.is_some_and(|declared| declared.kept.contains(&Kept::Distribution)) {
        return Vec::new();
    }
    let of = |(percent, which): (u8, usize)| {
        let [a_by_run, b_by_run] = [a, b].map(|sample| sample.percentile_by_run(which));
        let (a, b, difference) = compared(a.domain, &a_by_run, &b_by_run)?;
        let is_identical = sorted(&a_by_run) == sorted(&b_by_run);
        Some(PairPercentile { percent, a, b, difference, is_identical })
    };
    [(50, 0), (99, 2)].into_iter().filter_map(of).collect()
}

fn warnings(a: &Experiment, b: &Experiment) -> Vec<Mismatch> {
    let mut found = Vec::new();
    if a.name != b.name {
        found.push(Mismatch {
            text: "The scenarios differ".to_owned(),
            lines: vec![format!("A: {}, B: {}", a.name, b.name)],
        });
    }
    let hashes = |experiment: &Experiment| -> IndexMap<String, String> {
        experiment.inputs.iter().map(|input| (input.path.clone(), input.sha256.clone())).collect()
    };
    if [a, b].iter().any(|experiment| experiment.mode == Mode::Flent) {
        return found; // flent names no files
    }
    let (of_a, of_b) = (hashes(a), hashes(b));
    let paths: IndexSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    let lines = paths.into_iter().filter_map(|path| match (of_a.get(path), of_b.get(path)) {
        (Some(one), Some(other)) if one == other => None,
        (Some(_), Some(_)) => Some(format!("{path} has other contents in B")),
        (Some(_), None) => Some(format!("{path} only in A")),
        _ => Some(format!("{path} only in B")),
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        found.push(Mismatch { text: "The input files differ".to_owned(), lines });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn both(folder: &Path) -> SideBySide {
        let sim = testing::stored(&folder.join("sim"), &["tail-drop", "codel", "codel-ecn"], 3);
        SideBySide::of(sim, testing::live(&folder.join("live")))
    }

    #[test]
    fn variants_of_the_same_name_are_matched_in_the_summarys_order() {
        let folder = tempfile::tempdir().unwrap();
        let both = both(folder.path());
        assert_eq!(both.pairs, [["tail-drop", "tail-drop"], ["codel", "codel"]]);
        assert_eq!(both.warnings, []);
        let order: Vec<(&str, &str, &str)> = both
            .a
            .summary
            .rows
            .iter()
            .filter(|row| row.variant != "codel-ecn")
            .map(|row| (row.variant.as_str(), row.object.as_str(), row.metric.as_str()))
            .collect();
        let rows = both.rows.iter().map(|row| {
            (row.variant.as_str(), row.object.as_str(), row.metric.split(':').next().unwrap_or_default())
        });
        assert_eq!(rows.collect::<Vec<_>>(), order);
        let of_codel = |row: &&PairRow| row.variant == "codel" && row.metric == "sojourn";
        let row = both.rows.iter().filter(of_codel).nth(1).unwrap();
        assert_eq!((row.a.n, row.b.n, row.b.ci95), (3, 1, None));
        assert_eq!(row.ratio(), Some(row.b.mean / row.a.mean));
        let difference = row.b.mean - row.a.mean;
        assert!((row.difference.estimate.mean - difference).abs() < 1e-9 && !row.difference.is_paired);
    }

    #[test]
    fn one_sided_values_are_listed_separately() {
        let folder = tempfile::tempdir().unwrap();
        let both = both(folder.path());
        let alone = |side, variant: &str, object: Option<&str>, metrics: &[&str]| OneSided {
            side,
            variant: variant.to_owned(),
            object: object.map(str::to_owned),
            metrics: metrics.iter().map(|metric| (*metric).to_owned()).collect(),
        };
        assert_eq!(
            both.one_sided,
            [
                alone(Side::B, "tail-drop", Some("access.forward"), &["lateness"]),
                alone(Side::B, "tail-drop", Some("bottleneck.forward"), &["lateness"]),
                alone(Side::B, "codel", Some("access.forward"), &["lateness"]),
                alone(Side::B, "codel", Some("bottleneck.forward"), &["lateness"]),
                alone(Side::A, "codel-ecn", None, &[]),
            ]
        );
    }

    #[test]
    fn distributions_are_compared_by_percentiles_and_paired_by_seed() {
        let folder = tempfile::tempdir().unwrap();
        let a = testing::stored(&folder.path().join("a"), &["tail-drop"], 3);
        let b = testing::stored(&folder.path().join("b"), &["other", "tail-drop"], 3);
        let both = SideBySide::of(a, b);
        let row = |metric: &str| {
            let found =
                both.rows.iter().find(|row| row.object == "bottleneck.forward" && row.metric == metric);
            found.unwrap_or_else(|| panic!("no {metric}"))
        };
        let [median, p99] = &row("sojourn").percentiles[..] else { panic!("{:?}", row("sojourn")) };
        assert_eq!((median.percent, p99.percent), (50, 99));
        for (percentile, which) in [(median, 0), (p99, 2)] {
            let of_runs = |results: &Results| -> Vec<f64> {
                let runs = results.runs.iter().filter(|run| run.key.variant == "tail-drop");
                let value = |run: &RunSummary| run.value("bottleneck.forward", "sojourn", "")?.percentiles;
                runs.filter_map(|run| Some(value(run)?[which])).collect()
            };
            let (of_a, of_b) = (of_runs(&both.a), of_runs(&both.b));
            let differences: Vec<f64> = of_a.iter().zip(&of_b).map(|(a, b)| b - a).collect();
            let expected = Estimate::of(&differences).unwrap();
            assert!(percentile.difference.is_paired && of_a.len() == 3);
            assert!((percentile.difference.estimate.mean - expected.mean).abs() < 1e-9);
            assert_eq!(percentile.difference.estimate.ci95.is_some(), expected.ci95.is_some());
            assert!((percentile.a.mean - of_a.iter().sum::<f64>() / 3.0).abs() < 1e-9);
        }
        assert!(row("throughput").percentiles.is_empty(), "percentiles of samples over time");
        let records: Vec<String> =
            both.records().map(|record| serde_json::to_string(&record).unwrap()).collect();
        let sojourn = records.iter().find(|record| record.contains("\"metric\":\"sojourn\"")).unwrap();
        assert!(sojourn.contains("\"percentiles\":[{\"percent\":50,\"a\":"), "{sojourn}");
    }

    #[test]
    fn results_of_the_same_runs_are_identical() {
        let folder = tempfile::tempdir().unwrap();
        let same = |name: &str| testing::stored(&folder.path().join(name), &["codel"], 2);
        let both = SideBySide::of(same("a"), same("b"));
        assert!(!both.rows.is_empty() && both.rows.iter().all(|row| row.is_identical));
        let mut other = same("c");
        for run in &mut other.runs {
            let mut values = run.values.clone();
            values.iter_mut().filter(|value| value.metric == "goodput").for_each(|value| value.mean += 0.5);
            *run = RunSummary::new(run.key.clone(), values);
        }
        let both = SideBySide::of(same("d"), other);
        assert!(both.rows.iter().all(|row| row.is_identical == (row.metric != "goodput")));
    }

    #[test]
    fn a_sides_own_warnings_are_repeated_except_on_its_intervals() {
        let folder = tempfile::tempdir().unwrap();
        let sim = testing::stored(&folder.path().join("sim"), &["codel"], 2);
        let mut live = testing::live(&folder.path().join("live"));
        let warning = |kind: &str| Warning {
            kind: kind.to_owned(),
            reason: format!("It is {kind}"),
            remedy: "mend it".to_owned(),
            concerns: vec!["codel, seed 1".to_owned()],
        };
        live.warnings = ["late-run", "few-seeds", "wide-interval"].map(warning).to_vec();
        let both = SideBySide::of(sim, live);
        let told = both.warnings.iter().find(|mismatch| mismatch.text == "B (live): It is late-run");
        assert_eq!(told.map(|told| told.lines.as_slice()), Some(&["codel, seed 1".to_owned()][..]));
        assert!(
            both.warnings
                .iter()
                .all(|mismatch| !mismatch.text.contains("seeds") || mismatch.text.contains("All"))
        );
    }

    #[test]
    fn single_variants_are_matched_regardless_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let a = testing::stored(&folder.path().join("a"), &["one"], 2);
        let b = testing::stored(&folder.path().join("b"), &["other"], 2);
        let both = SideBySide::of(a.clone(), b);
        assert_eq!(both.pairs, [["one", "other"]]);
        assert!(both.rows.iter().all(|row| row.difference.estimate.mean == 0.0) && !both.rows.is_empty());
        let two = testing::stored(&folder.path().join("c"), &["x", "y"], 2);
        let neither = SideBySide::of(a, two);
        assert!(neither.pairs.is_empty() && neither.rows.is_empty());
        assert_eq!(neither.one_sided.len(), 3);
    }

    #[test]
    fn different_scenarios_and_inputs_give_warnings() {
        let folder = tempfile::tempdir().unwrap();
        let a = testing::stored(&folder.path().join("a"), &["one"], 1);
        let mut b = a.clone();
        b.manifest.experiment.name = "another".to_owned();
        b.manifest.experiment.inputs[0].sha256 = "00".repeat(32);
        let both = SideBySide::of(a, b);
        let told: Vec<&str> = both.warnings.iter().flat_map(|w| &w.lines).map(String::as_str).collect();
        assert_eq!(told, ["A: test/made-up, B: another", "trace.up has other contents in B"]);
    }

    #[test]
    fn records_have_the_documented_fields() {
        let folder = tempfile::tempdir().unwrap();
        let both = both(folder.path());
        let records: Vec<String> =
            both.records().map(|record| serde_json::to_string(&record).unwrap()).collect();
        assert!(
            records[1]
                .starts_with(r#"{"type":"side","side":"A","scenario":"test/made-up","mode":"sim","folder":"#),
            "{}",
            records[1]
        );
        assert!(
            records[0].starts_with(r#"{"type":"answer","answer":"test/made-up: A (sim, "#),
            "{}",
            records[0]
        );
        assert!(
            records[3].starts_with(
                r#"{"type":"comparison","variant":"tail-drop","object":"access.forward","metric":"sojourn","unit":"ms","a":"#
            ),
            "{}",
            records[3]
        );
        let last = r#"{"type":"one-sided","side":"A","variant":"codel-ecn","object":null,"metrics":[]}"#;
        assert_eq!(records.last().unwrap(), last);
        assert_eq!(records.len(), 3 + both.rows.len() + both.one_sided.len());
    }

    #[test]
    fn the_pages_folder_is_created() {
        let folder = tempfile::tempdir().unwrap();
        let both = both(folder.path());
        let out = folder.path().join("new/page");
        assert_eq!(both.write_page(&out).unwrap(), out.join("compare.html"));
        assert!(fs::read_to_string(out.join("compare.html")).unwrap().starts_with("<!DOCTYPE html>"));
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
        let file = out.join("compare.html");
        assert!(matches!(both.write_page(&file), Err(ReportError::NotAFolder(_))));
    }
}
