//! `priority`: strict-priority scheduler.
//!
//! Each band contains a discipline of its own. Band 0 has the highest priority and is served first; a lower band is served
//! only while all higher bands have nothing to send, so a low band starves if the higher bands saturate the link. Packets
//! map to bands by traffic class or by DSCP.
//!
//! Reference: RFC 2475 §2.3; RFC 3246, appendix (priority queue).

use std::collections::BTreeMap;

use jettison_core::{DropReason, Gauge, Gauges, PartOf, Rate, Time};
use jettison_labels::{Classifier, Classify, LabelSource, Labels, Missing};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, MAROON};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{OCTOPUS_PORT, Packet};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::entry::{BuildContext, Discipline};
use crate::octopus::MAX_STREAMS;
use crate::{Backlog, Dscp, InLinux, Limit, QueueChange, QueueDiscipline};

pub(crate) mod qdisc;

/// Gauges of the internal state, besides those of the bands' disciplines. Each band is a part: `band.0`, `band.1`, ….
const GAUGES: &[Gauge] = &[BACKLOG];

const BACKLOG: Gauge = Gauge::new("priority_backlog", "packets", "Packets in each band (the part).");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("priority", "strict priority", build)
        .style(MAROON, Dashed)
        .summary("Strict priority: serves the highest band with a backlog, 0 first")
        .source("RFC 2475 §2.3; RFC 3246 appendix (priority queue)")
        .page("disciplines/priority.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc::qdisc))
}

/// Parameters of strict priority.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PriorityParameters {
    /// The bands, highest priority first: a number of tail-drop bands, or a list of disciplines, each an id or a table
    /// with its `kind`.
    pub bands: Bands,
    /// Band by DSCP, such as `{ EF = 0, AF41 = 1 }`. Unset: by the traffic class that the switch assigned.
    pub dscp: Option<BTreeMap<Dscp, u8>>,
    /// Band by the priority of a packet's label: `own` (the Octopus header), or what a standard carries of it:
    /// `dependency-descriptor`, `dependency-descriptor-allocation`, `frame-marking`, `pdu-set` or `moq`. Unset: not by labels.
    pub labels: Option<Labels>,
    /// Band by the priority of RTP packets with a header extension, such as `{ format = "pdu-set", extension = 4 }`.
    pub classify: Option<Classify>,
    /// Values of a label for which the format has no field.
    pub missing: Missing,
    /// Band of DSCPs that `dscp` does not list, and of packets without a label. Unset: the last band.
    pub other: Option<u8>,
    /// Limit of all bands together, in addition to those of the bands.
    pub limit: Limit,
}

/// The bands of a scheduler.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Bands {
    /// Number of tail-drop bands.
    Count(u64),
    /// One discipline per band, highest priority first.
    List(Vec<Value>),
}

impl Default for PriorityParameters {
    fn default() -> PriorityParameters {
        PriorityParameters {
            bands: Bands::Count(3),
            dscp: None,
            labels: None,
            classify: None,
            missing: Missing::default(),
            other: None,
            limit: Limit::UNLIMITED,
        }
    }
}

/// Traffic classes are 8 bits wide.
const MAX_BANDS: usize = 256;

fn build(
    parameters: PriorityParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let bands = parameters.bands.build(context)?;
    let table = by_dscp(parameters.dscp.as_ref(), parameters.other, bands.len())?;
    let by = match table {
        _ if parameters.labels.is_some() || parameters.classify.is_some() => {
            ParameterError::unless(table.is_none(), "dscp", || {
                "must be left out beside `labels` or `classify`, which select the band too".to_owned()
            })?;
            let other = parameters.other.map_or(bands.len() - 1, usize::from);
            let labels = parameters.labels.unwrap_or_default();
            let source = LabelSource { labels, classify: parameters.classify, missing: parameters.missing };
            let seed = (context.random)("labels").uniform(0, u64::MAX);
            let classifier = Classifier::new(source, vec![OCTOPUS_PORT], seed, MAX_STREAMS as usize)?;
            Selection::Label { classifier: Box::new(classifier), other }
        }
        Some(table) => Selection::Dscp(Box::new(table)),
        None => Selection::Class,
    };
    Ok(Box::new(Priority { by, limit: parameters.limit, bands }))
}

