//! Causes: what the units of an event waited for beyond what is usual, traced to drops, waits, links and senders.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_measure::{Component, Status, Unit, UnitKind};

use super::evidence::{Account, Decision, Event, Evidence, Part};
use super::typical::{Key, Typical, sums};

/// Least share of all excess for a cause to be named.
const LEAST_SHARE: f64 = 0.1;
/// Most causes of an event.
const MOST: usize = 4;
/// Below this share of the members' delays, the excess explains nothing: what is usual is too much.
const LEAST_EXCESS: f64 = 0.2;
/// How long before frames that their sender held back or did not send the reason is looked for, the shortest first: an estimate of
/// the path's rate falls within some round trips, and recovers within seconds.
const BEFORE: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];
/// Share of the sender's part that an earlier time's excess must reach to explain it.
const LEAST_BEFORE: f64 = 0.1;
/// Share of its longest wait below which a queue is not taken to be filling yet.
const FILLING: f64 = 0.1;
/// How far back the beginning of a queue's filling is looked for.
const FILLED_WITHIN: Duration = Duration::from_secs(8);
/// How far from a wait a decision may be that tells the queue's state then.
const NEAR: Duration = Duration::from_secs(1);

/// Kind of cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseKind {
    /// Drops and marks of the viewer's packets at a queue, and the repair that they made necessary.
    Drops,
    /// Waits in a queue.
    Waits,
    /// A link or switch that took longer.
    Link,
    /// The sender had nothing to send or did not send it.
    Sender,
    /// Losses without a drop in a queue that is known.
    Losses,
    /// A host's kernel in a live run, which nobody sees into.
    Unseen,
}

/// State of a queue at one decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidenced {
    /// When.
    pub at: Time,
    /// The decision, if the state is that of one.
    pub decision: Option<u64>,
    /// Packets that waited.
    pub backlog: Option<u64>,
    /// Whose packets waited.
    pub holders: String,
    /// Gauges of the discipline.
    pub gauges: String,
}

/// A cause of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Kind.
    pub kind: CauseKind,
    /// Queue, link or host.
    pub place: String,
    /// Part of the members' excess that it explains.
    pub excess: Duration,
    /// The same as a share of the excess of all causes.
    pub share: f64,
    /// From when it acted.
    pub from: Time,
    /// Until when it acted, included.
    pub to: Time,
    /// Beginning of its longest part.
    pub worst: Time,
    /// Names of the components, with their excess, in descending order.
    pub components: Vec<(String, Duration)>,
    /// Of drops: the viewer's drops and marks at the queue in that time, by number.
    pub decisions: Vec<u64>,
    /// Of drops: the rules that fired, with counts.
    pub rules: Vec<(String, usize)>,
    /// Of drops: whether they acted mostly by keeping the congestion window small, so that without them its packets would wait
    /// instead: the flow's share of the link was too small.
    pub is_share: bool,
    /// Why the sender sent nothing, of senders.
    pub reason: String,
    /// State of the queue.
    pub state: Option<Evidenced>,
}

/// Share of a queue from which on a flow waits for itself.
const OWN_SHARE: f64 = 0.5;

impl CauseKind {
    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            CauseKind::Drops => "drops",
            CauseKind::Waits => "waits",
            CauseKind::Link => "link",
            CauseKind::Sender => "sender",
            CauseKind::Losses => "losses",
            CauseKind::Unseen => "unseen",
        }
    }
}

impl Cause {
    /// Whether the viewer's own packets held the queue, so that they waited for the link; `None` if that is not known.
    pub fn is_own(&self, flow: &str) -> Option<bool> {
        let holders = &self.state.as_ref()?.holders;
        let counts = holders.split(", ").filter_map(|own| {
            let (name, count) = own.rsplit_once(' ')?;
            Some((name, count.parse::<f64>().ok()?))
        });
        let counts: Vec<(&str, f64)> = counts.collect();
        let all: f64 = counts.iter().map(|(_, count)| count).sum();
        let own: f64 = counts.iter().filter(|(name, _)| *name == flow).map(|(_, count)| count).sum();
        (all > 0.0).then_some(own >= OWN_SHARE * all)
    }

    /// Whether a counterfactual run can do without it: drops and waits of a queue.
    pub fn is_revertible(&self) -> bool {
        matches!(self.kind, CauseKind::Drops | CauseKind::Waits) && !self.place.is_empty()
    }
}

