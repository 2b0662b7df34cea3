//! An answer in words and as a table of at most 60 lines.

use std::fmt::Write;

use jettison_measure::{Kind, ObjectId, RunRecord, metrics};
use jettison_report::{Statistic, plain_number, signed_number, wrapped, wrapped_line};
use jettison_sim::{Decided, Effects, Reverted};

use super::question::seconds;
use super::{Answer, Row, words};
use crate::rebuild::Rebuilt;

/// Most lines of the text.
const LINES: usize = 60;
/// Width of the answer in characters.
const WIDTH: usize = 100;
/// Most decisions in words.
const DECISIONS: usize = 5;
/// Lines kept for what is not shown.
const RESERVE: usize = 3;

/// What was decided, what the change did, and the viewers' values beside each other.
pub fn table(answer: &Answer, rebuilt: &Rebuilt) -> String {
    let mut head = vec![format!("What if {}? {} of {}", answer.words, rebuilt.key, rebuilt.scenario.name)];
    head.extend(answer.reverted.iter().take(DECISIONS).map(|reverted| decision(answer, reverted)));
    let more = (answer.effects.kept + answer.effects.unmarked).saturating_sub(DECISIONS as u64);
    if more > 0 {
        head.push(format!("and {more} more decisions"));
    }
    head.push(format!(
        "From {} to {}: {}",
        seconds(answer.from),
        seconds(answer.until),
        effects(answer.effects)
    ));
    if answer.pairs.len() > 1 {
        let draws = answer.pairs.len();
        head.push(format!(
            "Means over {draws} draws of the random numbers after the change, with 95 % intervals"
        ));
    }
    let rows = answer.rows();
    head.extend(wrapped(&words::answer(&rows), WIDTH).lines().map(str::to_owned));
    head.push(String::new());
    // Rows that differ tell more; if all fit, all are shown.
    let room = LINES - head.len() - RESERVE;
    let is_shown = |row: &&Row| rows.len() <= room || row.differs();
    let (shown, rest): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(is_shown);
    let cut = shown.len().saturating_sub(room);
    let shown = &shown[..shown.len() - cut];
    let mut lines = vec![["flow", "metric", "original", "changed", "difference"].map(str::to_owned)];
    let mut last = "";
    for row in shown {
        let flow = if row.flow == last { "" } else { &row.flow };
        last = &row.flow;
        lines.push(cells(row, flow));
    }
    let widths: [usize; 5] =
        std::array::from_fn(|at| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0));
    let mut out = head.join("\n");
    out.push('\n');
    for [flow, metric, original, changed, difference] in lines {
        let [a, b, c, d, e] = widths;
        let line = format!("{flow:<a$}  {metric:<b$}  {original:>c$}  {changed:>d$}  {difference:>e$}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if shown.is_empty() {
        out.push_str("No value differs.\n");
    }
    if cut > 0 {
        let _ = writeln!(out, "{cut} more rows differ; --json has all");
    }
    if !rest.is_empty() {
        let _ = writeln!(out, "{} values are the same in both", rest.len());
    }
    out
}

fn cells(row: &Row, flow: &str) -> [String; 5] {
    let statistic = if row.statistic == Statistic::P99 { " p99" } else { "" };
    let part = if row.part.is_empty() { String::new() } else { format!(" {}", row.part) };
    let unit = if matches!(row.unit, "1" | "count") { String::new() } else { format!(" ({})", row.unit) };
    let title = title(row);
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), plain_number);
    let difference = match row.difference {
        Some(difference) => signed_number(difference, row.ci95),
        None => "–".to_owned(),
    };
    [
        flow.to_owned(),
        format!("{title}{part}{statistic}{unit}"),
        value(row.original),
        value(row.changed),
        difference,
    ]
}

/// A row's metric in words.
pub(super) fn title(row: &Row) -> String {
    let declared = metrics::DECLARED.iter().find(|declared| declared.metric.name == row.metric);
    declared.and_then(|declared| declared.title).map_or_else(|| row.metric.replace('_', " "), str::to_owned)
}

impl Answer {
    /// The names of the queue and of the flow of a decision.
    pub fn names(&self, reverted: &Reverted) -> [&str; 2] {
        let Some([record, _]) = self.pairs.first() else { return [""; 2] };
        let name = |kind, index| record.name(ObjectId { kind, index });
        [name(Kind::Queue, reverted.queue), name(Kind::Flow, reverted.flow.0)]
    }
}

/// A reverted decision in words.
fn decision(answer: &Answer, reverted: &Reverted) -> String {
    let [queue, flow] = answer.names(reverted);
    let flow = if flow.is_empty() { String::new() } else { format!(" of {flow}") };
    let Reverted { decision, at, packet, length, what, .. } = reverted;
    let what = match what {
        Decided::Drop(reason) => format!("dropped ({})", reason.name()),
        Decided::Mark(reason) => format!("marked ({})", reason.name()),
    };
    let identity = answer.pairs.first().and_then(|[record, _]| identity(record, *decision));
    let (carried, state) = identity.map_or_else(Default::default, |(carried, state)| (carried, state));
    let text = format!(
        "Decision {decision}: at {} {queue} {what} packet {packet}{flow}, {length} bytes{carried}{state}",
        seconds(*at)
    );
    wrapped_line(&text, WIDTH).trim_end().to_owned()
}

/// What the packet of a decision carried, and the state of its queue.
fn identity(record: &RunRecord, decision: u64) -> Option<(String, String)> {
    let found = record.drops.iter().find_map(|found| found.ok().filter(|found| found.id == decision))?;
    let identity = found.identity?;
    let carried = identity.content.map_or_else(String::new, |content| {
        let unit = content.unit.map_or_else(String::new, |unit| {
            let part = if unit.part == 0 { String::new() } else { format!(" part {}", unit.part) };
            format!(" of {} {}{part}", unit.kind.name(), unit.number)
        });
        let again = if content.retransmission { ", sent again" } else { "" };
        let last = content.offset + u64::from(content.length.max(1)) - 1;
        format!(" (bytes {} to {last}{unit}{again})", content.offset)
    });
    let state = identity.queue.map_or_else(String::new, |queue| {
        let name = |flow: jettison_wire::FlowId| {
            record.name(ObjectId { kind: Kind::Flow, index: flow.0 }).to_owned()
        };
        let mut holders: Vec<String> =
            queue.holders.iter().map(|(flow, packets)| format!("{} {packets}", name(*flow))).collect();
        if queue.others > 0 {
            holders.push(format!("others {}", queue.others));
        }
        let held = if holders.is_empty() { String::new() } else { format!(" ({})", holders.join(", ")) };
        format!("; left waiting: {} packets{held}", queue.packets)
    });
    Some((carried, state))
}

/// What a change did, in words.
fn effects(effects: Effects) -> String {
    let Effects { kept, unmarked, dropped, marked, bypassed, replaced } = effects;
    let counted = [
        (kept, "drop reverted", "drops reverted"),
        (unmarked, "mark reverted", "marks reverted"),
        (dropped, "packet dropped", "packets dropped"),
        (marked, "packet marked", "packets marked"),
        (bypassed, "packet past the queue", "packets past the queue"),
        (replaced, "discipline exchanged", "disciplines exchanged"),
    ];
    let done: Vec<String> = counted
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
        .collect();
    if done.is_empty() { "nothing to change".to_owned() } else { done.join(", ") }
}