impl Bands {
    /// The disciplines of the parameter `bands`.
    ///
    /// # Errors
    /// If their number is out of range, or one cannot be built.
    pub(crate) fn build(
        self,
        context: &BuildContext<'_>,
    ) -> Result<Vec<Box<dyn QueueDiscipline>>, ParameterError> {
        // Checked before the list is made: a count can be huge.
        let count = match &self {
            Bands::Count(count) => *count,
            Bands::List(values) => values.len() as u64,
        };
        let in_range = (1..=MAX_BANDS as u64).contains(&count);
        ParameterError::require(in_range, "bands", "be 1 to 256 bands, such as `bands = 3`", count)?;
        let values = match self {
            Bands::Count(count) => vec![Value::from("tail-drop"); count as usize],
            Bands::List(values) => values,
        };
        let mut bands = Vec::with_capacity(values.len());
        for (number, value) in values.iter().enumerate() {
            // Random streams are named by the band's number, so bands draw independently.
            let random = |name: &str| (context.random)(&format!("band {number} {name}"));
            let inner = BuildContext { random: &random, registry: context.registry };
            let built = context.registry.build(value, &inner);
            bands.push(built.map_err(|error| error.under(&number.to_string()).under("bands"))?);
        }
        Ok(bands)
    }
}

/// The band of each DSCP, by the parameters `dscp` and `other` of a scheduler of `count` bands. `None` to select the band by
/// traffic class.
///
/// # Errors
/// If there is no such band.
pub(crate) fn by_dscp(
    dscp: Option<&BTreeMap<Dscp, u8>>,
    other: Option<u8>,
    count: usize,
) -> Result<Option<[u8; 64]>, ParameterError> {
    let last = count - 1;
    let in_range = |band: u8| {
        if usize::from(band) <= last {
            Ok(band)
        } else {
            Err(format!("must be a band in [0, {last}], got {band}"))
        }
    };
    let other = match other {
        Some(band) => in_range(band).map_err(|message| ParameterError::at("other", message))?,
        None => last as u8,
    };
    let Some(map) = dscp else { return Ok(None) };
    // Expanded to a table of all 64 code points: one lookup per packet.
    let mut table = [other; 64];
    for (dscp, band) in map {
        let band = in_range(*band);
        table[usize::from(dscp.get())] =
            band.map_err(|message| ParameterError::at(&dscp.to_string(), message).under("dscp"))?;
    }
    Ok(Some(table))
}

/// What selects a packet's band.
#[derive(Debug, Clone)]
enum Selection {
    /// Its traffic class.
    Class,
    /// Its DSCP: a band for each.
    Dscp(Box<[u8; 64]>),
    /// The priority of its label, and a band for packets without one.
    Label { classifier: Box<Classifier>, other: usize },
}

/// Strict-priority scheduler over bands.
#[derive(Clone)]
pub struct Priority {
    by: Selection,
    limit: Limit,
    bands: Vec<Box<dyn QueueDiscipline>>,
}

impl Priority {
    /// Creates a scheduler that selects the band by traffic class. `bands`: highest priority first, at least one.
    ///
    /// # Panics
    /// If `bands` is empty.
    pub fn by_class(bands: Vec<Box<dyn QueueDiscipline>>) -> Priority {
        assert!(!bands.is_empty(), "a scheduler needs at least one band");
        Priority { by: Selection::Class, limit: Limit::UNLIMITED, bands }
    }

    /// Index of the packet's band. Classes beyond the last band use the last.
    #[inline]
    fn band_of(&mut self, packet: &Packet, now: Time) -> usize {
        let band = match &mut self.by {
            Selection::Class => usize::from(packet.meta.class),
            Selection::Dscp(table) => usize::from(table[usize::from(packet.dscp())]),
            Selection::Label { classifier, other } => {
                classifier.label(packet, now).map_or(*other, |label| usize::from(label.priority))
            }
        };
        band.min(self.bands.len() - 1)
    }
}

impl QueueDiscipline for Priority {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.limit != Limit::UNLIMITED && !self.limit.admits(self.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let band = self.band_of(&packet, now);
        self.bands[band].enqueue(packet, now, out);
    }