/// What has been gathered of a cause.
#[derive(Debug, Default)]
struct Gathered {
    excess: f64,
    /// The part of the excess that is that of a full window.
    window: f64,
    components: BTreeMap<Component, f64>,
    span: Option<(Time, Time)>,
    /// Excess by decision.
    decisions: BTreeMap<u64, f64>,
    /// The longest wait: its excess, and when it began.
    worst: Option<(f64, Time)>,
    reasons: BTreeMap<String, f64>,
}

impl Gathered {
    fn add(&mut self, component: Component, excess: f64, from: Time, to: Time) {
        self.excess += excess;
        *self.components.entry(component).or_default() += excess;
        self.cover(from, to);
        if self.worst.is_none_or(|(most, _)| excess > most) {
            self.worst = Some((excess, from));
        }
    }

    fn cover(&mut self, from: Time, to: Time) {
        self.span = Some(match self.span {
            Some((first, last)) => (first.min(from), last.max(to)),
            None => (from, to),
        });
    }
}

/// The causes of an event, and whether they are what is usual for the flow.
pub(super) struct Causes {
    pub causes: Vec<Cause>,
    pub is_usual: bool,
    /// Excess of all members, by component and place.
    pub excess: BTreeMap<Key, u64>,
}

/// Finds the causes of an event from its members.
pub(super) fn causes(event: &Event, members: &[&Account], evidence: &Evidence) -> Causes {
    let mut typical = Typical::of(evidence, &event.flow);
    let unusual = gather(event, members, evidence, |account| typical.like(account.unit).clone());
    let took: f64 = members.iter().map(|own| own.arrived().since(own.start).as_nanos() as f64).sum();
    let total: f64 = unusual.0.values().map(|own| own.excess).sum();
    let is_usual = total < LEAST_EXCESS * took;
    let (gathered, excess) = match is_usual {
        true => gather(event, members, evidence, |_| BTreeMap::new()),
        false => unusual,
    };
    let total: f64 = gathered.values().map(|own| own.excess).sum();
    let named = gathered.into_iter().filter(|(_, own)| own.excess > 0.0 && own.excess >= LEAST_SHARE * total);
    let mut causes: Vec<Cause> =
        named.map(|((kind, place), own)| finished(event, kind, place, own, total, evidence)).collect();
    causes.sort_by(|one, other| other.excess.cmp(&one.excess).then_with(|| one.place.cmp(&other.place)));
    causes.truncate(MOST);
    Causes { causes, is_usual, excess }
}

/// Whether a sender waited for acknowledgements.
fn is_window(component: Component) -> bool {
    matches!(component, Component::Window | Component::Pacing)
}

type GatheredBy = BTreeMap<(CauseKind, String), Gathered>;

/// Adds up what exceeds the usual, by cause.
fn gather(
    event: &Event,
    members: &[&Account],
    evidence: &Evidence,
    mut usual: impl FnMut(&Account) -> BTreeMap<Key, u64>,
) -> (GatheredBy, BTreeMap<Key, u64>) {
    let (mut gathered, all) = gather_once(event, members, evidence, &mut usual);
    if event.is_of_frames() {
        take_adaptation(event, &mut gathered, evidence, usual);
    }
    (gathered, all)
}

