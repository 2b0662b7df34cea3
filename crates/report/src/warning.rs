//! Warnings about results: reasons why their figures may mislead.

use serde::{Deserialize, Serialize};

use crate::columns::Column;
use crate::comparison::{Comparison, listed};
use crate::model::{LiveEntry, Mode, ThreadLateness};
use crate::number;
use crate::store::Results;
use crate::summary::{RunSummary, RunValue};

/// Least number of seeds that need no warning.
const SEEDS: usize = 3;
/// Number of concerned variants or objects that a line names.
const NAMED: usize = 3;

/// A reason why figures may mislead, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Kind, for programs: `few-seeds`.
    pub kind: String,
    /// The reason, in a sentence without a full stop.
    pub reason: String,
    /// The remedy, an imperative without a full stop.
    pub remedy: String,
    /// Variants, objects or values concerned; empty for the results as a whole.
    pub concerns: Vec<String>,
}

impl Warning {
    /// One line: reason, what it concerns, remedy.
    pub fn text(&self) -> String {
        let concerns = match self.concerns.len() {
            0 => String::new(),
            // Some reasons give the number.
            count if count > NAMED && !self.reason.starts_with(&format!("{count} ")) => {
                format!(" ({count}: {})", listed(&self.concerns, NAMED + 1))
            }
            count if count > NAMED => format!(" ({})", listed(&self.concerns, NAMED + 1)),
            _ => format!(" ({})", self.concerns.join(", ")),
        };
        format!("{}{concerns}; {}.", self.reason, self.remedy)
    }
}

/// A warning in the output of `run --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningRecord {
    /// Always `warning`.
    #[serde(rename = "type")]
    pub record: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Execution mode: `sim` or `live`.
    pub mode: Mode,
    /// The warning.
    #[serde(flatten)]
    pub warning: Warning,
}

/// The warnings that follow from the results alone.
pub(crate) fn warnings(results: &Results) -> Vec<Warning> {
    let comparison = Comparison::of(results);
    let all = [late_runs(results), few_seeds(results), equal_seeds(results), wide_intervals(&comparison)];
    all.into_iter().flatten().collect()
}

/// Kind of the warning on live runs whose threads were late.
pub(crate) const LATE_RUN: &str = "late-run";

/// Live runs whose router or hosts were later than the limit for what they measured.
fn late_runs(results: &Results) -> Option<Warning> {
    let entries = &results.manifest.live;
    let judged = entries.iter().filter(|entry| entry.facts.timeliness.is_some()).count();
    let late: Vec<(&LiveEntry, String)> =
        entries.iter().filter_map(|entry| Some((entry, lateness_of(entry)?))).collect();
    if late.is_empty() {
        return None;
    }
    let is_normal = |entry: &LiveEntry| {
        let all = [&entry.facts.scheduling, &entry.facts.hosts_scheduling, &entry.facts.programs_scheduling];
        all.iter().any(|scheduling| scheduling.starts_with("normal"))
    };
    let remedy = match late.iter().any(|(entry, _)| is_normal(entry)) {
        true => "allow real-time scheduling (root without `--no-real-time`), or run on an idle machine",
        false => "end other work on the machine, use more processors, or lower the rates",
    };
    Some(Warning {
        kind: LATE_RUN.to_owned(),
        reason: format!(
            "Threads ran too late in {} of {judged} live runs: delays and bursts are partly the machine's, not the network's",
            late.len()
        ),
        remedy: remedy.to_owned(),
        concerns: late.into_iter().map(|(_, text)| text).collect(),
    })
}

/// What was late in a run, and by how much; `None` if nothing was.
fn lateness_of(entry: &LiveEntry) -> Option<String> {
    let timeliness = entry.facts.timeliness.as_ref().filter(|timeliness| timeliness.late)?;
    let millis = |micros: f64| number::plain(micros / 1e3);
    let text = |thread: &ThreadLateness| match thread.p99_us > timeliness.limit_us {
        true => format!("{} p99 {} ms", thread.of, millis(thread.p99_us)),
        false => format!("{} max {} ms", thread.of, millis(thread.max_us)),
    };
    let threads: Vec<String> = timeliness.threads.iter().filter(|thread| thread.late).map(text).collect();
    let mut out = format!("{}: {}, limit {} ms", entry.key, threads.join(", "), millis(timeliness.limit_us));
    if let Some(pressure) = timeliness.cpu_pressure {
        out.push_str(&format!(", CPU pressure {pressure:.0} %"));
    }
    if let Some(steal) = timeliness.steal.filter(|steal| *steal >= 0.5) {
        out.push_str(&format!(", steal {steal:.0} %"));
    }
    Some(out)
}

