//! Evidence from the record of a run.

use std::fmt::Write;
use std::io;

use jettison_measure::{
    AccountRow, DropRecord, Kind, ObjectId, Outcome, QueueState, RunRecord, Spot, Unit, ViewerEvent,
};
use jettison_wire::FlowId;

use super::evidence::{Account, Decision, Event, Evidence, Part};

impl Evidence {
    /// The evidence in a run's record.
    ///
    /// # Errors
    /// If a temporary file of the record cannot be read.
    pub fn of_record(record: &RunRecord) -> io::Result<Evidence> {
        let events = events_of(record, &record.events);
        let mut accounts: Vec<Account> = Vec::new();
        for piece in record.accounts.pieces() {
            for AccountRow { unit, start, end, status, reason, part } in piece? {
                let is_same = |own: &Account| {
                    own.unit == nameless(unit)
                        && own.start == start
                        && own.flow == flow_name(record, unit.flow)
                };
                let part = Part {
                    component: part.component,
                    place: place(record, part.spot),
                    duration: part.duration,
                    decision: part.decision,
                };
                match accounts.last_mut().filter(|own| is_same(own)) {
                    Some(own) => own.parts.push(part),
                    None => accounts.push(Account {
                        flow: flow_name(record, unit.flow).to_owned(),
                        unit: nameless(unit),
                        start,
                        end,
                        status,
                        reason: reason.name().to_owned(),
                        parts: vec![part],
                    }),
                }
            }
        }
        let mut decisions = Vec::new();
        for decision in record.drops.iter() {
            let decision = decision?;
            if matches!(decision.outcome, Outcome::Kept(_) | Outcome::Unmarked(_)) {
                continue;
            }
            let identity = decision.identity.as_ref();
            let content = identity.and_then(|own| own.content);
            let state = identity.and_then(|own| own.queue.as_ref());
            decisions.push(Decision {
                id: decision.id,
                at: decision.time,
                queue: queue_name(record, decision.queue).to_owned(),
                flow: flow_name(record, decision.flow).to_owned(),
                outcome: decision.outcome.name().to_owned(),
                rule: decision.outcome.reason().to_owned(),
                packet: identity.map(|own| u64::from(own.packet)),
                unit: content.and_then(|own| own.unit).map(nameless),
                waited: identity.and_then(|own| own.waited).unwrap_or_default(),
                retransmission: content.is_some_and(|own| own.retransmission),
                backlog: state.map(|own| own.packets),
                holders: state.map(|own| holders(record, own)).unwrap_or_default(),
                gauges: state.map(gauges).unwrap_or_default(),
            });
        }
        Ok(Evidence::new(events, accounts, decisions))
    }
}

/// Events with their flows' names. Their ids are their places.
pub fn events_of(record: &RunRecord, events: &[ViewerEvent]) -> Vec<Event> {
    let event = |(id, own): (usize, &ViewerEvent)| Event {
        id: id as u64,
        flow: flow_name(record, own.flow).to_owned(),
        kind: own.kind,
        since: own.since,
        at: own.at,
        duration: own.duration,
        cost: own.cost,
        unit: own.unit.map(nameless),
    };
    events.iter().enumerate().map(event).collect()
}

fn nameless(unit: Unit) -> Unit {
    unit.of(FlowId::NONE)
}

fn flow_name(record: &RunRecord, flow: FlowId) -> &str {
    if flow == FlowId::NONE {
        return "";
    }
    record.name(ObjectId { kind: Kind::Flow, index: flow.0 })
}

fn queue_name(record: &RunRecord, queue: u32) -> &str {
    if queue == DropRecord::NO_QUEUE {
        return "";
    }
    record.name(ObjectId { kind: Kind::Queue, index: queue })
}

fn place(record: &RunRecord, spot: Spot) -> String {
    let end = |queue: u32, end: usize| record.ends.get(queue as usize).map_or("", |ends| &ends[end]);
    match spot {
        Spot::None => "",
        Spot::Queue(queue) => queue_name(record, queue),
        Spot::Sender(queue) => end(queue, 0),
        Spot::Receiver(queue) => end(queue, 1),
    }
    .to_owned()
}

fn holders(record: &RunRecord, state: &QueueState) -> String {
    let mut text = String::new();
    for (flow, packets) in &state.holders {
        let space = if text.is_empty() { "" } else { ", " };
        let name = match flow_name(record, *flow) {
            "" => "others",
            name => name,
        };
        let _ = write!(text, "{space}{name} {packets}");
    }
    if state.others > 0 {
        let _ = write!(text, ", others {}", state.others);
    }
    text
}

fn gauges(state: &QueueState) -> String {
    let mut text = String::new();
    for (key, value) in &state.gauges {
        let space = if text.is_empty() { "" } else { " " };
        let part = if key.part.is_empty() { String::new() } else { format!(".{}", key.part) };
        let _ = write!(text, "{space}{}{part}={value}", key.name);
    }
    text
}
