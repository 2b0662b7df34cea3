//! Groups of flows: what tables and reports show in place of every single flow.
//!
//! A mean over flows of different kinds describes none of them. Flows of one entry of the scenario (`prague.1`, `prague.2`, …)
//! are one group; where that leaves too many groups, entries whose names differ in a number are (`client-1`, `client-2`), or
//! flows of one application and direction.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::columns::{Column, Statistic};
use crate::load::entry;
use crate::model::Mode;
use crate::samples::by_variant;
use crate::store::Results;

/// Maximum number of groups by name.
const MOST: usize = 8;

/// A group of flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowGroup {
    /// The name in tables: `prague.*`, the name of the only flow, or `bulk server→home`.
    pub name: String,
    /// The flows, in the order of the scenario.
    pub flows: Vec<String>,
}

/// The mean of a metric over the flows of a group, in the output of `run --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// Always `group`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Execution mode: `sim` or `live`.
    pub mode: Mode,
    /// Name of the variant.
    pub variant: String,
    /// Name of the group.
    pub object: String,
    /// Number of flows.
    pub flows: usize,
    /// Name of the metric with its part.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Mean over flows and seeds.
    pub mean: f64,
    /// 95 % confidence interval of the mean over seeds; null for n < 2.
    pub ci95: Option<[f64; 2]>,
    /// Number of seeds.
    pub n: usize,
}

/// Means over the flows of each group of several.
pub(crate) fn group_records(results: &Results) -> Vec<GroupRecord> {
    let experiment = &results.manifest.experiment;
    let groups: Vec<FlowGroup> =
        kinds_of_flows(results).into_iter().filter(|group| group.flows.len() > 1).collect();
    let mut out = Vec::new();
    for (variant, runs) in by_variant(&results.runs) {
        for FlowGroup { name, flows } in &groups {
            let members: HashSet<&str> = flows.iter().map(String::as_str).collect();
            let mut metrics: IndexMap<(&str, &str), &str> = IndexMap::new();
            for value in
                runs.iter().flat_map(|run| &run.values).filter(|v| members.contains(v.object.as_str()))
            {
                metrics.insert((&value.metric, &value.part), &value.unit);
            }
            for ((metric, part), unit) in metrics {
                let column = Column {
                    title: String::new(),
                    unit: unit.to_owned(),
                    subject: name.clone(),
                    objects: flows.clone(),
                    metric: metric.to_owned(),
                    part: part.to_owned(),
                    statistic: Statistic::Mean,
                };
                let Some(value) = column.of(&column.by_seed(runs.iter().copied())) else { continue };
                out.push(GroupRecord {
                    kind: "group".to_owned(),
                    scenario: experiment.name.clone(),
                    mode: experiment.mode,
                    variant: variant.to_owned(),
                    object: name.clone(),
                    flows: flows.len(),
                    metric: if part.is_empty() { metric.to_owned() } else { format!("{metric}:{part}") },
                    unit: unit.to_owned(),
                    mean: value.estimate.mean,
                    ci95: value.estimate.ci95,
                    n: value.estimate.n,
                });
            }
        }
    }
    out
}

/// What the effective configuration says of flows.
#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    flows: IndexMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    from: String,
    to: String,
    app: Application,
}

#[derive(Deserialize)]
struct Application {
    kind: String,
}

/// The groups of all flows; each flow is its own if the report is to show single flows.
pub fn flow_groups(results: &Results) -> Vec<FlowGroup> {
    match results.manifest.experiment.report.flows {
        true => flows_of(results).into_iter().map(alone).collect(),
        false => kinds_of_flows(results),
    }
}

/// The names of all flows.
fn flows_of(results: &Results) -> Vec<&str> {
    let objects = results.manifest.objects.iter().filter(|(_, table)| *table == "flows");
    objects.map(|(name, _)| name.as_str()).collect()
}