    /// A band with a backlog but no packet due (a packet rate) does not block lower bands.
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.bands.iter_mut().find_map(|band| band.dequeue(now, out))
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        for band in &mut self.bands {
            if band.next_wakeup().is_some_and(|at| at <= now) {
                band.handle_wakeup(now, out);
            }
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.bands.iter().filter_map(|band| band.next_wakeup()).min()
    }

    /// Only polls that reach a band count: bands below the one that sends are not polled.
    fn wants_idle_polls(&self) -> bool {
        self.bands.iter().any(|band| band.wants_idle_polls())
    }

    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        self.bands.iter_mut().for_each(|band| band.capacity_changed(rate, now));
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        for (number, band) in self.bands.iter().enumerate() {
            let name = format!("band.{number}");
            let mut out = PartOf::new(out, &name);
            out.set(&BACKLOG, band.backlog().packets as f64);
            band.gauges(now, &mut out);
        }
    }

    fn backlog(&self) -> Backlog {
        self.bands.iter().map(|band| band.backlog()).fold(Backlog::default(), |sum, band| Backlog {
            packets: sum.packets + band.packets,
            bytes: sum.bytes + band.bytes,
        })
    }

    fn classes(&self) -> Option<u16> {
        matches!(self.by, Selection::Class).then_some(self.bands.len() as u16)
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match (change.class, &self.by) {
            (None, _) => {
                let mut changed = false;
                for band in &mut self.bands {
                    changed |= band.reconfigure(change);
                }
                changed
            }
            (Some(class), Selection::Class) => {
                let all = QueueChange { class: None, ..*change };
                self.bands.get_mut(usize::from(class)).is_some_and(|band| band.reconfigure(&all))
            }
            (Some(_), Selection::Dscp(_) | Selection::Label { .. }) => false,
        }
    }

    /// The backlog of the class's band, or of all bands if they are selected by DSCP or label.
    fn class_backlog(&self, class: u8) -> Backlog {
        match self.by {
            Selection::Class => self.bands[usize::from(class).min(self.bands.len() - 1)].backlog(),
            Selection::Dscp(_) | Selection::Label { .. } => self.backlog(),
        }
    }
}

