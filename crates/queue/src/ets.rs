//! `ets`: enhanced transmission selection. Some bands have strict priority, the others share what these leave by deficit
//! round robin.
//!
//! A sharing band that becomes active joins the end of the list of active bands with a deficit of one quantum. The band at the
//! head of the list sends as long as its next packet is not larger than its deficit; otherwise the deficit grows by a quantum
//! and the band goes to the end. A band that is emptied leaves the list and forfeits the rest of its deficit.
//!
//! Without strict bands it is deficit round robin among classes, [`drr`](crate::drr).
//!
//! Reference: tc-ets(8); tc-drr(8); Shreedhar & Varghese, *Efficient Fair Queuing using Deficit Round Robin*, SIGCOMM 1995;
//! IEEE 802.1Qaz. Units: `quanta` in bytes of IP length.

use std::collections::{BTreeMap, VecDeque};

use jettison_core::{Bytes, DropReason, Gauge, Gauges, PartOf, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::DashDot, ROSE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::peeked::Peeked;
use crate::priority::qdisc::by_dscp as in_linux_by_dscp;
use crate::priority::{Bands, by_dscp};
use crate::{Backlog, Dscp, InLinux, Limit, Qdisc, QdiscContext, QueueChange, QueueDiscipline};

/// Gauges of the internal state, besides those of the bands' disciplines. Each band is a part: `band.0`, `band.1`, ….
pub(crate) const GAUGES: &[Gauge] = &[BACKLOG, DEFICIT];

const BACKLOG: Gauge = Gauge::new("ets_backlog", "packets", "Packets in each band (the part).");
const DEFICIT: Gauge = Gauge::new(
    "ets_deficit",
    "bytes",
    "Bytes that a sharing band (the part) may still send in its turn; 0 without a backlog.",
);

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("ets", "ETS", build)
        .style(ROSE, DashDot)
        .summary("Strict bands first; the other bands share what is left by deficit round robin (DRR)")
        .source("tc-ets(8); Shreedhar & Varghese 1995")
        .page("disciplines/ets.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of enhanced transmission selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EtsParameters {
    /// The bands, strict ones first: a number of tail-drop bands, or a list of disciplines, each an id or a table with its
    /// `kind`.
    pub bands: Bands,
    /// Number of strict bands.
    pub strict: u16,
    /// Bytes that each sharing band sends in its turn, in the order of the bands. Bands beyond the list have 1,500 bytes.
    pub quanta: Vec<Bytes>,
    /// Band by DSCP, such as `{ EF = 0, AF41 = 1 }`. Unset: by the traffic class that the switch assigned.
    pub dscp: Option<BTreeMap<Dscp, u8>>,
    /// Band of DSCPs that `dscp` does not list. Unset: the last band.
    pub other: Option<u8>,
    /// Limit of all bands together, in addition to those of the bands.
    pub limit: Limit,
}

impl Default for EtsParameters {
    fn default() -> EtsParameters {
        EtsParameters {
            bands: Bands::Count(3),
            strict: 0,
            quanta: Vec::new(),
            dscp: None,
            other: None,
            limit: Limit::UNLIMITED,
        }
    }
}

/// An Ethernet MTU.
const QUANTUM: Bytes = Bytes::new(1500);
const MAX_QUANTUM: u64 = 1_000_000_000;

impl EtsParameters {
    /// The quanta of the sharing bands.
    ///
    /// # Errors
    /// If there are more strict bands and quanta than bands, or a quantum is out of range.
    pub(crate) fn shares(&self, bands: usize) -> Result<Vec<u64>, ParameterError> {
        let strict = usize::from(self.strict);
        ParameterError::require(strict <= bands, "strict", &format!("be at most `bands` ({bands})"), strict)?;
        let sharing = bands - strict;
        ParameterError::unless(self.quanta.len() <= sharing, "quanta", || {
            format!("must have one value for each sharing band ({sharing}), got {}", self.quanta.len())
        })?;
        for (number, quantum) in self.quanta.iter().enumerate() {
            let in_range = (1..=MAX_QUANTUM).contains(&quantum.get());
            ParameterError::require(in_range, &number.to_string(), "be in [1 byte, 1 GB]", quantum)
                .map_err(|error| error.under("quanta"))?;
        }
        Ok((0..sharing).map(|number| self.quanta.get(number).unwrap_or(&QUANTUM).get()).collect())
    }
}

pub(crate) fn build(
    parameters: EtsParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let mut strict = parameters.bands.clone().build(context)?;
    let quanta = parameters.shares(strict.len())?;
    let by_dscp = by_dscp(parameters.dscp.as_ref(), parameters.other, strict.len())?;
    let queues = strict.split_off(strict.len() - quanta.len());
    let sharing = queues
        .into_iter()
        .zip(quanta)
        .map(|(queue, quantum)| Sharing { queue: Peeked::new(queue), quantum, deficit: 0, is_active: false })
        .collect();
    Ok(Box::new(Ets {
        by_dscp,
        limit: parameters.limit,
        strict,
        sharing,
        active: VecDeque::with_capacity(256),
    }))
}

/// Linux's `ets`: tc-ets(8).
pub(crate) fn qdisc(parameters: EtsParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let count = parameters.bands.values().len();
    let quanta = parameters.shares(count)?;
    let mut qdisc = Qdisc::new("ets")
        .option("bands", count)
        .note_if(parameters.limit != Limit::UNLIMITED, "limit: Linux's ets has none for all bands together");
    if parameters.strict > 0 {
        qdisc = qdisc.option("strict", parameters.strict);
    }
    if !quanta.is_empty() {
        qdisc = qdisc.word("quanta");
        // The same number of packets of the largest size: Linux counts their headers.
        qdisc.options.extend(quanta.iter().map(|quantum| context.in_linux(*quantum).to_string()));
    }
    in_linux_by_dscp(qdisc, &parameters.bands, parameters.dscp.as_ref(), parameters.other, context)
}

/// Strict bands and sharing bands.
#[derive(Clone)]
pub struct Ets {
    /// Band of each DSCP; `None` to select the band by traffic class.
    by_dscp: Option<[u8; 64]>,
    limit: Limit,
    strict: Vec<Box<dyn QueueDiscipline>>,
    sharing: Vec<Sharing>,
    /// Sharing bands with a backlog, by number among them.
    active: VecDeque<u16>,
}

/// A band that shares.
#[derive(Clone)]
struct Sharing {
    queue: Peeked,
    quantum: u64,
    /// Bytes that it may still send in its turn.
    deficit: u64,
    is_active: bool,
}

impl Ets {
    fn count(&self) -> usize {
        self.strict.len() + self.sharing.len()
    }

    /// Index of the packet's band. Classes beyond the last band use the last.
    #[inline]
    fn band_of(&self, packet: &Packet) -> usize {
        let band = match &self.by_dscp {
            None => packet.meta.class,
            Some(table) => table[usize::from(packet.dscp())],
        };
        usize::from(band).min(self.count() - 1)
    }

    fn band_backlog(&self, band: usize) -> Backlog {
        match band.checked_sub(self.strict.len()) {
            None => self.strict[band].backlog(),
            Some(number) => self.sharing[number].queue.backlog(),
        }
    }

    /// Deficit round robin among the sharing bands.
    #[inline]
    fn dequeue_sharing(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        // Bands in a row that had no packet to give, though they have a backlog: a shaper within. They keep their place.
        let mut idle = 0;
        while idle < self.active.len() {
            let number = *self.active.front()?;
            let band = &mut self.sharing[usize::from(number)];
            let Some(length) = band.queue.peek(now, out).map(|packet| u64::from(packet.meta.length)) else {
                self.active.pop_front();
                if band.queue.backlog().packets == 0 {
                    band.is_active = false;
                    idle = 0;
                } else {
                    self.active.push_back(number);
                    idle += 1;
                }
                continue;
            };
            if length <= band.deficit {
                band.deficit -= length;
                let packet = band.queue.take();
                if band.queue.backlog().packets == 0 {
                    band.is_active = false;
                    self.active.pop_front();
                }
                return packet;
            }
            band.deficit += band.quantum;
            idle = 0;
            self.active.rotate_left(1);
        }
        None
    }

    fn each(&mut self, mut call: impl FnMut(&mut dyn QueueDiscipline)) {
        self.strict.iter_mut().for_each(|band| call(&mut **band));
        self.sharing.iter_mut().for_each(|band| call(band.queue.inner_mut()));
    }
}

impl QueueDiscipline for Ets {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.limit != Limit::UNLIMITED && !self.limit.admits(self.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let band = self.band_of(&packet);
        let Some(number) = band.checked_sub(self.strict.len()) else {
            return self.strict[band].enqueue(packet, now, out);
        };
        let band = &mut self.sharing[number];
        band.queue.inner_mut().enqueue(packet, now, out);
        if !band.is_active && band.queue.backlog().packets > 0 {
            band.is_active = true;
            band.deficit = band.quantum;
            self.active.push_back(number as u16);
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let strict = self.strict.iter_mut().find_map(|band| band.dequeue(now, out));
        if strict.is_some() {
            return strict;
        }
        self.dequeue_sharing(now, out)
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        self.each(|band| {
            if band.next_wakeup().is_some_and(|at| at <= now) {
                band.handle_wakeup(now, out);
            }
        });
    }

    fn next_wakeup(&self) -> Option<Time> {
        let sharing = self.sharing.iter().filter_map(|band| band.queue.inner().next_wakeup());
        self.strict.iter().filter_map(|band| band.next_wakeup()).chain(sharing).min()
    }

    fn uses_wakeups(&self) -> bool {
        let sharing = self.sharing.iter().any(|band| band.queue.inner().uses_wakeups());
        sharing || self.strict.iter().any(|band| band.uses_wakeups())
    }

    fn wants_idle_polls(&self) -> bool {
        let sharing = self.sharing.iter().any(|band| band.queue.inner().wants_idle_polls());
        sharing || self.strict.iter().any(|band| band.wants_idle_polls())
    }

    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        self.each(|band| band.capacity_changed(rate, now));
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        for (number, band) in self.strict.iter().enumerate() {
            let name = format!("band.{number}");
            let mut out = PartOf::new(out, &name);
            out.set(&BACKLOG, band.backlog().packets as f64);
            band.gauges(now, &mut out);
        }
        for (number, band) in self.sharing.iter().enumerate() {
            let name = format!("band.{}", self.strict.len() + number);
            let mut out = PartOf::new(out, &name);
            out.set(&BACKLOG, band.queue.backlog().packets as f64);
            out.set(&DEFICIT, if band.is_active { band.deficit as f64 } else { 0.0 });
            band.queue.inner().gauges(now, &mut out);
        }
    }

    fn backlog(&self) -> Backlog {
        (0..self.count()).map(|band| self.band_backlog(band)).fold(Backlog::default(), |sum, band| Backlog {
            packets: sum.packets + band.packets,
            bytes: sum.bytes + band.bytes,
        })
    }

    fn classes(&self) -> Option<u16> {
        self.by_dscp.is_none().then_some(self.count() as u16)
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        let all = QueueChange { class: None, ..*change };
        match (change.class, &self.by_dscp) {
            (None, _) => {
                let mut changed = false;
                self.each(|band| changed |= band.reconfigure(&all));
                changed
            }
            (Some(class), None) if usize::from(class) < self.count() => {
                match usize::from(class).checked_sub(self.strict.len()) {
                    None => self.strict[usize::from(class)].reconfigure(&all),
                    Some(number) => self.sharing[number].queue.inner_mut().reconfigure(&all),
                }
            }
            _ => false,
        }
    }

    /// The backlog of the class's band, or of all bands if they are selected by DSCP.
    fn class_backlog(&self, class: u8) -> Backlog {
        match self.by_dscp {
            None => self.band_backlog(usize::from(class).min(self.count() - 1)),
            Some(_) => self.backlog(),
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::{Value, json};

    use super::*;
    use crate::QueueSetting;
    use crate::testing::{build_error, built, drain, packet};

    fn in_class(id: u32, class: u8, length: u16) -> Packet {
        let mut packet = packet(id, length);
        packet.meta.class = class;
        packet
    }

    fn ets(more: Value) -> Box<dyn QueueDiscipline> {
        let mut value = json!({ "kind": "ets" });
        more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
        built(value)
    }

    /// Classes of the packets in the order in which they leave.
    fn order(queue: &mut dyn QueueDiscipline) -> Vec<u8> {
        std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes))
            .map(|packet| packet.meta.class)
            .collect()
    }

    fn fill(queue: &mut dyn QueueDiscipline, packets: &[(u8, u32, u16)]) {
        for (class, count, length) in packets {
            (0..*count)
                .for_each(|id| queue.enqueue(in_class(id, *class, *length), Time::ZERO, &mut NoOutcomes));
        }
    }

    #[test]
    fn strict_bands_go_first_in_their_order() {
        let mut queue = ets(json!({ "bands": 4, "strict": 2 }));
        fill(&mut *queue, &[(3, 1, 100), (2, 1, 100), (1, 2, 100), (0, 2, 100)]);
        assert_eq!(order(&mut *queue), [0, 0, 1, 1, 3, 2], "sharing bands in the order of their activation");
    }

    #[test]
    fn a_band_sends_while_its_packets_are_within_its_deficit() {
        // Linux 6.1, `ets quanta 3000 1000` with packets of 1,000 bytes: three of the first band, one of the second.
        let mut queue = ets(json!({ "bands": 2, "quanta": ["3000 bytes", "1000 bytes"] }));
        fill(&mut *queue, &[(1, 8, 1000), (0, 8, 1000)]);
        assert_eq!(order(&mut *queue), [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn shares_are_those_of_the_quanta_at_any_length_of_packets() {
        let mut queue =
            built(json!({ "kind": "ets", "bands": 3, "quanta": ["3000 bytes", "2000 bytes", "500 bytes"] }));
        let mut bytes = [0u64; 3];
        let lengths = [1500, 300, 1100];
        let mut waiting = [0; 3];
        for _ in 0..30_000 {
            for class in 0..3u8 {
                while waiting[usize::from(class)] < 5 {
                    queue.enqueue(
                        in_class(0, class, lengths[usize::from(class)]),
                        Time::ZERO,
                        &mut NoOutcomes,
                    );
                    waiting[usize::from(class)] += 1;
                }
            }
            let packet = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("there is a backlog");
            waiting[usize::from(packet.meta.class)] -= 1;
            bytes[usize::from(packet.meta.class)] += u64::from(packet.meta.length);
        }
        // Shreedhar & Varghese: the difference never exceeds a quantum and a packet.
        let shares = [bytes[0] as f64 / 3000.0, bytes[1] as f64 / 2000.0, bytes[2] as f64 / 500.0];
        assert!(shares.iter().all(|share| (share - shares[0]).abs() < 4.0), "{shares:?}");
    }

    #[test]
    fn a_band_that_is_emptied_forfeits_its_deficit() {
        let mut queue = ets(json!({ "bands": 2, "quanta": ["9000 bytes", "1000 bytes"] }));
        fill(&mut *queue, &[(0, 1, 1000), (1, 3, 1000)]);
        assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.class), Some(0));
        fill(&mut *queue, &[(0, 1, 1000)]);
        assert_eq!(order(&mut *queue), [1, 0, 1, 1], "it joins at the end");
    }

    #[test]
    fn a_shaped_band_does_not_hold_up_the_others() {
        let slow = json!({ "kind": "tbf", "rate": "8 kbit/s", "burst": "1 kB", "overhead": "0 bytes" });
        for strict in [0, 1] {
            let mut queue = ets(json!({ "bands": [slow, "tail-drop"], "strict": strict }));
            fill(&mut *queue, &[(0, 2, 1000), (1, 3, 1000)]);
            let left = drain(&mut *queue, Time::ZERO);
            let times: Vec<_> = left.iter().map(|(time, _)| time.as_secs_f64()).collect();
            assert_eq!(times, [0.0, 0.0, 0.0, 0.0, 1.0], "{strict} strict");
        }
    }

    #[test]
    fn the_backlog_of_a_class_counts_the_packet_that_was_looked_at() {
        let mut queue = ets(json!({ "bands": 2, "quanta": ["100 bytes"], "limit": "3 packets" }));
        fill(&mut *queue, &[(0, 2, 1000), (1, 1, 1000)]);
        assert!(queue.dequeue(Time::ZERO, &mut NoOutcomes).is_some());
        assert_eq!([0, 1].map(|class| queue.class_backlog(class).packets), [2, 0]);
        let mut tally = Tally::default();
        queue.enqueue(in_class(8, 0, 1000), Time::ZERO, &mut tally);
        queue.enqueue(in_class(9, 0, 1000), Time::ZERO, &mut tally);
        assert_eq!(tally.drops, [(9, DropReason::BufferFull, Time::ZERO)]);
    }

    #[test]
    fn a_change_reaches_the_band_of_a_class() {
        let mut queue = ets(json!({ "bands": 3, "strict": 1 }));
        assert_eq!(queue.classes(), Some(3));
        let change = |class| QueueChange { class, setting: QueueSetting::Depth(1) };
        assert!(queue.reconfigure(&change(Some(0))) && queue.reconfigure(&change(Some(2))));
        assert!(!queue.reconfigure(&change(Some(3))));
        fill(&mut *queue, &[(0, 3, 100), (1, 3, 100), (2, 3, 100)]);
        assert_eq!([0, 1, 2].map(|class| queue.class_backlog(class).packets), [1, 3, 1]);
        assert!(queue.reconfigure(&change(None)));
    }

    #[test]
    fn errors_name_the_key() {
        let error = |more: Value| {
            let mut value = json!({ "kind": "ets" });
            more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
            build_error(value)
        };
        let said = |key: &str, message: &str| (key.to_owned(), message.to_owned());
        assert_eq!(error(json!({ "strict": 4 })), said("strict", "must be at most `bands` (3), got 4"));
        assert_eq!(
            error(json!({ "strict": 2, "quanta": ["1 kB", "1 kB"] })),
            said("quanta", "must have one value for each sharing band (1), got 2")
        );
        assert_eq!(error(json!({ "quanta": ["1 kB", "0 bytes"] })).0, "quanta.1");
        assert_eq!(error(json!({ "bands": ["codel", "coddel"] })).0, "bands.1");
        assert_eq!(error(json!({ "dscp": { "EF": 3 } })).0, "dscp.EF");
    }
}
