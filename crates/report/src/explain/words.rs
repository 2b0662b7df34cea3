//! Explanations in words.

use jettison_core::{Duration, Time};
use jettison_measure::{Component, EventKind, Unit, UnitKind};

use super::cause::{Cause, CauseKind};
use super::chain::{ChainPart, Explanation, Member};
use super::evidence::Event;

/// Result of a counterfactual check: what remains of an event's cost without what its chain names.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// Not checked.
    None,
    /// So much of the cost remains.
    Left {
        /// Cost without all of the named causes, in seconds.
        all: f64,
        /// Cost without each cause alone, by its place in the chain.
        each: Vec<(usize, f64)>,
    },
    /// The chain names nothing that a run could do without.
    Nothing,
    /// It could not be checked.
    Failed(String),
}

impl Check {
    /// The check of a live run's chain.
    pub fn live() -> Check {
        Check::Failed("a live run cannot be repeated".to_owned())
    }

    /// Share of the cost that must be gone for an event to count as shortened. Our choice: a tenth is more than rounding.
    pub const LEAST: f64 = 0.1;

    /// Whether the chain is confirmed: the event is gone or shorter; `None` if it was not checked.
    pub fn is_confirmed(&self, event: &Event) -> Option<bool> {
        match self {
            Check::Left { all, .. } => Some(*all <= (1.0 - Check::LEAST) * event.cost),
            Check::Nothing => Some(false),
            Check::None | Check::Failed(_) => None,
        }
    }
}

/// How many events of which kinds at which cost, in one line.
pub fn overview(events: &[Event]) -> String {
    let counts = EventKind::ALL.into_iter().filter_map(|kind| {
        let own: Vec<&Event> = events.iter().filter(|event| event.kind == kind).collect();
        let cost: f64 = own.iter().map(|event| event.cost).sum();
        let name = nouns(kind)[usize::from(own.len() != 1)];
        (!own.is_empty()).then(|| format!("{} {name} ({})", own.len(), seconds(cost)))
    });
    let counts: Vec<String> = counts.collect();
    let viewers: std::collections::BTreeSet<&str> = events.iter().map(|event| event.flow.as_str()).collect();
    let viewers =
        if viewers.len() == 1 { "1 viewer".to_owned() } else { format!("{} viewers", viewers.len()) };
    match counts.as_slice() {
        [] => "no events".to_owned(),
        counts => format!("{} of {viewers}", counts.join(", ")),
    }
}

/// The name of one event and of several.
fn nouns(kind: EventKind) -> [&'static str; 2] {
    match kind {
        EventKind::Stall => ["stall", "stalls"],
        EventKind::Freeze => ["freeze", "freezes"],
        EventKind::LateFrame => ["run of late frames", "runs of late frames"],
        EventKind::SkippedFrame => ["run of skipped frames", "runs of skipped frames"],
        EventKind::MissingLayers => ["run of frames without all layers", "runs of frames without all layers"],
        EventKind::SwitchDown => ["switch down", "switches down"],
        EventKind::Abandoned => ["abandoned request", "abandoned requests"],
        EventKind::LongStart => ["long start", "long starts"],
        EventKind::LateSample => ["run of late samples", "runs of late samples"],
        EventKind::SlowPage => ["slow page", "slow pages"],
    }
}

/// One line about an event.
pub fn event_line(event: &Event) -> String {
    let Event { id, flow, kind, at, duration, cost, unit, .. } = event;
    let what = match kind {
        EventKind::LateFrame => "late frames",
        EventKind::SkippedFrame => "skipped frames",
        EventKind::MissingLayers => "frames without all layers",
        EventKind::LateSample => "late samples",
        other => nouns(*other)[0],
    };
    let waited = match (unit, kind) {
        (None, _) => String::new(),
        (Some(unit), EventKind::Stall | EventKind::LongStart) => {
            format!("; it waited for {}", unit_name(*unit))
        }
        (Some(unit), EventKind::SwitchDown | EventKind::Abandoned | EventKind::SlowPage) => {
            format!(": {}", unit_name(*unit))
        }
        (Some(unit), _) => format!(", from {} on", unit_name(*unit)),
    };
    format!(
        "event {id}: {what} of `{flow}` at {} for {} (cost {}){waited}",
        instant(*at),
        seconds(duration.as_secs_f64()),
        seconds(*cost)
    )
}

/// The chain of an event, line by line: units, the transport's reasons, and what is behind them. `check` is the verdict of a
/// counterfactual.
pub fn told(explanation: &Explanation, check: &Check) -> Vec<String> {
    let mut lines = vec![event_line(&explanation.event)];
    let mut push = |line: String| lines.push(format!("  <- {line}"));
    if let Some(line) = units(explanation) {
        push(line);
    }
    if let Some(line) = reasons(explanation) {
        push(line);
    }
    let is_refuted = check.is_confirmed(&explanation.event) == Some(false);
    for cause in &explanation.causes {
        push(told_cause(cause));
        if let Some(state) = told_state(cause, &explanation.event.flow) {
            push(state);
        }
    }
    if let Some(line) = verdict(explanation, check) {
        lines.push(format!("  {line}"));
    }
    if is_refuted && explanation.causes.is_empty() {
        lines.push("  other: the tables name no cause".to_owned());
    }
    lines
}