impl<'de> Deserialize<'de> for Bands {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bands, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Bands;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of bands, or a list of disciplines such as [\"tail-drop\", \"codel\"]")
            }
            fn visit_u64<E>(self, count: u64) -> Result<Bands, E> {
                Ok(Bands::Count(count))
            }
            fn visit_i64<E: serde::de::Error>(self, count: i64) -> Result<Bands, E> {
                u64::try_from(count)
                    .map(Bands::Count)
                    .map_err(|_| E::custom("must be a number of bands >= 1"))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bands, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Bands::List(values))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl JsonSchema for Bands {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "bands".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "integer or list of disciplines",
            "anyOf": [
                { "type": "integer", "minimum": 1, "maximum": MAX_BANDS },
                { "type": "array", "minItems": 1, "items": { "type": ["string", "object"] } },
            ],
            "examples": [3, ["tail-drop", { "kind": "codel", "target": "5 ms" }]],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QueueSetting;
    use crate::testing::{build_error, built, labelled, packet, solo};
    use jettison_measure::{NoOutcomes, Tally};
    use jettison_wire::OctopusHeader;
    use serde_json::json;

    fn in_class(id: u32, class: u8) -> Packet {
        let mut packet = packet(id, 1000);
        packet.meta.class = class;
        packet
    }

    fn with_dscp(id: u32, dscp: u8) -> Packet {
        let mut packet = packet(id, 1000);
        packet.meta.traffic_class = dscp << 2;
        packet
    }

    fn drain(queue: &mut dyn QueueDiscipline) -> Vec<u32> {
        std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes)).map(|p| p.meta.id).collect()
    }

    #[test]
    fn the_highest_band_goes_first_and_each_band_is_in_order() {
        let mut queue = built(json!("priority"));
        for (id, class) in [(1, 2), (2, 1), (3, 0), (4, 1), (5, 0), (6, 2)] {
            queue.enqueue(in_class(id, class), Time::ZERO, &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue), [3, 5, 2, 4, 1, 6]);
    }

    #[test]
    fn an_arrival_of_higher_priority_overtakes_what_waits() {
        let mut queue = built(json!({ "kind": "priority", "bands": 2 }));
        queue.enqueue(in_class(1, 1), Time::ZERO, &mut NoOutcomes);
        queue.enqueue(in_class(2, 1), Time::ZERO, &mut NoOutcomes);
        assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|p| p.meta.id), Some(1));
        queue.enqueue(in_class(3, 0), Time::ZERO, &mut NoOutcomes);
        assert_eq!(drain(&mut *queue), [3, 2]);
    }

    #[test]
    fn a_class_past_the_last_band_goes_to_the_last() {
        let mut queue = built(json!({ "kind": "priority", "bands": 2 }));
        for (id, class) in [(1, 200), (2, 1), (3, 0)] {
            queue.enqueue(in_class(id, class), Time::ZERO, &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue), [3, 1, 2]);
    }

    #[test]
    fn a_dscp_map_selects_the_band() {
        let map = json!({ "kind": "priority", "bands": 3, "dscp": { "EF": 0, "34": 1 }, "other": 2 });
        let mut queue = built(map);
        for (id, dscp) in [(1, 0), (2, 34), (3, 46), (4, 10)] {
            queue.enqueue(with_dscp(id, dscp), Time::ZERO, &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue), [3, 2, 1, 4]);
    }

    #[test]
    fn the_priority_of_a_label_selects_the_band() {
        let label = |id, priority| labelled(id, 1000, OctopusHeader { priority, ..solo(id) });
        for labels in ["own", "dependency-descriptor", "frame-marking", "pdu-set", "moq"] {
            let mut queue = built(json!({ "kind": "priority", "bands": 3, "labels": labels, "other": 1 }));
            for packet in [label(1, 7), label(2, 1), packet(3, 1000), label(4, 0), label(5, 2)] {
                queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
            }
            assert_eq!(drain(&mut *queue), [4, 2, 3, 1, 5], "{labels}");
            assert_eq!(queue.classes(), None);
        }
        let both = json!({ "kind": "priority", "labels": "own", "dscp": { "EF": 0 } });
        assert_eq!(build_error(both).0, "dscp");
        let unknown = json!({ "kind": "priority", "classify": { "format": "pdu-set", "extension": 0 } });
        assert_eq!(build_error(unknown).0, "classify.extension");
    }

    #[test]
    fn each_band_keeps_its_own_discipline() {
        let bands = json!([{ "kind": "tail-drop", "limit": "1 packet" }, { "kind": "tail-drop", "limit": "2 packets" }]);
        let mut queue = built(json!({ "kind": "priority", "bands": bands }));
        let mut tally = Tally::default();
        for (id, class) in [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1)] {
            queue.enqueue(in_class(id, class), Time::ZERO, &mut tally);
        }
        assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(queue.backlog(), Backlog { packets: 3, bytes: 3000 });
    }

    #[test]
    fn a_common_limit_holds_for_all_bands_together() {
        let mut queue = built(json!({ "kind": "priority", "limit": "2 packets" }));
        let mut tally = Tally::default();
        for (id, class) in [(1, 2), (2, 1), (3, 0)] {
            queue.enqueue(in_class(id, class), Time::ZERO, &mut tally);
        }
        assert_eq!(tally.drops, [(3, DropReason::BufferFull, Time::ZERO)]);
    }

    #[test]
    fn a_band_that_drops_all_it_has_gives_way_to_the_next() {
        // Whether the CoDel band drops its last packet or sends it, every packet is accounted for.
        let bands = json!([{ "kind": "codel", "maxpacket": "0 bytes" }, "tail-drop"]);
        let mut queue = built(json!({ "kind": "priority", "bands": bands }));
        let mut tally = Tally::default();
        let mut sent = Vec::new();
        for id in 0..10 {
            queue.enqueue(in_class(id, u8::from(id == 9)), Time::ZERO, &mut tally);
        }
        let mut now = Time::from_secs(1);
        while queue.backlog().packets > 0 {
            now += jettison_core::Duration::from_millis(150);
            sent.push(
                queue
                    .dequeue(now, &mut tally)
                    .expect("there is a backlog, and the last band never drops")
                    .meta
                    .id,
            );
        }
        assert_eq!(sent.last(), Some(&9));
        assert!(!tally.drops.is_empty());
        assert_eq!(sent.len() + tally.drops.len(), 10);
    }

    #[test]
    fn a_band_with_a_rate_cannot_starve_the_lower_ones() {
        // A switch's maximum rate of a strict band: a shaper in the band.
        let shaped = json!({ "kind": "tbf", "rate": "2 Mbit/s", "burst": "3 kB", "overhead": "0 bytes" });
        let bands = json!({ "kind": "priority", "bands": [shaped, "tail-drop"] });
        let mut queue = built(
            json!({ "kind": "tbf", "rate": "8 Mbit/s", "burst": "1 kB", "overhead": "0 bytes", "queue": bands }),
        );
        let (mut sent, mut waiting) = ([0u32; 2], [0u32; 2]);
        let mut now = Time::ZERO;
        while now < Time::from_secs(1) {
            for (class, waiting) in (0..).zip(&mut waiting) {
                while *waiting < 20 {
                    queue.enqueue(in_class(0, class), now, &mut NoOutcomes);
                    *waiting += 1;
                }
            }
            match queue.dequeue(now, &mut NoOutcomes) {
                Some(packet) => {
                    sent[usize::from(packet.meta.class)] += 1;
                    waiting[usize::from(packet.meta.class)] -= 1;
                }
                None => {
                    now = queue.next_wakeup().expect("packets wait");
                    queue.handle_wakeup(now, &mut NoOutcomes);
                }
            }
        }
        // 1,000 packets in all. The high band has 250 and its burst.
        assert!(sent[0].abs_diff(252) <= 1 && sent[1].abs_diff(748) <= 1, "{sent:?}");
    }

    #[test]
    fn wakeups_are_those_of_the_bands() {
        let mut queue = built(
            json!({ "kind": "priority", "bands": ["tail-drop", "pi2", { "kind": "pi2", "t_update": "10 ms" }] }),
        );
        assert_eq!(queue.next_wakeup(), Some(Time::from_millis(10)));
        queue.handle_wakeup(Time::from_millis(10), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), Some(Time::from_millis(20)));
        queue.handle_wakeup(Time::from_millis(31), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), Some(Time::from_millis(32)));
    }

    #[test]
    fn a_change_reaches_every_band_or_that_of_a_class() {
        let mut queue = built(json!({ "kind": "priority", "bands": ["tail-drop", "codel", "tail-drop"] }));
        assert_eq!(queue.classes(), Some(3));
        let change = QueueChange { class: Some(2), setting: QueueSetting::Depth(1) };
        assert!(queue.reconfigure(&change));
        assert!(!queue.reconfigure(&QueueChange { class: Some(1), ..change }), "codel has no such setting");
        assert!(!queue.reconfigure(&QueueChange { class: Some(3), ..change }));
        let fill = |queue: &mut dyn QueueDiscipline, class| {
            let mut tally = Tally::default();
            (0..3).for_each(|id| queue.enqueue(in_class(id, class), Time::ZERO, &mut tally));
            tally.drops.len()
        };
        assert_eq!((fill(&mut *queue, 0), fill(&mut *queue, 2)), (0, 2));
        assert!(queue.reconfigure(&QueueChange { class: None, ..change }));
        assert_eq!((fill(&mut *queue, 0), fill(&mut *queue, 1), fill(&mut *queue, 2)), (3, 0, 3));
        let by_dscp = built(json!({ "kind": "priority", "bands": 2, "dscp": { "EF": 0 } }));
        assert_eq!(by_dscp.classes(), None, "the class is ignored");
    }

    #[test]
    fn errors_contain_the_path_of_the_band() {
        let error = |value: Value| build_error(json!({ "kind": "priority", "bands": value })).0;
        assert_eq!(error(json!(["tail-drop", { "kind": "codel", "target": "0 ms" }])), "bands.1.target");
        assert_eq!(error(json!(["tail-drop", "coddel"])), "bands.1");
        assert_eq!(
            error(json!([{ "kind": "priority", "bands": [{ "kind": "red", "w_q": 2 }] }])),
            "bands.0.bands.0.w_q"
        );
        assert_eq!(error(json!(0)), "bands");
        assert_eq!(error(json!(257)), "bands");
        assert_eq!(error(json!([])), "bands");
        assert_eq!(error(json!("three")), "bands");
        assert_eq!(build_error(json!({ "kind": "priority", "dscp": { "EF": 3 } })).0, "dscp.EF");
        assert_eq!(build_error(json!({ "kind": "priority", "other": 3 })).0, "other");
    }
}
