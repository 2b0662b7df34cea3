//! Features of a decision, from what is known as it is taken.

use std::collections::BTreeSet;

use jettison_measure::{Content, Unit, UnitKind};

use super::trial::Feature;

/// IP length from which on a TCP segment counts as full: 1,500 bytes less some options.
const FULL: u16 = 1_400;

/// A packet that is or could be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Whether its flow has a viewer.
    pub of_viewer: bool,
    /// What it carries, if that is known.
    pub content: Option<Content>,
    /// IP length in bytes.
    pub length: u16,
}

/// What is known as a drop is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The dropped packet.
    pub dropped: Candidate,
    /// The waiting packet of a viewer that a swap would drop.
    pub victim: Option<Candidate>,
    /// Packets that wait.
    pub waiting: usize,
    /// Of these the packets of the dropped packet's flow.
    pub own: usize,
    /// Flows with packets that wait.
    pub flows: usize,
}

/// The features of a drop. `lost` are the units that have lost a packet before.
pub fn features(seen: &Seen, lost: &BTreeSet<Unit>) -> Vec<(Feature, String)> {
    let dropped = &seen.dropped;
    let owner = if dropped.of_viewer { "viewer" } else { "other" };
    let backlog = match seen.waiting {
        0..=9 => "0-9",
        10..=29 => "10-29",
        30..=59 => "30-59",
        60..=89 => "60-89",
        _ => "90-",
    };
    // Over the mean of the flows that wait: packets × flows over all packets.
    let share = match (seen.own * seen.flows, seen.waiting) {
        (0, _) => "none",
        (own, waiting) if 2 * own < waiting => "below half",
        (own, waiting) if own < 2 * waiting => "half to double",
        _ => "double or more",
    };
    let named = |feature, value: &str| (feature, value.to_owned());
    let mut found = vec![
        named(Feature::Owner, owner),
        (Feature::Unit, unit(dropped)),
        (Feature::Place, format!("{}, {}", unit(dropped), place(dropped))),
        (Feature::Broken, format!("{}, {}", unit(dropped), broken(dropped, lost))),
        named(Feature::Backlog, backlog),
        named(Feature::Share, share),
    ];
    if let Some(content) = dropped.content {
        let words = if content.retransmission { "sent again" } else { "first" };
        found.push((Feature::Retransmission, format!("{owner}, {words}")));
    }
    if let Some(victim) = &seen.victim {
        found.push((Feature::Victim, unit(victim)));
        found.push((Feature::VictimBroken, format!("{}, {}", unit(victim), broken(victim, lost))));
    }
    found
}

/// Kind of the unit, with the layer of a message; `other` for flows without a viewer.
fn unit(candidate: &Candidate) -> String {
    match candidate.content.and_then(|content| content.unit) {
        _ if !candidate.of_viewer => "other".to_owned(),
        Some(Unit { kind: UnitKind::Message, part, .. }) => format!("layer {}", part & 0xff),
        Some(unit) => unit.kind.name().to_owned(),
        None => "viewer".to_owned(),
    }
}

/// Place in the unit. Of a stream only its end is known: a segment that is not full.
fn place(candidate: &Candidate) -> &'static str {
    match candidate.content {
        Some(Content { unit: Some(unit), offset, .. }) if is_of_datagrams(unit) => {
            if offset == 0 {
                "first packet"
            } else {
                "later packet"
            }
        }
        _ if candidate.length >= FULL => "full packet",
        _ => "short packet",
    }
}

/// Whether the unit is whole only if all its datagrams come: a stream makes good what is lost.
fn is_of_datagrams(unit: Unit) -> bool {
    matches!(unit.kind, UnitKind::Frame | UnitKind::Message)
}

fn broken(candidate: &Candidate, lost: &BTreeSet<Unit>) -> &'static str {
    let unit = candidate.content.and_then(|content| content.unit).filter(|unit| is_of_datagrams(*unit));
    if unit.is_some_and(|unit| lost.contains(&unit)) { "broken before" } else { "whole" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(kind: UnitKind, part: u32, offset: u64) -> Candidate {
        let content = Content { unit: Some(Unit::new(kind, 7, part)), offset, ..Content::default() };
        Candidate { of_viewer: true, content: Some(content), length: 500 }
    }

    fn of(seen: &Seen, feature: Feature, lost: &[Unit]) -> String {
        let found = features(seen, &lost.iter().copied().collect());
        found.into_iter().find(|(own, _)| *own == feature).map(|(_, value)| value).unwrap_or_default()
    }

    #[test]
    fn a_message_is_known_by_its_layer_and_whether_it_lost_a_packet_before() {
        let dropped = candidate(UnitKind::Message, 2 | 3 << 8, 1_200);
        let victim = Some(candidate(UnitKind::Frame, 0, 0));
        let seen = Seen { dropped, victim, waiting: 40, own: 3, flows: 5 };
        assert_eq!(of(&seen, Feature::Unit, &[]), "layer 2");
        assert_eq!(of(&seen, Feature::Place, &[]), "layer 2, later packet");
        assert_eq!(of(&seen, Feature::Broken, &[]), "layer 2, whole");
        let lost = [Unit::new(UnitKind::Message, 7, 2 | 3 << 8)];
        assert_eq!(of(&seen, Feature::Broken, &lost), "layer 2, broken before");
        assert_eq!(of(&seen, Feature::VictimBroken, &lost), "frame, whole");
        // Three packets, where the mean is eight.
        assert_eq!(of(&seen, Feature::Share, &[]), "below half");
        assert_eq!(of(&seen, Feature::Backlog, &[]), "30-59");
    }

    #[test]
    fn a_stream_makes_good_what_is_lost() {
        let dropped = candidate(UnitKind::Segment, 1, 0);
        let seen = Seen { dropped, victim: None, waiting: 9, own: 9, flows: 1 };
        assert_eq!(of(&seen, Feature::Share, &[]), "half to double");
        assert_eq!(of(&seen, Feature::Broken, &[Unit::new(UnitKind::Segment, 7, 1)]), "segment, whole");
        assert_eq!(of(&seen, Feature::Place, &[]), "segment, short packet");
        assert_eq!(of(&seen, Feature::Victim, &[]), "");
    }

    #[test]
    fn other_flows_have_no_units() {
        let dropped = Candidate { of_viewer: false, content: None, length: 1_500 };
        let seen = Seen { dropped, victim: None, waiting: 0, own: 0, flows: 0 };
        assert_eq!(of(&seen, Feature::Place, &[]), "other, full packet");
        assert_eq!(of(&seen, Feature::Share, &[]), "none");
    }
}