fn gather_once(
    event: &Event,
    members: &[&Account],
    evidence: &Evidence,
    mut usual: impl FnMut(&Account) -> BTreeMap<Key, u64>,
) -> (GatheredBy, BTreeMap<Key, u64>) {
    let mut gathered = GatheredBy::new();
    let mut all = BTreeMap::new();
    // What has no decision of its own: windows and gaps, which earlier drops or the queue explain.
    let mut pending: Vec<(Component, String, f64, Time, Time)> = Vec::new();
    let mut missing: Vec<&Account> = Vec::new();
    for account in members {
        let usual = usual(account);
        let own = sums(account);
        for (key, sum) in &own {
            *all.entry(key.clone()).or_default() += sum.saturating_sub(usual.get(key).copied().unwrap_or(0));
        }
        for (from, part) in account.spans() {
            let Part { component, place, duration, decision } = part;
            let key = (*component, place.clone());
            let sum = own.get(&key).copied().unwrap_or(0);
            let beyond = sum.saturating_sub(usual.get(&key).copied().unwrap_or(0));
            if beyond == 0 || matches!(component, Component::Playout | Component::Dependency) {
                continue;
            }
            let excess = duration.as_nanos() as f64 * beyond as f64 / sum as f64;
            let to = from.saturating_add(*duration);
            // What a node drops, such as the rest of an abandoned response, is a consequence.
            let decision = decision.and_then(|id| evidence.decision(id));
            if let Some(decision) = decision.filter(|own| !own.queue.is_empty()) {
                let drops = gathered.entry((CauseKind::Drops, decision.queue.clone())).or_default();
                drops.add(*component, excess, decision.came(), decision.at);
                if is_window(*component) {
                    drops.window += excess;
                    drops.cover(decision.at, to);
                }
                *drops.decisions.entry(decision.id).or_default() += excess;
                continue;
            }
            let kind = match component {
                Component::Queue => CauseKind::Waits,
                Component::Serialisation
                | Component::Propagation
                | Component::Processing
                | Component::Device => CauseKind::Link,
                Component::Handshake
                | Component::Application
                | Component::ReceiveWindow
                | Component::Attempt => CauseKind::Sender,
                _ => {
                    pending.push((*component, place.clone(), excess, from, to));
                    continue;
                }
            };
            gathered.entry((kind, place.clone())).or_default().add(*component, excess, from, to);
        }
        if account.status == Status::Never && account.reason != "dependency" {
            missing.push(account);
        }
    }
    take_missing(event, &missing, evidence, &mut gathered);
    take_pending(event, pending, &mut gathered, evidence);
    (gathered, all)
}

/// Whether more of a queue in which packets wait makes it longer: with a full window no further packet is sent. What a live run's
/// kernel waited for is not seen, but of a sender that has data most is its window.
fn grows_with_waits(component: Component) -> bool {
    is_window(component) || component == Component::Unseen
}

/// Lays windows and gaps to the drops before them or to the waits.
fn take_pending(
    event: &Event,
    pending: Vec<(Component, String, f64, Time, Time)>,
    gathered: &mut GatheredBy,
    evidence: &Evidence,
) {
    for (component, place, excess, from, to) in pending {
        let Laid { cause, acted } = explained_by(event, (component, excess), to, gathered, evidence)
            .unwrap_or_else(|| {
                let kind = match component {
                    Component::Unseen => CauseKind::Unseen,
                    component if is_window(component) => CauseKind::Sender,
                    _ => CauseKind::Losses,
                };
                Laid { cause: (kind, place), acted: None }
            });
        let own = gathered.entry(cause).or_default();
        let is_wait = own.decisions.is_empty() && acted.is_none();
        let span = own.span;
        own.add(component, excess, from, to);
        own.window += if is_window(component) { excess } else { 0.0 };
        if let Some((first, last)) = acted {
            own.cover(first, last);
        } else if is_wait {
            // A window that is full because packets wait adds nothing to when they do.
            own.span = span.or(own.span);
        }
    }
}

/// Units that never came: each weighs what the event lasted, in equal parts.
fn take_missing(event: &Event, missing: &[&Account], evidence: &Evidence, gathered: &mut GatheredBy) {
    let weight = event.duration.as_nanos() as f64 / missing.len().max(1) as f64;
    for account in missing {
        let drops: Vec<&Decision> = evidence
            .decisions(account.start, event.end())
            .filter(|own| own.flow == event.flow && carries(own, account.unit) && own.outcome != "mark")
            .collect();
        for drop in &drops {
            let own = gathered.entry((CauseKind::Drops, drop.queue.clone())).or_default();
            let excess = weight / drops.len() as f64;
            own.add(Component::Reassembly, excess, drop.came(), drop.at);
            *own.decisions.entry(drop.id).or_default() += excess;
        }
        if drops.is_empty() {
            let kind = if account.reason == "lost" { CauseKind::Losses } else { CauseKind::Sender };
            let place = account.parts.iter().map(|part| &part.place).find(|place| !place.is_empty());
            let own = gathered.entry((kind, place.cloned().unwrap_or_default())).or_default();
            own.add(Component::Application, weight, account.start, account.end);
            *own.reasons.entry(account.reason.clone()).or_default() += weight;
        }
    }
}

/// Whether a dropped packet carried a part of a unit: of a frame also one of its messages.
fn carries(decision: &Decision, unit: Unit) -> bool {
    decision.unit.is_some_and(|own| {
        own == unit
            || (own.kind, unit.kind) == (UnitKind::Message, UnitKind::Frame) && own.number == unit.number
    })
}

