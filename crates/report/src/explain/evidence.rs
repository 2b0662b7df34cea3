//! What is known of one run: viewers' events, accounts of delays, decisions of queues.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_measure::{Component, EventKind, Status, Unit};

/// A viewer's event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its number in the run.
    pub id: u64,
    /// Name of the flow.
    pub flow: String,
    /// Kind.
    pub kind: EventKind,
    /// From when on its causes are looked for.
    pub since: Time,
    /// Its beginning.
    pub at: Time,
    /// Its duration.
    pub duration: Duration,
    /// Cost in seconds of viewing.
    pub cost: f64,
    /// What the viewer waited for; its flow is not set.
    pub unit: Option<Unit>,
}

impl Event {
    /// Whether it began after the warm-up, which metrics leave out.
    pub fn is_after(&self, warm_up: Duration) -> bool {
        self.at >= Time::ZERO + warm_up
    }

    /// Whether it is one of the pictures of a real-time video.
    pub fn is_of_frames(&self) -> bool {
        matches!(
            self.kind,
            EventKind::Freeze | EventKind::LateFrame | EventKind::SkippedFrame | EventKind::MissingLayers
        )
    }

    /// Its end.
    pub fn end(&self) -> Time {
        self.at.saturating_add(self.duration)
    }
}

/// A part of a unit's delay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What the unit waited for.
    pub component: Component,
    /// Queue or node; empty for none.
    pub place: String,
    /// How long.
    pub duration: Duration,
    /// The drop or mark that caused it.
    pub decision: Option<u64>,
}

/// The delay of a unit, part by part in the order of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Name of the flow.
    pub flow: String,
    /// The unit; its flow is not set.
    pub unit: Unit,
    /// Beginning and end of the delay.
    pub start: Time,
    /// End of the delay.
    pub end: Time,
    /// What became of it.
    pub status: Status,
    /// Why it was late or never came; empty for none.
    pub reason: String,
    /// The parts.
    pub parts: Vec<Part>,
}

impl Account {
    /// When the unit was there, before it waited to be played.
    pub fn arrived(&self) -> Time {
        let waited = self.parts.iter().rev().take_while(|part| part.component == Component::Playout);
        let waited: u64 = waited.map(|part| part.duration.as_nanos()).sum();
        Time::from_nanos(self.end.as_nanos().saturating_sub(waited))
    }

    /// The parts with the instants at which they begin.
    pub fn spans(&self) -> impl Iterator<Item = (Time, &Part)> {
        self.parts.iter().scan(self.start, |at, part| {
            let from = *at;
            *at = at.saturating_add(part.duration);
            Some((from, part))
        })
    }
}

/// A drop or mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Its number in the run.
    pub id: u64,
    /// When.
    pub at: Time,
    /// The queue; empty outside queues.
    pub queue: String,
    /// The flow of the packet.
    pub flow: String,
    /// `drop`, `evict` or `mark`.
    pub outcome: String,
    /// The rule that fired.
    pub rule: String,
    /// Id of the packet, if known.
    pub packet: Option<u64>,
    /// What it carried, if known; its flow is not set.
    pub unit: Option<Unit>,
    /// Time that it had waited in the queue, if known; zero for a packet that was arriving.
    pub waited: Duration,
    /// Whether it carried bytes for the second time.
    pub retransmission: bool,
    /// Packets that waited, if known.
    pub backlog: Option<u64>,
    /// Whose packets waited: `bulk 41, video 3`.
    pub holders: String,
    /// State of the discipline: `name=value` list.
    pub gauges: String,
}

/// What is known of one run.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Events in the order of their ids.
    pub events: Vec<Event>,
    accounts: BTreeMap<String, Vec<Account>>,
    decisions: Vec<Decision>,
}

impl Decision {
    /// When the packet came to the queue.
    pub fn came(&self) -> Time {
        Time::from_nanos(self.at.as_nanos().saturating_sub(self.waited.as_nanos()))
    }
}

impl Evidence {
    /// Evidence of a run.
    pub fn new(events: Vec<Event>, accounts: Vec<Account>, mut decisions: Vec<Decision>) -> Evidence {
        let mut of_flows: BTreeMap<String, Vec<Account>> = BTreeMap::new();
        for account in accounts {
            of_flows.entry(account.flow.clone()).or_default().push(account);
        }
        for accounts in of_flows.values_mut() {
            accounts.sort_by_key(|account| (account.start, account.unit));
        }
        decisions.sort_by_key(|decision| decision.id);
        Evidence { events, accounts: of_flows, decisions }
    }

    /// Accounts of a flow's units, by their beginnings.
    pub fn accounts(&self, flow: &str) -> &[Account] {
        self.accounts.get(flow).map_or(&[], Vec::as_slice)
    }

    /// A decision by its number.
    pub fn decision(&self, id: u64) -> Option<&Decision> {
        let place = self.decisions.binary_search_by_key(&id, |decision| decision.id).ok()?;
        self.decisions.get(place)
    }

    /// Decisions in a span of time, both ends included.
    pub fn decisions(&self, from: Time, to: Time) -> impl Iterator<Item = &Decision> {
        let first = self.decisions.partition_point(|decision| decision.at < from);
        self.decisions[first..].iter().take_while(move |decision| decision.at <= to)
    }

    /// The decision at a queue that is next to an instant, at most `within` away.
    pub fn nearest(&self, queue: &str, at: Time, within: Duration) -> Option<&Decision> {
        let from = Time::from_nanos(at.as_nanos().saturating_sub(within.as_nanos()));
        let near = self.decisions(from, at.saturating_add(within));
        let near = near.filter(|decision| decision.queue == queue && !decision.holders.is_empty());
        near.min_by_key(|decision| decision.at.as_nanos().abs_diff(at.as_nanos()))
    }
}
