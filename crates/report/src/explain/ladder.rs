//! An explanation as a ladder: sender, queues and viewer side by side, time downwards.
//!
//! Each unit is drawn by its decisive packet, the one that the viewer waited for longest: where it waited, when it crossed a link,
//! and where it was dropped before.

use std::fmt::Write;

use jettison_core::Time;
use jettison_measure::Component;

use super::cause::CauseKind;
use super::chain::Explanation;
use super::evidence::{Account, Evidence, Part};
use super::words::{instant, seconds, unit_name};
use crate::html::escape;

const WIDTH: f64 = 460.0;
/// Room for the times at the left, and beside the last lane.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 46.0;
const HEIGHT: f64 = 420.0;
/// Most drops that are drawn besides the decisive ones.
const DROPS: usize = 200;
/// Width of a character.
const CHARACTER: f64 = 5.8;

const STYLE: &str = "\
.ladder { --ink: #1a1f24; --soft: #5b6670; --line: #c3cad1; --paper: #fff; --wait: #d55e00; --own: #0072b2; --gap: #8b4aa0; \
--bad: #c00020; font: 10px system-ui, \"Segoe UI\", Roboto, Helvetica, Arial, sans-serif; }
.ladder .dark { display: none; }
.ladder text { fill: var(--ink); } .ladder .soft { fill: var(--soft); } .ladder .paper { fill: var(--paper); }
.ladder .lane { stroke: var(--line); } .ladder .hop { stroke: var(--ink); stroke-width: 0.8; } \
.ladder .ask { stroke: var(--soft); stroke-width: 0.8; stroke-dasharray: 3 2; }
.ladder .wait { stroke: var(--wait); stroke-width: 4; } .ladder .own { stroke: var(--own); stroke-width: 4; } \
.ladder .gap { stroke: var(--gap); stroke-width: 4; }
.ladder .event { fill: var(--bad); opacity: 0.18; } .ladder .drop { stroke: var(--bad); stroke-width: 1.8; } \
.ladder .minor { stroke: var(--bad); stroke-width: 0.9; opacity: 0.6; } .ladder .lost { stroke: var(--bad); stroke-width: 0.8; }
@media (prefers-color-scheme: dark) { .ladder.alone { --ink: #e6e9ec; --soft: #a5afb8; --line: #4a545d; --paper: #14181c; \
--wait: #f0853a; --own: #56b4e9; --gap: #c792dd; --bad: #ff6b7d; } }
";

/// Style of the ladders in a page, which has it once.
pub const LADDER_STYLE: &str = STYLE;

/// Draws the ladder of an explanation. One that stands alone follows the reader's choice of light or dark.
pub fn ladder(explanation: &Explanation, evidence: &Evidence, is_alone: bool) -> String {
    Drawing::new(explanation, evidence).draw(is_alone)
}

struct Drawing<'a> {
    explanation: &'a Explanation,
    evidence: &'a Evidence,
    accounts: Vec<Account>,
    queues: Vec<String>,
    from: Time,
    to: Time,
    body: String,
}

/// Where a part of a delay is spent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Sender,
    Network,
    Viewer,
}

fn phase(part: &Part) -> Phase {
    match part.component {
        Component::Queue | Component::Serialisation | Component::Propagation | Component::Processing => {
            Phase::Network
        }
        Component::HeadOfLine | Component::Reassembly | Component::Dependency | Component::Playout => {
            Phase::Viewer
        }
        _ => Phase::Sender,
    }
}

/// An account whose unseen parts have sides: at the end that of the viewer, and before a request leaves also.
fn with_sides(account: &Account) -> Account {
    let mut account = account.clone();
    let is_network = |part: &Part| phase(part) == Phase::Network;
    let (first, last) =
        (account.parts.iter().position(is_network), account.parts.iter().rposition(is_network));
    let (Some(first), Some(last)) = (first, last) else { return account };
    let is_asked = account.parts[first..last].iter().any(|part| phase(part) == Phase::Sender);
    for (place, part) in account.parts.iter_mut().enumerate() {
        match part.component {
            Component::Unseen if place > last => part.component = Component::Reassembly,
            Component::Unseen if place < first && is_asked => part.component = Component::Handshake,
            _ => {}
        }
    }
    account
}