/// Frames that the sender held back or never sent: it adapts to what its packets met before. The senders' part goes to the waits
/// and drops of that time, if there were more than usual.
fn take_adaptation(
    event: &Event,
    gathered: &mut GatheredBy,
    evidence: &Evidence,
    mut usual: impl FnMut(&Account) -> BTreeMap<Key, u64>,
) {
    let is_sender = |kind: CauseKind| kind == CauseKind::Sender;
    let held: f64 =
        gathered.iter().filter(|((kind, _), _)| is_sender(*kind)).map(|(_, own)| own.excess).sum();
    if held <= 0.0 {
        return;
    }
    let (mut found, mut total) = (GatheredBy::new(), 0.0);
    for before in BEFORE {
        let from = Time::from_nanos(event.since.as_nanos().saturating_sub(before.as_nanos()));
        let units: Vec<&Account> = evidence
            .accounts(&event.flow)
            .iter()
            .filter(|own| matches!(own.unit.kind, UnitKind::Message | UnitKind::Frame))
            .filter(|own| own.start >= from && own.start < event.since)
            .collect();
        let earlier = Event { since: from, ..event.clone() };
        (found, _) = gather_once(&earlier, &units, evidence, &mut usual);
        found.retain(|(kind, place), own| {
            matches!(kind, CauseKind::Drops | CauseKind::Waits) && !place.is_empty() && own.excess > 0.0
        });
        total = found.values().map(|own| own.excess).sum();
        if total >= LEAST_BEFORE * held {
            break;
        }
    }
    // Less explains nothing: the sender kept to itself for reasons that the tables do not have.
    if total <= 0.0 || total < LEAST_BEFORE * held {
        return;
    }
    gathered.retain(|(kind, _), _| !is_sender(*kind));
    for (cause, own) in found {
        let share = held / total;
        let target = gathered.entry(cause).or_default();
        target.excess += own.excess * share;
        target.window += own.window * share;
        for (component, excess) in own.components {
            *target.components.entry(component).or_default() += excess * share;
        }
        for (decision, excess) in own.decisions {
            *target.decisions.entry(decision).or_default() += excess * share;
        }
        if let Some((first, last)) = own.span {
            target.cover(first, last);
        }
        target.worst = target.worst.or(own.worst);
    }
}

/// The cause to which a wait is laid, and when it acted, if it did not act during the wait.
struct Laid {
    cause: (CauseKind, String),
    acted: Option<(Time, Time)>,
}

/// What explains a full window or a gap without a decision of its own: the flow's drops and marks before it, at the queue with
/// most of them; without any, the queue in which its packets waited longest beyond the usual.
fn explained_by(
    event: &Event,
    (component, excess): (Component, f64),
    to: Time,
    gathered: &GatheredBy,
    evidence: &Evidence,
) -> Option<Laid> {
    let mut found: BTreeMap<&str, (usize, Time, Time)> = BTreeMap::new();
    let is_own = |own: &&Decision| own.flow == event.flow && !own.queue.is_empty();
    for decision in evidence.decisions(event.since, to).filter(is_own) {
        let own = found.entry(&decision.queue).or_insert((0, decision.at, decision.at));
        *own = (own.0 + 1, own.1.min(decision.came()), decision.at);
    }
    let by_drops = found.into_iter().max_by_key(|(_, (count, ..))| *count);
    let waits = gathered.iter().filter(|((kind, _), _)| *kind == CauseKind::Waits);
    let longest = waits.max_by(|one, other| one.1.excess.total_cmp(&other.1.excess));
    // A sender of frames adapts its rate to what happened long before; that is looked for later.
    let is_enough = |own: &Gathered| !event.is_of_frames() || own.excess >= excess;
    let by_waits = longest.filter(|(_, own)| grows_with_waits(component) && is_enough(own));
    by_drops
        .map(|(queue, (_, first, last))| Laid {
            cause: (CauseKind::Drops, queue.to_owned()),
            acted: Some((first, last)),
        })
        .or_else(|| by_waits.map(|(cause, _)| Laid { cause: cause.clone(), acted: None }))
}