fn units(explanation: &Explanation) -> Option<String> {
    let members = &explanation.members;
    let (first, last) = (members.first()?, members.last()?);
    let shown = |own: &Member| {
        let fate = match (own.status, own.reason.as_str()) {
            ("shown", _) => format!("took {}", seconds(own.took.as_secs_f64())),
            (_, "") => format!("is {}", own.status),
            (status, reason) => {
                format!("{} ({reason})", if status == "never" { "never came" } else { status })
            }
        };
        format!("{} {fate}", unit_name(own.unit))
    };
    Some(match explanation.count {
        1 => shown(first),
        2 => format!("{}, {}", shown(first), shown(last)),
        count => {
            let worst = members.iter().max_by_key(|own| (own.status != "shown", own.took))?;
            format!(
                "{count} units from {} to {}; the worst: {}",
                unit_name(first.unit),
                unit_name(last.unit),
                shown(worst)
            )
        }
    })
}

fn reasons(explanation: &Explanation) -> Option<String> {
    let total: u64 = explanation.parts.iter().map(|part| part.excess.as_nanos()).sum();
    let named = explanation.parts.iter().take(4).filter(|part| part.excess.as_nanos() * 20 >= total);
    let named: Vec<String> = named
        .map(|ChainPart { component, place, excess }| {
            let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
            format!("{}{place} {}", component_name(component), seconds(excess.as_secs_f64()))
        })
        .collect();
    let than =
        if explanation.is_usual { "as is usual for this flow" } else { "more than its units usually take" };
    (!named.is_empty()).then(|| format!("{} {than}: {}", seconds(total as f64 / 1e9), named.join(", ")))
}

fn told_cause(cause: &Cause) -> String {
    // A share of the time, not of the effect: either of two causes may be enough.
    let share = format!("{:.0} % of that time", 100.0 * cause.share);
    let span = if cause.to.since(cause.from) < Duration::from_micros(1) {
        format!("at {}", instant(cause.from))
    } else {
        format!("from {} to {}", instant(cause.from), instant(cause.to))
    };
    let place = &cause.place;
    match cause.kind {
        CauseKind::Drops => {
            // The span is that of the waiting, not of the drops behind it.
            let rules: Vec<String> =
                cause.rules.iter().take(3).map(|(rule, count)| format!("{count} by {rule}")).collect();
            let rules = rules.join(", ").replace("by mark by", "marks by");
            let ids: Vec<String> = cause.decisions.iter().take(4).map(u64::to_string).collect();
            let more = if cause.decisions.len() > ids.len() { ", ..." } else { "" };
            let where_ = if place.is_empty() { "outside queues".to_owned() } else { format!("at {place}") };
            let small = if cause.is_share { "its share of the link was too small: " } else { "" };
            format!(
                "{share} ({span}): {small}{} of its packets dropped or marked {where_}: {rules} (ids {}{more}){}",
                cause.decisions.len(),
                ids.join(", "),
                unseen(cause)
            )
        }
        CauseKind::Waits => format!("{share}: waits in {place} {span}{}", unseen(cause)),
        CauseKind::Unseen if place.is_empty() => format!("{share}: not seen, {span}"),
        CauseKind::Unseen => format!("{share}: not seen: in the kernel of {place} {span}"),
        CauseKind::Link => {
            let what = cause.components.first().map_or("link", |(name, _)| component_name(name));
            format!("{share}: {what} at {place} {span}")
        }
        CauseKind::Sender => {
            let what = cause.components.first().map_or("sender", |(name, _)| component_name(name));
            let reason = &cause.reason;
            match (reason.as_str(), place.as_str()) {
                ("", "") => format!("{share}: the sender ({what}) {span}"),
                ("", place) => format!("{share}: {what} at {place} {span}"),
                (reason, _) => format!("{share}: the sender did not send them ({reason}) {span}"),
            }
        }
        CauseKind::Losses => format!("{share}: losses without a drop in a queue, {span}"),
    }
}

/// The part of a cause that no one saw, if it is a tenth or more: what happened meanwhile is taken to be behind it.
fn unseen(cause: &Cause) -> String {
    let is_named = |excess: &Duration| 10 * excess.as_nanos() >= cause.excess.as_nanos();
    let mut components = cause.components.iter();
    let own = components.find(|(name, excess)| name == Component::Unseen.name() && is_named(excess));
    own.map_or(String::new(), |(_, excess)| {
        format!("; {} of it passed unseen in a host's kernel meanwhile", seconds(excess.as_secs_f64()))
    })
}