/// Parts with their beginnings: those of the request, if any, and those from the sender on.
fn halves(account: &Account) -> [Vec<(Time, &Part)>; 2] {
    let spans: Vec<(Time, &Part)> = account.spans().collect();
    let is_sender =
        |(_, part): &(Time, &Part)| phase(part) == Phase::Sender && part.component != Component::Handshake;
    let first = spans.iter().position(is_sender);
    let is_asked = spans.iter().take(first.unwrap_or(0)).any(|(_, part)| phase(part) == Phase::Network);
    match first.filter(|_| is_asked) {
        Some(first) => [spans[..first].to_vec(), spans[first..].to_vec()],
        None => [Vec::new(), spans],
    }
}

impl<'a> Drawing<'a> {
    fn new(explanation: &'a Explanation, evidence: &'a Evidence) -> Drawing<'a> {
        let event = &explanation.event;
        let is_member = |own: &&Account| {
            explanation.members.iter().any(|member| (member.unit, member.start) == (own.unit, own.start))
        };
        let accounts: Vec<Account> =
            evidence.accounts(&event.flow).iter().filter(is_member).map(with_sides).collect();
        let mut queues: Vec<String> = Vec::new();
        // What comes before the sender's last wait is the way of requests and of lost packets. Units without such a wait do not show
        // where it ends.
        let is_sender = |(_, part): &(Time, &Part)| phase(part) == Phase::Sender;
        let sent: Vec<Option<usize>> =
            accounts.iter().map(|own| halves(own)[1].iter().rposition(is_sender)).collect();
        let knows = sent.iter().any(Option::is_some);
        for (account, sent) in accounts.iter().zip(&sent).filter(|(_, sent)| sent.is_some() || !knows) {
            let [_, rest] = halves(account);
            for (_, part) in &rest[sent.map_or(0, |last| last + 1)..] {
                if phase(part) == Phase::Network && !part.place.is_empty() && !queues.contains(&part.place) {
                    queues.push(part.place.clone());
                }
            }
        }
        for cause in &explanation.causes {
            if cause.is_revertible() && !queues.contains(&cause.place) {
                queues.push(cause.place.clone());
            }
        }
        let starts = accounts.iter().map(|own| own.start).chain([event.at]);
        let ends = accounts.iter().map(|own| own.arrived()).chain([event.end()]);
        let (from, to) = (starts.min().unwrap_or(event.since), ends.max().unwrap_or(event.end()));
        Drawing { explanation, evidence, accounts, queues, from, to, body: String::new() }
    }

    /// Lanes are the sender, the queues, the viewer.
    fn x(&self, lane: usize) -> f64 {
        let lanes = self.queues.len() + 1;
        LEFT + 14.0 + (WIDTH - LEFT - RIGHT - 14.0) * lane as f64 / lanes as f64
    }

    fn y(&self, at: Time) -> f64 {
        let span = self.to.since(self.from).as_nanos().max(1) as f64;
        TOP + HEIGHT * (at.since(self.from).as_nanos() as f64 / span).min(1.0)
    }

    fn lane(&self, queue: &str) -> Option<usize> {
        Some(1 + self.queues.iter().position(|own| own == queue)?)
    }

    fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64), title: &str) {
        let title =
            if title.is_empty() { String::new() } else { format!("<title>{}</title>", escape(title)) };
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\">{title}</line>"
        );
    }

    fn cross(&mut self, class: &str, (x, y): (f64, f64), size: f64, title: &str) {
        let title = escape(title);
        let _ = writeln!(
            self.body,
            "<path class=\"{class}\" fill=\"none\" d=\"M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}\"><title>{title}</title></path>",
            x - size,
            y - size,
            x + size,
            y + size,
            x - size,
            y + size,
            x + size,
            y - size
        );
    }

    fn text(&mut self, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        );
    }

    fn draw(mut self, is_alone: bool) -> String {
        self.frame();
        self.event();
        for account in std::mem::take(&mut self.accounts) {
            self.account(&account);
        }
        self.drops();
        let height = TOP + HEIGHT + 62.0;
        self.legend();
        let title = escape(&super::words::event_line(&self.explanation.event));
        let (class, space, style) = match is_alone {
            true => {
                ("ladder alone", " xmlns=\"http://www.w3.org/2000/svg\"", format!("<style>{STYLE}</style>"))
            }
            false => ("ladder", "", String::new()),
        };
        format!(
            "<svg class=\"{class}\"{space} role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 {WIDTH} {height}\">\
             <title>{title}</title>{style}\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// Lanes with their names, and times.
    fn frame(&mut self) {
        let last = self.queues.len() + 1;
        let flow = self.explanation.event.flow.clone();
        let sender = self.accounts.iter().flat_map(|own| {
            let [_, rest] = halves(own);
            rest
        });
        let sender = sender.filter(|(_, part)| phase(part) == Phase::Sender && !part.place.is_empty());
        let sender = sender.map(|(_, part)| part.place.clone()).next().unwrap_or_else(|| "sender".to_owned());
        for lane in 0..=last {
            let x = self.x(lane);
            self.line("lane", (x, TOP), (x, TOP + HEIGHT), "");
            let name = match lane {
                0 => sender.clone(),
                lane if lane == last => flow.clone(),
                lane => self.queues[lane - 1].clone(),
            };
            let room = ((self.x(1) - self.x(0)) / CHARACTER) as usize;
            for (row, line) in lines(&name, room).iter().enumerate() {
                self.text("", "middle", (x, TOP - 26.0 + 11.0 * row as f64), line);
            }
        }
        for step in 0..=6u64 {
            let span = self.to.since(self.from).as_nanos();
            let at = Time::from_nanos(self.from.as_nanos() + span / 6 * step);
            let y = self.y(at);
            self.text("soft", "end", (LEFT - 6.0, y + 3.0), &instant(at));
        }
    }

    fn event(&mut self) {
        let event = &self.explanation.event;
        let x = self.x(self.queues.len() + 1);
        let (top, bottom) = (self.y(event.at), self.y(event.end()));
        let height = (bottom - top).max(3.0);
        let title = escape(&super::words::event_line(event));
        let _ = writeln!(
            self.body,
            "<rect class=\"event\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\"><title>{title}</title></rect>",
            x + 4.0,
            WIDTH - x - 6.0
        );
        let (kind, duration) = (event.kind.name(), seconds(event.duration.as_secs_f64()));
        let y = (top + bottom) / 2.0;
        self.text("", "start", (x + 8.0, y), kind);
        self.text("", "start", (x + 8.0, y + 11.0), &duration);
    }

    /// The way of a unit's decisive packet.
    fn account(&mut self, account: &Account) {
        let viewer = self.queues.len() + 1;
        let name = unit_name(account.unit);
        let [request, rest] = halves(account);
        if let (Some((from, _)), Some((to, _))) = (request.first(), rest.first()) {
            let (from, to) = ((self.x(viewer), self.y(*from)), (self.x(0), self.y(*to)));
            self.line("ask", from, to, &format!("request of {name}"));
        }
        let mut lane = 0;
        for (place, (from, part)) in rest.iter().enumerate() {
            let to = from.saturating_add(part.duration);
            let title = format!("{name}: {} {}", part.component.name(), seconds(part.duration.as_secs_f64()));
            match (phase(part), part.component) {
                (Phase::Sender, _) => {
                    let x = self.x(0);
                    self.line("own", (x, self.y(*from)), (x, self.y(to)), &title);
                    lane = 0;
                    if let Some(decision) = part.decision.and_then(|id| self.evidence.decision(id)) {
                        let at = self.lane(&decision.queue).map(|lane| (self.x(lane), self.y(decision.at)));
                        if let Some(at) = at.filter(|_| decision.at >= self.from) {
                            self.line("lost", (x, self.y(*from).min(at.1)), at, &title);
                        }
                    }
                }
                (Phase::Network, component) => {
                    let Some(here) = self.lane(&part.place) else { continue };
                    if here != lane {
                        self.line("hop", (self.x(lane), self.y(*from)), (self.x(here), self.y(*from)), &name);
                        lane = here;
                    }
                    if component == Component::Queue {
                        let x = self.x(lane);
                        self.line("wait", (x, self.y(*from)), (x, self.y(to)), &title);
                    } else if matches!(component, Component::Propagation) || !has_propagation(&rest, place) {
                        let next = rest[place + 1..].iter().find_map(|(_, own)| {
                            let own = (phase(own) == Phase::Network).then(|| self.lane(&own.place))??;
                            (own > lane).then_some(own)
                        });
                        let to_lane = next.unwrap_or(viewer);
                        self.line(
                            "hop",
                            (self.x(lane), self.y(*from)),
                            (self.x(to_lane), self.y(to)),
                            &title,
                        );
                        lane = to_lane;
                    }
                }
                (Phase::Viewer, Component::Playout) => {}
                (Phase::Viewer, _) => {
                    let x = self.x(viewer);
                    self.line("gap", (x, self.y(*from)), (x, self.y(to)), &title);
                }
            }
        }
    }

    /// Drops of the viewer's packets: large for those that decided.
    fn drops(&mut self) {
        let event = &self.explanation.event;
        let decisive: Vec<u64> = self
            .accounts_of_members()
            .flat_map(|own| own.parts.iter().filter_map(|part| part.decision))
            .chain(self.explanation.causes.iter().filter_map(|cause| cause.state.as_ref()?.decision))
            .collect();
        let causes = self.explanation.causes.iter().filter(|cause| cause.kind == CauseKind::Drops);
        let named: Vec<u64> = causes.flat_map(|cause| cause.decisions.iter().copied()).collect();
        let own: Vec<_> = self
            .evidence
            .decisions(self.from, self.to)
            .filter(|own| own.flow == event.flow)
            .map(|own| (own.id, own.at, own.queue.clone(), own.outcome.clone(), own.rule.clone()))
            .collect();
        let step = (own.len() / DROPS).max(1);
        for (place, (id, at, queue, outcome, rule)) in own.into_iter().enumerate() {
            let Some(lane) = self.lane(&queue) else { continue };
            let is_decisive = decisive.contains(&id);
            if !is_decisive && place % step > 0 {
                continue;
            }
            let at_point = (self.x(lane), self.y(at));
            let title = format!("{outcome} {id} by {rule} at {}", instant(at));
            match is_decisive || named.len() <= 3 && named.contains(&id) {
                true => self.cross("drop", at_point, 5.0, &title),
                false => self.cross("minor", at_point, 3.0, &title),
            }
        }
    }

    fn accounts_of_members(&self) -> impl Iterator<Item = &'a Account> {
        let members = &self.explanation.members;
        let evidence = self.evidence;
        let is_member = move |own: &&Account| {
            members.iter().any(|member| (member.unit, member.start) == (own.unit, own.start))
        };
        evidence.accounts(&self.explanation.event.flow).iter().filter(is_member)
    }

    fn legend(&mut self) {
        let y = TOP + HEIGHT + 20.0;
        let entries = [
            ("own", "the sender waits"),
            ("wait", "in a queue"),
            ("gap", "behind a gap"),
            ("hop", "on a link"),
            ("ask", "request"),
            ("drop", "decisive drop or mark"),
            ("minor", "another"),
        ];
        for (place, (class, what)) in entries.into_iter().enumerate() {
            let (column, row) = (place % 3, place / 3);
            let (x, y) = (12.0 + 150.0 * column as f64, y + 16.0 * row as f64);
            match class {
                "drop" => self.cross(class, (x + 7.0, y - 3.0), 5.0, ""),
                "minor" => self.cross(class, (x + 7.0, y - 3.0), 3.0, ""),
                class => self.line(class, (x, y - 3.0), (x + 14.0, y - 3.0), ""),
            }
            self.text("soft", "start", (x + 19.0, y), what);
        }
    }
}

/// Whether a part is followed by propagation over the same link, which is drawn with it.
fn has_propagation(rest: &[(Time, &Part)], place: usize) -> bool {
    rest.get(place + 1).is_some_and(|(_, next)| {
        next.component == Component::Propagation
            && rest.get(place).is_some_and(|(_, own)| own.place == next.place)
    })
}

/// A name in at most three lines.
fn lines(name: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_inclusive(['.', '-', ' ']) {
        match lines.last_mut() {
            Some(last) if last.chars().count() + word.chars().count() <= room => last.push_str(word),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.truncate(3);
    lines
}