fn finished(
    event: &Event,
    kind: CauseKind,
    place: String,
    gathered: Gathered,
    total: f64,
    evidence: &Evidence,
) -> Cause {
    let nanos = |value: f64| Duration::from_nanos(value as u64);
    let (from, to) = gathered.span.unwrap_or((event.since, event.end()));
    let mut components: Vec<(String, Duration)> =
        gathered.components.iter().map(|(own, excess)| (own.name().to_owned(), nanos(*excess))).collect();
    components.sort_by_key(|(_, excess)| std::cmp::Reverse(*excess));
    let (mut decisions, mut rules) = (Vec::new(), BTreeMap::<String, usize>::new());
    let mut state = None;
    if kind == CauseKind::Drops {
        let own = evidence.decisions(from, to).filter(|own| own.flow == event.flow && own.queue == place);
        for decision in own {
            decisions.push(decision.id);
            let rule = if decision.outcome == "mark" { "mark by " } else { "" };
            *rules.entry(format!("{rule}{}", decision.rule)).or_default() += 1;
        }
        let heaviest = gathered.decisions.iter().max_by(|one, other| one.1.total_cmp(other.1));
        // What was laid to all of them has no one decision: the longest unseen part began near this one.
        let is_unseen = gathered.components.contains_key(&Component::Unseen);
        let nearest = || {
            let worst = gathered.worst.map_or(from, |(_, at)| at);
            let own = decisions.iter().filter_map(|id| evidence.decision(*id)).filter(|_| is_unseen);
            own.min_by_key(|decision| decision.at.as_nanos().abs_diff(worst.as_nanos()))
        };
        state = heaviest.and_then(|(id, _)| evidence.decision(*id)).or_else(nearest).map(state_at);
    } else if kind == CauseKind::Waits {
        let worst = gathered.worst.map_or(from, |(_, at)| at);
        state = evidence.nearest(&place, worst, NEAR).map(state_at);
    }
    let worst = gathered.worst.map_or(from, |(_, at)| at);
    let mut rules: Vec<(String, usize)> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let is_share = kind == CauseKind::Drops && gathered.window >= 0.5 * gathered.excess;
    let reason = gathered.reasons.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    let mut cause = Cause {
        kind,
        place,
        excess: nanos(gathered.excess),
        share: gathered.excess / total.max(1.0),
        from,
        to,
        worst,
        components,
        decisions,
        rules,
        is_share,
        reason: reason.map(|(reason, _)| reason).unwrap_or_default(),
        state,
    };
    // Its share was too small until the event was over.
    if is_share {
        cause.to = cause.to.max(event.end());
    }
    let is_own = cause.is_own(&event.flow);
    if kind == CauseKind::Waits && is_own != Some(false) || kind == CauseKind::Drops && is_own == Some(true) {
        cause.from = filled_from(&event.flow, &cause, evidence);
    }
    cause
}

/// When a queue began to fill with the packets of a flow: the waits of its units overlap from then on until the cause acted.
fn filled_from(flow: &str, cause: &Cause, evidence: &Evidence) -> Time {
    let earliest = Time::from_nanos(cause.from.as_nanos().saturating_sub(FILLED_WITHIN.as_nanos()));
    let units = evidence.accounts(flow).iter().filter(|own| own.end >= earliest && own.start <= cause.to);
    let waits = units.flat_map(|own| own.spans()).filter(|(at, part)| {
        // A packet that a link sends through an outage holds up those behind it.
        matches!(part.component, Component::Queue | Component::Serialisation)
            && part.place == cause.place
            && *at >= earliest
            && *at <= cause.to
    });
    let mut waits: Vec<(Time, Time)> =
        waits.map(|(at, part)| (at, at.saturating_add(part.duration))).collect();
    let longest = waits.iter().map(|(from, to)| to.since(*from).as_nanos()).max().unwrap_or(0);
    waits.retain(|(from, to)| to.since(*from).as_nanos() as f64 >= FILLING * longest as f64);
    // The latest end first: each wait that reaches into what is known extends it.
    waits.sort_by_key(|(_, to)| std::cmp::Reverse(*to));
    waits
        .into_iter()
        .fold(cause.from, |from, (began, ended)| if ended >= from { from.min(began) } else { from })
}

fn state_at(decision: &Decision) -> Evidenced {
    Evidenced {
        at: decision.at,
        decision: Some(decision.id),
        backlog: decision.backlog,
        holders: decision.holders.clone(),
        gauges: decision.gauges.clone(),
    }
}
