//! `jettison list reasons`, `metrics` and `gauges`: what the crates declare in one place.

use jettison_core::{DropReason, Duration, Gauge, MarkReason, RandomStream, Seed, Time};
use jettison_measure::metrics;
use jettison_messages::path::{PathContext, build_path_controller, path_controllers};
use jettison_queue::registry::{BuildContext, disciplines};
use jettison_switch::registry::port_queues;
use jettison_tcp::congestion::{ControllerContext, Growth, build_controller, controllers};
use serde::Serialize;
use serde_json::{Value, json};

use super::list::wrap;
use crate::output::{Failure, print, print_record, width};

/// A reason for which packets are dropped or marked.
#[derive(Debug, Serialize)]
struct Reason {
    id: &'static str,
    /// `drop` or `mark`.
    kind: &'static str,
    owner: &'static str,
    /// Of a drop: whether a flow has lost a packet. Of a mark: whether it is ECN's CE.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ce: Option<bool>,
    description: &'static str,
}

/// Lists the reasons of drops, then those of marks.
pub fn reasons(json: bool) -> Result<(), Failure> {
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
    for reason in drops.into_iter().chain(marks) {
        if json {
            print_record(&reason)?;
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

/// Lists the metrics that results may have.
pub fn metrics(json: bool) -> Result<(), Failure> {
    for declared in metrics::DECLARED {
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

/// Lists the gauges of all components: of queue disciplines, then of controllers.
pub fn gauges(json: bool) -> Result<(), Failure> {
    let mut listed: Vec<GaugeRecord> = Vec::new();
    let mut add = |owner: &'static str, reported: Vec<(Gauge, String, f64)>| {
        for (Gauge { name: id, unit, description }, ..) in reported {
            // Controllers of TCP stand among those of the message transport, too.
            if !listed.iter().any(|known| known.id == id) {
                listed.push(GaugeRecord { id, unit, owner, description });
            }
        }
    };
    reports(&mut add);
    for gauge in listed {
        if json {
            print_record(&gauge)?;
        } else {
            let head = format!("{}  {} of {}", gauge.id, gauge.unit, gauge.owner);
            print(format_args!("{head}\n{}", indented(gauge.description)))?;
        }
    }
    Ok(())
}

/// What each component reports that can be built with its defaults alone.
fn reports(add: &mut dyn FnMut(&'static str, Vec<(Gauge, String, f64)>)) {
    const SEGMENT: u64 = 1448;
    let defaults = json!({});
    let random = |name: &str| -> RandomStream { Seed(0).stream(&["list", name]) };
    let registry = disciplines();
    let context = BuildContext { random: &random, registry: &registry };
    for entry in registry.iter() {
        let mut reported = Vec::new();
        if let Ok(queue) = (entry.build)(&defaults, &context) {
            queue.gauges(Time::ZERO, &mut reported);
        }
        add(entry.id, reported);
    }
    for entry in port_queues().iter() {
        let mut reported = Vec::new();
        if let Ok(queue) = (entry.build)(&defaults, &context) {
            queue.hooks.gauges(Time::ZERO, &mut reported);
        }
        add(entry.id, reported);
    }
    let tcp = ControllerContext {
        mss: SEGMENT,
        initial_window: 10 * SEGMENT,
        growth: Growth::PerByte,
        hystart: None,
        paced: false,
        random: None,
    };
    for id in controllers().iter().map(jettison_core::Catalogue::id) {
        let mut reported = Vec::new();
        if let Ok(controller) = build_controller(id, &defaults, &tcp) {
            controller.gauges(Time::ZERO, &mut reported);
        }
        add(id, reported);
    }
    let files = |name: &str| Err(format!("`{name}` is not read here"));
    let path = PathContext {
        packet: SEGMENT,
        initial_window: 10 * SEGMENT,
        initial_rtt: Duration::from_millis(100),
        random: None,
        files: &files,
    };
    for id in path_controllers().iter().map(jettison_core::Catalogue::id) {
        let mut reported = Vec::new();
        if let Ok(controller) = build_path_controller(id, &Value::Object(Default::default()), &path) {
            controller.gauges(Time::ZERO, &mut reported);
        }
        add(id, reported);
    }
}

/// A description below its heading.
fn indented(text: &str) -> String {
    let indent = 6;
    let lines = wrap(text, width().saturating_sub(indent));
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}