/// The groups of all flows, whatever tables show.
pub(crate) fn kinds_of_flows(results: &Results) -> Vec<FlowGroup> {
    let experiment = &results.manifest.experiment;
    let flows = flows_of(results);
    let mut by_entry: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for flow in &flows {
        by_entry.entry(entry(flow)).or_default().push(flow);
    }
    if by_entry.len() <= MOST {
        return by_entry.into_iter().map(|(entry, flows)| group(entry, flows)).collect();
    }
    let mut by_stem: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for flow in &flows {
        by_stem.entry(stem(entry(flow))).or_default().push(flow);
    }
    if by_stem.len() <= MOST {
        let named = |(stem, flows): (&str, Vec<&str>)| {
            let is_whole = flows.iter().all(|flow| entry(flow) == stem);
            if is_whole { group(stem, flows) } else { several(format!("{stem}*"), &flows) }
        };
        return by_stem.into_iter().map(named).collect();
    }
    // Imported results have no configuration, and those of other versions may have another.
    let known = toml::from_str(&experiment.configuration)
        .map_or_else(|_| IndexMap::new(), |c: Configuration| c.flows);
    let of = |flow: &str, with_direction: bool| match known.get(entry(flow)).or_else(|| known.get(flow)) {
        Some(entry) if with_direction => format!("{} {}→{}", entry.app.kind, entry.from, entry.to),
        Some(entry) => format!("{} flows", entry.app.kind),
        None => "other flows".to_owned(),
    };
    let grouped = |with_direction: bool| {
        let mut groups: IndexMap<String, Vec<String>> = IndexMap::new();
        for flow in &flows {
            groups.entry(of(flow, with_direction)).or_default().push((*flow).to_owned());
        }
        groups
    };
    let by_direction = grouped(true);
    let groups = if by_direction.len() <= MOST { by_direction } else { grouped(false) };
    groups.into_iter().map(|(name, flows)| FlowGroup { name, flows }).collect()
}

fn group(entry: &str, flows: Vec<&str>) -> FlowGroup {
    match flows.as_slice() {
        [only] => alone(only),
        flows => several(format!("{entry}.*"), flows),
    }
}

fn several(name: String, flows: &[&str]) -> FlowGroup {
    FlowGroup { name, flows: flows.iter().map(|flow| (*flow).to_owned()).collect() }
}

/// A name without the number at its end: `client-` of `client-12`.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.is_empty() { name } else { stem }
}

fn alone(flow: &str) -> FlowGroup {
    FlowGroup { name: flow.to_owned(), flows: vec![flow.to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn grouped(flows: &[&str], configuration: &str) -> Vec<(String, usize)> {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::stored(&folder.path().join("out"), &["codel"], 1);
        results.manifest.objects =
            flows.iter().map(|flow| ((*flow).to_owned(), "flows".to_owned())).collect();
        results.manifest.experiment.configuration = configuration.to_owned();
        let groups = flow_groups(&results).into_iter();
        groups.map(|group| (group.name, group.flows.len())).collect()
    }

    #[test]
    fn flows_of_one_entry_are_a_group() {
        let found = grouped(&["prague.1", "prague.2", "cubic.1", "cubic.2", "ping", "v.a"], "");
        let names = [("prague.*", 2), ("cubic.*", 2), ("ping", 1), ("v.a", 1)];
        assert_eq!(found, names.map(|(name, count)| (name.to_owned(), count)));
    }

    #[test]
    fn many_entries_are_grouped_by_their_names_without_numbers() {
        let names: Vec<String> = (1..=9).map(|n| format!("client-{n}")).chain(["web".to_owned()]).collect();
        let found = grouped(&names.iter().map(String::as_str).collect::<Vec<_>>(), "");
        assert_eq!(found, [("client-*".to_owned(), 9), ("web".to_owned(), 1)]);
        assert_eq!(
            grouped(&names[..2].iter().map(String::as_str).collect::<Vec<_>>(), "").len(),
            2,
            "few are shown"
        );
    }

    #[test]
    fn many_entries_are_grouped_by_application_and_direction() {
        let names: Vec<String> = (0..20).map(|n| format!("f{n}-flow")).collect();
        let flows: Vec<&str> = names.iter().map(String::as_str).collect();
        let of = |to: &dyn Fn(usize) -> String| -> String {
            let flow = |n: usize| {
                let app = if n < 5 { "ping" } else { "bulk" };
                format!("[flows.f{n}-flow]\nfrom = \"s\"\nto = \"{}\"\napp = {{ kind = \"{app}\" }}\n", to(n))
            };
            (0..20).map(flow).collect()
        };
        let found = grouped(&flows, &of(&|_| "home".to_owned()));
        let names = [("ping s→home", 5), ("bulk s→home", 15)];
        assert_eq!(found, names.map(|(name, count)| (name.to_owned(), count)));
        let found = grouped(&flows, &of(&|n| format!("home{n}")));
        let names = [("ping flows", 5), ("bulk flows", 15)];
        assert_eq!(found, names.map(|(name, count)| (name.to_owned(), count)));
        assert_eq!(grouped(&flows, ""), [("other flows".to_owned(), 20)], "without a configuration");
    }
}
