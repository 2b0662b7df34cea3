//! `jettison list reasons`, `metrics` and `gauges`: the crates' declarations.

use jettison_core::{DropReason, Gauge, MarkReason};
use jettison_measure::metrics;
use jettison_run::Preset;
use jettison_scenario::build::Builder;
use serde::Serialize;

use super::list::{names_by, unknown, wrap};
use crate::output::{Failure, print, print_record, width};

/// A reason for drops or marks.
#[derive(Debug, Serialize)]
struct Reason {
    id: &'static str,
    /// `drop` or `mark`.
    kind: &'static str,
    owner: &'static str,
    /// Drops only: whether the flow loses a packet. Marks only: whether the mark is ECN CE.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ce: Option<bool>,
    description: &'static str,
}

/// Lists the reasons for drops, then those for marks.
pub fn reasons(id: Option<&str>, is_all: bool, json: bool) -> Result<(), Failure> {
    let drops = DropReason::ALL.map(|reason| Reason {
        id: reason.name(),
        kind: "drop",
        owner: reason.owner(),
        loss: Some(reason.is_loss()),
        ce: None,
        description: reason.description(),
    });
    let marks = MarkReason::ALL.map(|reason| Reason {
        id: reason.name(),
        kind: "mark",
        owner: reason.owner(),
        loss: None,
        ce: Some(reason.is_ce()),
        description: reason.description(),
    });
    let all: Vec<Reason> = drops.into_iter().chain(marks).collect();
    if id.is_none() && !is_all && !json {
        let heading = |reason: &Reason| if reason.kind == "drop" { "drops" } else { "marks" };
        return print(
            names_by(all.iter().map(|reason| (heading(reason), reason.id))) + &detail("reasons", all[0].id),
        );
    }
    for reason in chosen(&all, id, |reason| reason.id)? {
        if json {
            print_record(reason)?;
            continue;
        }
        let note = match (reason.loss, reason.ce) {
            (Some(false), _) => ", no loss",
            (_, Some(false)) => ", not CE",
            _ => "",
        };
        let head = format!("{}  {} by {}{note}", reason.id, reason.kind, reason.owner);
        print(format_args!("{head}\n{}", indented(reason.description)))?;
    }
    Ok(())
}

/// A metric of queues, flows, switches or the machine.
#[derive(Debug, Serialize)]
struct MetricRecord {
    id: &'static str,
    unit: &'static str,
    owner: &'static str,
    kept: Vec<&'static str>,
    description: &'static str,
}

/// Lists the metrics in results.
pub fn metrics(id: Option<&str>, is_all: bool, json: bool) -> Result<(), Failure> {
    let all: Vec<_> = metrics::DECLARED.iter().collect();
    if id.is_none() && !is_all && !json {
        let names = all.iter().map(|declared| (declared.owner.name(), declared.metric.name));
        return print(names_by(names) + &detail("metrics", "sojourn"));
    }
    for declared in chosen(&all, id, |declared| declared.metric.name)? {
        let record = MetricRecord {
            id: declared.metric.name,
            unit: declared.metric.unit,
            owner: declared.owner.name(),
            kept: declared.kept.iter().map(|kept| kept.name()).collect(),
            description: declared.description,
        };
        if json {
            print_record(&record)?;
            continue;
        }
        let MetricRecord { id, unit, owner, kept, description } = record;
        let head = format!("{id}  {unit} of {owner}: {}", kept.join(", "));
        print(format_args!("{head}\n{}", indented(description)))?;
    }
    Ok(())
}

/// A gauge of a component.
#[derive(Debug, Serialize)]
struct GaugeRecord {
    id: &'static str,
    unit: &'static str,
    owner: &'static str,
    description: &'static str,
}

/// Lists the gauges of all components: queue disciplines first, then controllers.
pub fn gauges(id: Option<&str>, is_all: bool, json: bool) -> Result<(), Failure> {
    let mut listed: Vec<GaugeRecord> = Vec::new();
    for entry in Builder::standard().catalogue() {
        for Gauge { name: id, unit, description } in entry.gauges {
            // Controllers of TCP are also listed for the message transport.
            if !listed.iter().any(|known| known.id == *id) {
                listed.push(GaugeRecord { id, unit, owner: entry.id, description });
            }
        }
    }
    if id.is_none() && !is_all && !json {
        let names = listed.iter().map(|gauge| (gauge.owner, gauge.id));
        let first = listed.first().map_or("", |gauge| gauge.id);
        return print(names_by(names) + &detail("gauges", first));
    }
    for gauge in chosen(&listed, id, |gauge| gauge.id)? {
        if json {
            print_record(gauge)?;
        } else {
            let head = format!("{}  {} of {}", gauge.id, gauge.unit, gauge.owner);
            print(format_args!("{head}\n{}", indented(gauge.description)))?;
        }
    }
    Ok(())
}

/// A preset.
#[derive(Debug, Serialize)]
struct PresetRecord {
    id: &'static str,
    summary: &'static str,
    text: &'static str,
}

/// Lists the presets; of one, prints the text, to save and change it.
pub fn presets(id: Option<&str>, json: bool) -> Result<(), Failure> {
    let all: Vec<PresetRecord> = Preset::all()
        .into_iter()
        .map(|preset| PresetRecord { id: preset.name, summary: preset.summary(), text: preset.text })
        .collect();
    let longest = all.iter().map(|preset| preset.id.len()).max().unwrap_or(0);
    for preset in chosen(&all, id, |preset| preset.id)? {
        match (json, id) {
            (true, _) => print_record(preset)?,
            (false, Some(_)) => print(preset.text)?,
            (false, None) => print(format_args!("{:<longest$}  {}\n", preset.id, preset.summary))?,
        }
    }
    Ok(())
}

/// How to see more than names.
fn detail(what: &str, id: &str) -> String {
    format!("\n`jettison list {what} {id}` describes one, `--all` all.\n")
}

/// All, or the one of that id.
fn chosen<'a, T>(
    all: &'a [T],
    id: Option<&'a str>,
    id_of: fn(&T) -> &'static str,
) -> Result<impl Iterator<Item = &'a T>, Failure> {
    match id.filter(|id| !all.iter().any(|one| id_of(one) == *id)) {
        Some(id) => Err(unknown(id, all.iter().map(id_of))),
        None => Ok(all.iter().filter(move |one| id.is_none_or(|id| id_of(one) == id))),
    }
}

/// A description, wrapped and indented below its heading.
fn indented(text: &str) -> String {
    let indent = 6;
    let lines = wrap(text, width().saturating_sub(indent));
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}
