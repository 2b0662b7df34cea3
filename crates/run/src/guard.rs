//! Guards on results: what makes a run unfit for conclusions, and what cannot be true.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_measure::metrics;
use jettison_report::{RunSummary, Warning};
use jettison_scenario::build::Builder;
use jettison_scenario::schema::Settings;
use jettison_scenario::{Contents, Hop, Scenario};

/// What a link carried in this time before the measurement may arrive within it: it may wait in queues behind the link.
const BEHIND: Duration = Duration::from_secs(2);
/// Bits of the largest packet, which may be under way when the measurement begins.
const LARGEST_PACKET: f64 = 65_535.0 * 8.0;

/// Warnings on the runs of a scenario: that they were shortened, transfers that did not finish, and goodput above the capacity of a link that it crosses.
/// The last never holds: goodput counts bytes as they arrive. It guards against faults of the simulator itself.
pub fn warnings(scenario: &Scenario, builder: &Builder, runs: &[RunSummary]) -> Vec<Warning> {
    let all = [shortened(scenario), unfinished(runs), above_capacity(scenario, builder, runs)];
    all.into_iter().flatten().collect()
}

/// Runs that `--quick` shortened without knowing what the comparison needs.
fn shortened(scenario: &Scenario) -> Option<Warning> {
    let shortened = scenario.shortened.filter(|shortened| !shortened.is_empty())?;
    Some(Warning {
        kind: "shortened".to_owned(),
        reason: format!("`--quick` shortened the runs: {shortened}"),
        remedy: "run without it for figures to keep".to_owned(),
        concerns: Vec::new(),
    })
}

/// Transfers with a size that were not complete at their stop or the end of the run.
fn unfinished(runs: &[RunSummary]) -> Option<Warning> {
    let lines = runs.iter().flat_map(|run| {
        let values = run.values.iter().filter(|value| value.metric == metrics::UNFINISHED.name);
        values.map(|value| format!("{}, seed {}: {}", run.key.variant, run.key.seed, value.object))
    });
    warning(
        "unfinished-transfer",
        "Transfers did not finish before the end of their run, so their completion times are missing",
        "extend `duration`, or reduce the transfers",
        lines.collect(),
    )
}

/// Links that would have carried more goodput than they can.
fn above_capacity(scenario: &Scenario, builder: &Builder, runs: &[RunSummary]) -> Option<Warning> {
    let mut lines = Vec::new();
    for variant in &scenario.variants {
        let links = Links::of(&variant.settings, &scenario.contents, builder);
        for run in runs.iter().filter(|run| run.key.variant == variant.name) {
            for (hop, goodput, most) in links.exceeded(run) {
                let (name, seed) = (&run.key.variant, run.key.seed);
                lines.push(format!("{name}, seed {seed}: {goodput:.3} Mbit/s over {hop}, at most {most:.3}"));
            }
        }
    }
    warning(
        "impossible-goodput",
        "Goodput is above the capacity of a link, which is a fault of Jettison",
        "report it with the scenario, and do not use these values",
        lines,
    )
}

fn warning(kind: &str, reason: &str, remedy: &str, concerns: Vec<String>) -> Option<Warning> {
    (!concerns.is_empty()).then(|| Warning {
        kind: kind.to_owned(),
        reason: reason.to_owned(),
        remedy: remedy.to_owned(),
        concerns,
    })
}

/// The links that flows cross, with the most that they can deliver in the measured time.
struct Links<'s> {
    /// Highest possible goodput in Mbit/s.
    most: BTreeMap<Hop<'s>, f64>,
    /// Path by name of the flow.
    paths: BTreeMap<String, Vec<Hop<'s>>>,
}