fn few_seeds(results: &Results) -> Option<Warning> {
    let runs = crate::samples::by_variant(&results.runs);
    let few = |name: &str| runs.get(name).is_some_and(|runs| runs.len() < SEEDS);
    let variants = &results.manifest.experiment.variants;
    let concerned: Vec<&str> = variants.iter().map(|v| v.name.as_str()).filter(|name| few(name)).collect();
    let counts = concerned.iter().map(|name| runs[name].len());
    let (least, most) = (counts.clone().min()?, counts.max()?);
    let reason = match (least, most) {
        (1, 1) => "One seed gives no intervals, and a difference may be chance".to_owned(),
        (2, 2) => "Two seeds give very wide intervals".to_owned(),
        _ => "Fewer than three seeds give no intervals, or very wide ones".to_owned(),
    };
    // Names say nothing where all variants are concerned.
    let concerns = match concerned.len() == runs.len() {
        true => Vec::new(),
        false => concerned.into_iter().map(str::to_owned).collect(),
    };
    let remedy = "run at least three, better five: `--runs 5`, or `seeds = 5` in the scenario".to_owned();
    Some(Warning { kind: "few-seeds".to_owned(), reason, remedy, concerns })
}

/// Variants whose runs are all equal, value by value.
fn equal_seeds(results: &Results) -> Option<Warning> {
    let same =
        |one: &RunValue, other: &RunValue| one.mean == other.mean && one.percentiles == other.percentiles;
    let equal = |one: &RunSummary, other: &RunSummary| {
        let found = |value: &RunValue| other.value(&value.object, &value.metric, &value.part);
        one.values.len() == other.values.len()
            && one.values.iter().all(|value| found(value).is_some_and(|there| same(value, there)))
    };
    let variants = crate::samples::by_variant(&results.runs).into_iter();
    let concerned = variants.filter(|(_, runs)| {
        let [first, others @ ..] = runs.as_slice() else { return false };
        !others.is_empty() && !first.values.is_empty() && others.iter().all(|other| equal(first, other))
    });
    let concerns: Vec<String> = concerned.map(|(variant, _)| variant.to_owned()).collect();
    (!concerns.is_empty()).then(|| Warning {
        kind: "equal-seeds".to_owned(),
        reason: "All seeds gave the same values: nothing in the scenario is random, and the runs are one run repeated"
            .to_owned(),
        remedy: "add randomness, such as `start_jitter` of the flows or random loss of a link".to_owned(),
        concerns,
    })
}

/// Values of the comparison whose interval is wider than the value.
fn wide_intervals(comparison: &Comparison<'_>) -> Option<Warning> {
    let mut concerns = Vec::new();
    let mut all = 0;
    for (at, column) in comparison.columns.iter().enumerate() {
        for (place, variant) in comparison.variants.iter().enumerate() {
            let Some(value) = comparison.value(at, place) else { continue };
            let Some([low, high]) = value.estimate.ci95 else { continue };
            all += 1;
            if high - low > value.estimate.mean.abs() {
                concerns.push(concern(column, &variant.title(), comparison.variants.len()));
            }
        }
    }
    (!concerns.is_empty()).then(|| Warning {
        kind: "wide-interval".to_owned(),
        reason: match concerns.len() {
            1 => format!("1 of {all} intervals is wider than its value"),
            count => format!("{count} of {all} intervals are wider than their values"),
        },
        remedy: "run more seeds, or do not rely on these values".to_owned(),
        concerns,
    })
}