fn told_state(cause: &Cause, flow: &str) -> Option<String> {
    let state = cause.state.as_ref()?;
    let mut told = Vec::new();
    if let Some(backlog) = state.backlog {
        told.push(format!("{backlog} packets waited"));
    }
    if !state.holders.is_empty() {
        told.push(format!("held by {}", state.holders));
    }
    if cause.is_own(flow) == Some(true) {
        told.push("mostly its own: more than the link took".to_owned());
    }
    if !state.gauges.is_empty() {
        let gauges: Vec<&str> = state.gauges.split_whitespace().take(4).collect();
        told.push(gauges.join(" "));
    }
    let by = state.decision.map_or(String::new(), |id| format!(" (decision {id})"));
    (!told.is_empty()).then(|| format!("at {}{by}: {}", instant(state.at), told.join(", ")))
}

fn verdict(explanation: &Explanation, check: &Check) -> Option<String> {
    let event = &explanation.event;
    Some(match check {
        Check::None => return None,
        Check::Failed(reason) => format!("not checked: {reason}"),
        Check::Nothing => format!(
            "other: the chain names no drop and no wait that a run could do without (100 % of {})",
            seconds(event.cost)
        ),
        Check::Left { all, each } => {
            let is_confirmed = check.is_confirmed(event) == Some(true);
            let share = 100.0 * all / event.cost.max(1e-12);
            let alone: Vec<String> = each
                .iter()
                .filter_map(|(place, left)| {
                    let cause = explanation.causes.get(*place)?;
                    let (kind, place) = (cause.kind.name(), &cause.place);
                    Some(format!("without the {kind} at {place} {}", seconds(*left)))
                })
                .collect();
            let alone = match alone.len() > 1 {
                true => format!("; taken back alone: {} is left", alone.join(", ")),
                false => String::new(),
            };
            match is_confirmed {
                true if *all <= 1e-9 => format!("confirmed: without these, the event is gone{alone}"),
                true => format!(
                    "confirmed: without these, {} of {} is left{alone}",
                    seconds(*all),
                    seconds(event.cost)
                ),
                false => format!(
                    "other: without these, {} of {} is left ({share:.0} %), so something else caused it{alone}",
                    seconds(*all),
                    seconds(event.cost)
                ),
            }
        }
    })
}

/// A unit by its name: `segment 9 (representation 3)`.
pub(super) fn unit_name(unit: Unit) -> String {
    const AUDIO: u32 = 1 << 16;
    let Unit { kind, part, .. } = unit;
    let (number, session) = match unit.session() {
        0 => (unit.number, String::new()),
        session => (unit.number & 0xffff_ffff, format!(" of session {session}")),
    };
    match kind {
        UnitKind::Segment if number == 0 => format!("an initialization segment{session}"),
        UnitKind::Segment if part >= AUDIO => format!("audio segment {number}{session}"),
        UnitKind::Segment => format!("segment {number} (representation {part}){session}"),
        UnitKind::Manifest => format!("the manifest{session}"),
        UnitKind::Message => {
            let (layer, cell) = (part & 0xff, part >> 8);
            let cell = if cell > 0 { format!(", cell {cell}") } else { String::new() };
            format!("frame {number} layer {layer}{cell}")
        }
        UnitKind::Object if part == 0 => format!("the document of page {number}"),
        UnitKind::Object => format!("object {part} of page {number}"),
        kind => format!("{} {number}", kind.name()),
    }
}

/// A component's name in words.
fn component_name(name: &str) -> &str {
    match Component::from_name(name) {
        Some(Component::Queue) => "waiting in the queue",
        Some(Component::Window) => "a full congestion window",
        Some(Component::ReceiveWindow) => "a full receive window",
        Some(Component::HeadOfLine) => "waiting behind a gap",
        Some(Component::RetransmissionFast) => "fast retransmission",
        Some(Component::RetransmissionRack) => "retransmission by RACK",
        Some(Component::RetransmissionProbe) => "a tail loss probe",
        Some(Component::RetransmissionTimeout) => "a retransmission timeout",
        Some(Component::Application) => "the sending application",
        Some(Component::Device) => "the sender's device",
        Some(Component::Retransmission) => "waiting to be sent again",
        Some(Component::Unseen) => "not seen",
        Some(Component::Attempt) => "a failed attempt",
        Some(Component::Reassembly) => "missing packets",
        Some(Component::Dependency) => "missing references",
        _ => name,
    }
}

pub(super) fn seconds(value: f64) -> String {
    match value {
        value if value >= 1.0 => format!("{value:.2} s"),
        value if value >= 1e-3 => format!("{:.1} ms", 1e3 * value),
        value if value > 0.0 => format!("{:.0} µs", 1e6 * value),
        _ => "0 s".to_owned(),
    }
}

pub(super) fn instant(at: Time) -> String {
    format!("{:.3} s", at.as_nanos() as f64 / 1e9)
}