impl<'s> Links<'s> {
    fn of(settings: &'s Settings, contents: &Contents, builder: &Builder) -> Links<'s> {
        let mut links = Links { most: BTreeMap::new(), paths: BTreeMap::new() };
        let measured = settings.duration.saturating_sub(settings.warm_up).as_secs_f64();
        let begin = Time::ZERO + settings.warm_up.saturating_sub(BEHIND);
        for (name, flow) in &settings.flows {
            let Some(path) = settings.path(&flow.from, &flow.to) else { continue };
            for hop in &path {
                // A link whose model cannot be built, as its file has changed meanwhile, is not checked.
                let Ok(model) = builder.link_model(settings, contents, hop.link, hop.forward) else {
                    continue;
                };
                let capacity = model.capacity(begin, Time::ZERO + settings.duration).get() as f64 * 8.0;
                links.most.insert(*hop, (capacity + LARGEST_PACKET) / measured / 1e6);
            }
            for name in flow.names(name) {
                links.paths.insert(name, path.clone());
            }
        }
        links
    }

    /// The links over which the flows of a run would have got more than possible: the link's name, the sum of their goodput,
    /// and the most that is possible, in Mbit/s.
    fn exceeded(&self, run: &RunSummary) -> Vec<(String, f64, f64)> {
        let mut sums: BTreeMap<Hop<'_>, f64> = BTreeMap::new();
        for value in run.values.iter().filter(|value| value.metric == metrics::GOODPUT.name) {
            for hop in self.paths.get(&value.object).into_iter().flatten() {
                *sums.entry(*hop).or_default() += value.mean;
            }
        }
        let exceeds = |(hop, sum): (Hop<'_>, f64)| {
            let most = *self.most.get(&hop)?;
            (sum > most).then(|| (hop.name(), sum, most))
        };
        sums.into_iter().filter_map(exceeds).collect()
    }
}

#[cfg(test)]
mod tests {
    use jettison_report::{RunKey, RunValue};
    use jettison_scenario::{Changes, NoFiles};

    use super::*;

    const TEXT: &str = r#"name = "guard"
duration = "20 s"
warm_up = "10 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "1 Gbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "20 Mbit/s"
changes = [{ at = "15 s", rate = "10 Mbit/s" }]
[flows.f]
from = "a"
to = "b"
app = "bulk"
count = 2
[flows.up]
from = "b"
to = "a"
app = "bulk"
"#;

    fn scenario() -> Scenario {
        let registries = Builder::standard().registries();
        Scenario::parse(TEXT, "guard", &NoFiles, &Changes::default(), &registries)
            .unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn run(seed: u64, values: &[(&str, jettison_measure::Metric, f64)]) -> RunSummary {
        let value = |(object, metric, mean): &(&str, jettison_measure::Metric, f64)| RunValue {
            object: (*object).to_owned(),
            metric: metric.name.to_owned(),
            unit: metric.unit.to_owned(),
            part: String::new(),
            mean: *mean,
            percentiles: None,
        };
        let key = RunKey { variant: "default".to_owned(), seed };
        RunSummary::new(key, values.iter().map(value).collect())
    }

    #[test]
    fn goodput_is_held_to_the_links_that_the_flows_share() {
        let goodput = metrics::GOODPUT;
        // 15 Mbit/s on average, and two seconds of 20 Mbit/s that may have waited: 19 Mbit/s.
        let possible = run(1, &[("f.1", goodput, 9.0), ("f.2", goodput, 9.5), ("up", goodput, 18.0)]);
        assert_eq!(warnings(&scenario(), &Builder::standard(), std::slice::from_ref(&possible)), []);
        let impossible = run(2, &[("f.1", goodput, 9.0), ("f.2", goodput, 10.5)]);
        let [warning] = &warnings(&scenario(), &Builder::standard(), &[possible, impossible])[..] else {
            panic!("one warning")
        };
        assert_eq!(warning.kind, "impossible-goodput");
        assert_eq!(
            warning.concerns,
            ["default, seed 2: 19.500 Mbit/s over bottleneck.forward, at most 19.052"]
        );
    }

    #[test]
    fn transfers_that_did_not_finish_are_named() {
        let runs: Vec<RunSummary> =
            (1..=2).map(|seed| run(seed, &[("f.2", metrics::UNFINISHED, 1.0)])).collect();
        let [warning] = &warnings(&scenario(), &Builder::standard(), &runs)[..] else {
            panic!("one warning")
        };
        assert_eq!(warning.kind, "unfinished-transfer");
        assert_eq!(warning.concerns, ["default, seed 1: f.2", "default, seed 2: f.2"]);
    }
}
