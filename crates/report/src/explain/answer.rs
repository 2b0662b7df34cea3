//! The answer of several explanations in a sentence or two: where the viewers' cost comes from, and how far that was checked.

use std::collections::BTreeMap;
use std::fmt::Write;

use jettison_core::DropReason;

use super::cause::{Cause, CauseKind};
use super::chain::Explanation;
use super::words::{Check, seconds};

/// Most places that the answer names.
const NAMED: usize = 3;
/// Least share of the cost for a place to be named.
const LEAST: f64 = 0.05;

/// Where a cause acted, as the answer names it.
fn place(cause: &Cause) -> String {
    match (cause.kind, cause.place.as_str()) {
        (CauseKind::Drops, "") if cause.rules.iter().all(|(rule, _)| rule == DropReason::NoSocket.name()) => {
            // Such as the rest of what an abandoned request had asked for.
            "packets for a closed connection".to_owned()
        }
        (CauseKind::Drops, "") | (CauseKind::Losses, _) => "losses outside queues".to_owned(),
        (CauseKind::Drops | CauseKind::Waits, queue) => format!("queue {queue}"),
        (CauseKind::Link, link) => format!("link {link}"),
        (CauseKind::Sender, _) => "the senders".to_owned(),
        (CauseKind::Unseen, "") => "what was not seen".to_owned(),
        (CauseKind::Unseen, host) => format!("the kernel of {host}"),
    }
}

/// What share of the explained events' cost goes back to which places, and how many chains a check has confirmed. An event's cost
/// is divided by the shares of its causes, which are shares of waiting time. `all` is the number of events there were.
///
/// None without events.
pub fn answer(events: &[&(Explanation, Check)], all: usize) -> Option<String> {
    let cost: f64 = events.iter().map(|own| own.0.event.cost).sum();
    if events.is_empty() || cost <= 0.0 {
        return None;
    }
    // By place: the whole, that of drops, that of waits.
    let mut places: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for (explanation, _) in events {
        for cause in &explanation.causes {
            let own = cause.share * explanation.event.cost / cost;
            let sums = places.entry(place(cause)).or_default();
            sums[0] += own;
            match cause.kind {
                CauseKind::Drops => sums[1] += own,
                CauseKind::Waits => sums[2] += own,
                _ => {}
            }
        }
    }
    let mut places: Vec<(String, [f64; 3])> = places.into_iter().filter(|own| own.1[0] >= LEAST).collect();
    places.sort_by(|one, other| other.1[0].total_cmp(&one.1[0]).then_with(|| one.0.cmp(&other.0)));
    let named: Vec<String> = places
        .iter()
        .take(NAMED)
        .map(|(place, [whole, drops, waits])| {
            let percent = |share: &f64| format!("{:.0} %", 100.0 * share);
            match (*drops > 0.0, *waits > 0.0) {
                (true, true) => format!(
                    "{} to {place} ({} drops, {} waits)",
                    percent(whole),
                    percent(drops),
                    percent(waits)
                ),
                (true, false) if place.starts_with("queue") => {
                    format!("{} to drops in {place}", percent(whole))
                }
                (false, true) => format!("{} to waits in {place}", percent(whole)),
                _ => format!("{} to {place}", percent(whole)),
            }
        })
        .collect();
    let count = events.len();
    let of = match count {
        1 if all == 1 => "The one event costs".to_owned(),
        _ if count == all => format!("The {all} events cost"),
        1 => format!("The most expensive of {all} events costs"),
        _ => format!("The {count} most expensive of {all} events cost"),
    };
    let mut text = match named.as_slice() {
        [] => format!("{of} {}, and the tables name no cause.", seconds(cost)),
        named => format!("{of} {}, which goes back {}.", seconds(cost), named.join(", ")),
    };
    let judged: Vec<bool> = events.iter().filter_map(|(own, check)| check.is_confirmed(&own.event)).collect();
    if !judged.is_empty() {
        let confirmed = judged.iter().filter(|own| **own).count();
        let other = if confirmed < judged.len() { "; `other` marks the rest" } else { "" };
        let judged = judged.len();
        let _ = write!(text, " Runs without the causes named confirm {confirmed} of {judged} chains{other}.");
    }
    Some(text)
}