fn concern(column: &Column, variant: &str, variants: usize) -> String {
    match variants {
        1 => column.full_title(),
        _ => format!("{} under {variant}", column.full_title()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timeliness;
    use crate::testing;

    fn kinds(results: &Results) -> Vec<String> {
        warnings(results).into_iter().map(|warning| warning.kind).collect()
    }

    /// The lateness of a run with these 99th percentiles in microseconds: router, hosts.
    fn timeliness(router: f64, hosts: f64, limit_us: f64) -> Timeliness {
        let thread = |of: &str, p99_us: f64| ThreadLateness {
            of: of.to_owned(),
            p50_us: 5.0,
            p99_us,
            max_us: 2.0 * p99_us,
            late: p99_us > limit_us,
        };
        let threads = vec![thread("router", router), thread("hosts", hosts)];
        Timeliness {
            late: router.max(hosts) > limit_us,
            limit_us,
            threads,
            cpu_pressure: Some(97.6),
            steal: Some(0.0),
        }
    }

    #[test]
    fn late_live_runs_are_named_with_their_figures_and_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::live(&folder.path().join("live"));
        let of = |results: &Results| warnings(results).into_iter().find(|warning| warning.kind == LATE_RUN);
        assert_eq!(of(&results), None, "results of earlier versions have no lateness");
        results.manifest.live[0].facts.timeliness = Some(timeliness(40.0, 60.0, 271.0));
        assert_eq!(of(&results), None, "not late");
        results.manifest.live[1].facts.timeliness = Some(timeliness(40.0, 3_210.0, 271.0));
        let warning = of(&results).unwrap();
        assert!(warning.reason.starts_with("Threads ran too late in 1 of 2 live runs"), "{warning:?}");
        let key = results.manifest.live[1].key.to_string();
        let expected = format!("{key}: hosts p99 3.21 ms, limit 0.271 ms, CPU pressure 98 %");
        assert_eq!(warning.concerns, [expected]);
        assert!(warning.remedy.starts_with("end other work"), "{warning:?}");
        results.manifest.live[1].facts.hosts_scheduling = "normal (not permitted)".to_owned();
        assert!(of(&results).unwrap().remedy.starts_with("allow real-time scheduling"));
        // A standstill shows its maximum.
        let late = results.manifest.live[1].facts.timeliness.as_mut().unwrap();
        late.threads[1] = ThreadLateness { p99_us: 90.0, max_us: 150_000.0, ..late.threads[1].clone() };
        assert!(of(&results).unwrap().concerns[0].contains("hosts max 150 ms, limit"));
    }

    #[test]
    fn fewer_than_three_seeds_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::stored(&folder.path().join("one"), &["a", "b"], 1);
        let found = warnings(&results);
        assert_eq!(found[0].kind, "few-seeds");
        assert!(found[0].reason.starts_with("One seed") && found[0].concerns.is_empty(), "{found:?}");
        let mut results = testing::stored(&folder.path().join("three"), &["a", "b"], 3);
        assert!(!kinds(&results).contains(&"few-seeds".to_owned()));
        results.runs.retain(|run| run.key.variant != "b" || run.key.seed < 3);
        let found = warnings(&results);
        assert_eq!((found[0].kind.as_str(), &found[0].concerns), ("few-seeds", &vec!["b".to_owned()]));
        assert!(
            found[0].text().starts_with("Two seeds give very wide intervals (b); run"),
            "{}",
            found[0].text()
        );
    }

    #[test]
    fn equal_seeds_are_told_if_all_values_are_equal() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::stored(&folder.path().join("out"), &["a", "b"], 3);
        assert!(!kinds(&results).contains(&"equal-seeds".to_owned()));
        let first = results.runs[0].clone();
        for run in results.runs.iter_mut().filter(|run| run.key.variant == "a") {
            *run = RunSummary::new(run.key.clone(), first.values.clone());
        }
        let found = warnings(&results);
        let equal = found.iter().find(|warning| warning.kind == "equal-seeds").unwrap();
        assert_eq!(equal.concerns, ["a"]);
        assert!(equal.text().contains("start_jitter"));
        let mut values = first.values.clone();
        values.last_mut().unwrap().mean += 1.0;
        results.runs[1] = RunSummary::new(results.runs[1].key.clone(), values);
        assert!(!kinds(&results).contains(&"equal-seeds".to_owned()), "one value differs");
    }

    #[test]
    fn intervals_wider_than_their_values_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::stored(&folder.path().join("out"), &["a"], 3);
        for (run, drops) in results.runs.iter_mut().zip([0.0, 1.0, 5.0]) {
            let mut values = run.values.clone();
            let is_drops =
                |value: &&mut RunValue| value.metric == "drops" && value.object == "bottleneck.forward";
            values.iter_mut().filter(is_drops).for_each(|value| value.mean = drops);
            *run = RunSummary::new(run.key.clone(), values);
        }
        let found = warnings(&results);
        let wide = found.iter().find(|warning| warning.kind == "wide-interval").unwrap();
        assert!(wide.concerns.contains(&"drops of bottleneck.forward".to_owned()), "{wide:?}");
        assert!(wide.reason.contains(" is wider than its value"), "{wide:?}");
    }

    #[test]
    fn a_line_names_three_and_counts_the_rest() {
        let concerns = |count: usize| (0..count).map(|i| format!("v{i}")).collect();
        let text = |count| {
            let (kind, reason, remedy) = ("k".to_owned(), "It is so".to_owned(), "do this".to_owned());
            Warning { kind, reason, remedy, concerns: concerns(count) }.text()
        };
        assert_eq!(text(0), "It is so; do this.");
        assert_eq!(text(3), "It is so (v0, v1, v2); do this.");
        assert_eq!(text(5), "It is so (5: v0, v1, v2 and 2 more); do this.");
    }
}
