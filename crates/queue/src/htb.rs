//! `htb`: hierarchical token bucket. Classes in a tree share a rate; each leaf has a discipline of its own.
//!
//! Each class has a `rate`, which it is guaranteed, and a `ceil`, which it never exceeds. A class below its rate sends. A class
//! at its rate but below its ceiling borrows: it sends at the expense of the nearest ancestor below that one's rate. Classes
//! that need not borrow go first, then those that borrow from the lowest ancestor; among equals the lowest `prio` goes first,
//! and classes of equal `prio` share by deficit round robin in proportion to their `quantum`.
//!
//! A packet is charged to the ceilings of its class and of all ancestors, and to the rates of the lender and of all above. A
//! charge may leave a debt: a class sends while it has no debt.
//!
//! Reference: tc-htb(8); Fu, *htb* (slides: class modes, link sharing); what both leave open was measured with sch_htb of
//! Linux 6.1. Units: rates in bit/s; sizes in bytes.

use jettison_core::{DropReason, Gauge, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::Entry;
use jettison_registry::style::{Line::Dotted, RASPBERRY};
use jettison_wire::Packet;

use crate::entry::Discipline;
use crate::{
    Backlog, Classifier, Framing, InLinux, Limit, QueueChange, QueueDiscipline, QueueSetting, TokenBucket,
};

mod parameters;
mod qdisc;

pub use parameters::{ClassParameters, HtbParameters};

/// Gauges of the internal state, besides those of the leaves' disciplines. Each class is a part, by its name.
const GAUGES: &[Gauge] = &[BACKLOG, TOKENS, CEIL_TOKENS];

const BACKLOG: Gauge = Gauge::new("htb_backlog", "packets", "Packets in a leaf (the part).");
const TOKENS: Gauge =
    Gauge::new("htb_tokens", "bytes", "Tokens of `rate` of a class (the part); negative for a debt.");
const CEIL_TOKENS: Gauge =
    Gauge::new("htb_ceil_tokens", "bytes", "Tokens of `ceil` of a class (the part); negative for a debt.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("htb", "HTB", parameters::build)
        .style(RASPBERRY, Dotted)
        .summary("Classes share a rate: each has its own, and borrows what others leave, to a ceiling")
        .source("tc-htb(8)")
        .page("disciplines/htb.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc::qdisc))
}

/// Highest number of `prio`, and of levels of the tree, plus one.
const PRIOS: usize = 8;
const LEVELS: usize = 8;

/// Classes of a tree with the disciplines of its leaves.
#[derive(Clone)]
pub struct Htb {
    limit: Limit,
    overhead: Framing,
    classifier: Classifier,
    /// Leaf of packets that no rule matches.
    default: u16,
    /// Parents before their children; the root first.
    classes: Vec<Class>,
    leaves: Vec<Leaf>,
    /// Leaf whose turn it is among the leaves below their own rates, by `prio`.
    turns: [u16; PRIOS],
    /// Number of the current dequeue.
    round: u64,
    backlog: Backlog,
    link: Rate,
    seen: Time,
    /// Time at which a leaf may send, set when a dequeue came too early.
    refused: Option<Time>,
}

#[derive(Clone)]
struct Class {
    name: String,
    parent: Option<u16>,
    /// 0 for a leaf; an inner class is higher the nearer it is to the root.
    level: u8,
    tokens: TokenBucket,
    ceil: TokenBucket,
    /// Leaf whose turn it is among those that borrow from the class, by `prio`. A turn per lender: with one for all of a
    /// level, a borrower from another lender would take the place of one whose own lender has nothing to lend just then.
    turns: [u16; PRIOS],
    /// Rate and ceiling of the scenario.
    configured: [Rate; 2],
}

#[derive(Clone)]
struct Leaf {
    class: u16,
    prio: u8,
    quantum: i64,
    queue: Box<dyn QueueDiscipline>,
    /// Bytes that it may still send before the next leaf's turn, by level of the lender.
    deficits: [i64; LEVELS],
    /// Dequeue in which the discipline had no packet to give.
    skipped: u64,
}

/// Whether a leaf may send.
enum Permission {
    /// At the expense of this class.
    Lender(u16),
    /// Not before this time.
    NotBefore(Time),
}

impl Htb {
    /// Adds the tokens that have arrived, in the leaf's class and all above.
    #[inline]
    fn refill(&mut self, leaf: usize, now: Time) {
        let mut at = Some(self.leaves[leaf].class);
        while let Some(class) = at.map(|at| &mut self.classes[usize::from(at)]) {
            class.tokens.refill(now);
            class.ceil.refill(now);
            at = class.parent;
        }
    }

    /// Whether a leaf may send, by the tokens of the last refill.
    #[inline]
    fn permission(&self, leaf: usize) -> Permission {
        let (mut at, mut ceilings, mut earliest) = (Some(self.leaves[leaf].class), Time::ZERO, Time::MAX);
        let mut below = false;
        while let Some((number, class)) = at.map(|at| (at, &self.classes[usize::from(at)])) {
            // A class above its ceiling may not even borrow.
            if class.ceil.in_debt() {
                below = true;
                ceilings = ceilings.max(class.ceil.due(0));
            }
            if !class.tokens.in_debt() && !below {
                return Permission::Lender(number);
            }
            let own = if class.tokens.in_debt() { class.tokens.due(0) } else { Time::ZERO };
            earliest = earliest.min(ceilings.max(own));
            at = class.parent;
        }
        Permission::NotBefore(earliest)
    }

    /// The leaf whose turn it is among those of a priority that a lender has.
    #[inline]
    fn turn(&mut self, lender: u16, prio: u8) -> &mut u16 {
        let class = &mut self.classes[usize::from(lender)];
        let turns = if class.level == 0 { &mut self.turns } else { &mut class.turns };
        &mut turns[usize::from(prio)]
    }

    /// The leaf that sends next, with its lender; if none may, the time at which one may.
    #[inline]
    fn choose(&mut self, now: Time) -> Result<(usize, u16), Option<Time>> {
        let mut earliest = None;
        // The best rank found, with the leaf that comes first in its round.
        let mut best: Option<((u8, u8, u16), usize, u16)> = None;
        let count = self.leaves.len() as u16;
        for number in 0..self.leaves.len() {
            let leaf = &self.leaves[number];
            if leaf.skipped == self.round || leaf.queue.backlog().packets == 0 {
                continue;
            }
            self.refill(number, now);
            let prio = self.leaves[number].prio;
            match self.permission(number) {
                Permission::Lender(lender) => {
                    let turn = *self.turn(lender, prio);
                    let distance = if number as u16 >= turn {
                        number as u16 - turn
                    } else {
                        number as u16 + count - turn
                    };
                    let rank = (self.classes[usize::from(lender)].level, prio, distance);
                    if best.is_none_or(|(other, ..)| rank < other) {
                        best = Some((rank, number, lender));
                    }
                }
                Permission::NotBefore(at) => {
                    earliest = Some(earliest.map_or(at, |other: Time| other.min(at)))
                }
            }
        }
        best.map(|(_, leaf, lender)| (leaf, lender)).ok_or(earliest)
    }

    /// Charges a packet to the buckets, and to the leaf's turn.
    #[inline]
    fn charge(&mut self, leaf: usize, lender: u16, bytes: u64) {
        let level = self.classes[usize::from(lender)].level;
        let sender = &mut self.leaves[leaf];
        sender.deficits[usize::from(level)] -= bytes as i64;
        let (prio, uses_up) = (sender.prio, sender.deficits[usize::from(level)] <= 0);
        let mut at = Some(sender.class);
        *self.turn(lender, prio) = leaf as u16;
        if uses_up {
            self.end_turn(leaf, lender);
        }
        while let Some(class) = at.map(|at| &mut self.classes[usize::from(at)]) {
            if class.level >= level {
                class.tokens.take(bytes);
            }
            class.ceil.take(bytes);
            at = class.parent;
        }
    }

    /// Gives a leaf a fresh quantum and the next leaf the turn.
    #[inline]
    fn end_turn(&mut self, leaf: usize, lender: u16) {
        let level = usize::from(self.classes[usize::from(lender)].level);
        let next = if leaf + 1 == self.leaves.len() { 0 } else { leaf as u16 + 1 };
        let sender = &mut self.leaves[leaf];
        sender.deficits[level] += sender.quantum;
        let prio = sender.prio;
        *self.turn(lender, prio) = next;
    }

    /// Whether a leaf has sent more than its quantum. It is passed over until it has made up for that.
    #[inline]
    fn owes(&mut self, leaf: usize, lender: u16) -> bool {
        let level = usize::from(self.classes[usize::from(lender)].level);
        let owes = self.leaves[leaf].deficits[level] < 0;
        if owes {
            self.end_turn(leaf, lender);
        }
        owes
    }

    /// Scales the rates of all classes so that the root's is `rate`. The tokens stay.
    pub fn set_rate(&mut self, rate: Rate) {
        let whole = u128::from(self.classes[0].configured[0].as_bits());
        let scaled = |configured: Rate| {
            let bits = u128::from(configured.as_bits()) * u128::from(rate.as_bits()) / whole;
            Rate::from_bits(u64::try_from(bits).unwrap_or(u64::MAX).max(1))
        };
        for class in &mut self.classes {
            let buckets = [&mut class.tokens, &mut class.ceil];
            for (bucket, configured) in buckets.into_iter().zip(class.configured) {
                bucket.refill(self.seen);
                bucket.set(scaled(configured), bucket.depth());
            }
        }
        if self.refused.is_some() {
            // What may leave by the new rates is found at the next dequeue.
            self.refused = Some(self.seen);
        }
        self.tell_capacities();
    }

    /// Tells each leaf the highest rate at which it is served.
    fn tell_capacities(&mut self) {
        for leaf in &mut self.leaves {
            let ceil = self.classes[usize::from(leaf.class)].ceil.rate();
            leaf.queue.capacity_changed(ceil.min(self.link), self.seen);
        }
    }

    #[inline]
    fn count(&mut self, leaf: usize, before: Backlog) {
        let after = self.leaves[leaf].queue.backlog();
        self.backlog = Backlog {
            packets: self.backlog.packets + after.packets - before.packets,
            bytes: self.backlog.bytes + after.bytes - before.bytes,
        };
    }
}

impl QueueDiscipline for Htb {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.seen = now;
        if self.limit != Limit::UNLIMITED && !self.limit.admits(self.backlog, packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let leaf = usize::from(self.classifier.find(&packet).unwrap_or(self.default));
        let before = self.leaves[leaf].queue.backlog();
        self.leaves[leaf].queue.enqueue(packet, now, out);
        self.count(leaf, before);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.seen = now;
        self.refused = None;
        self.round += 1;
        loop {
            let (leaf, lender) = match self.choose(now) {
                Ok(chosen) => chosen,
                Err(at) => {
                    self.refused = at;
                    return None;
                }
            };
            if self.owes(leaf, lender) {
                continue;
            }
            let before = self.leaves[leaf].queue.backlog();
            let packet = self.leaves[leaf].queue.dequeue(now, out);
            self.count(leaf, before);
            match packet {
                Some(packet) => {
                    self.charge(leaf, lender, u64::from(self.overhead.size(packet.meta.length)));
                    return Some(packet);
                }
                // Its discipline has dropped all, or is not ready: another leaf's turn.
                None => self.leaves[leaf].skipped = self.round,
            }
        }
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        self.seen = now;
        if self.refused.is_some_and(|at| at <= now) {
            self.refused = None;
        }
        for leaf in 0..self.leaves.len() {
            if self.leaves[leaf].queue.next_wakeup().is_some_and(|at| at <= now) {
                let before = self.leaves[leaf].queue.backlog();
                self.leaves[leaf].queue.handle_wakeup(now, out);
                self.count(leaf, before);
            }
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.leaves.iter().filter_map(|leaf| leaf.queue.next_wakeup()).chain(self.refused).min()
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        for class in &self.classes {
            out.set_part(&TOKENS, &class.name, class.tokens.bytes(now));
            out.set_part(&CEIL_TOKENS, &class.name, class.ceil.bytes(now));
        }
        for leaf in &self.leaves {
            let mut out = jettison_core::PartOf::new(out, &self.classes[usize::from(leaf.class)].name);
            out.set(&BACKLOG, leaf.queue.backlog().packets as f64);
            leaf.queue.gauges(now, &mut out);
        }
    }

    fn wants_idle_polls(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.queue.wants_idle_polls())
    }

    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        (self.link, self.seen) = (rate, now);
        self.tell_capacities();
    }

    /// [`QueueSetting::Bandwidth`] for all classes scales the rates; other settings go to the leaves' disciplines.
    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Bandwidth(rate) } if !rate.is_zero() => {
                self.set_rate(rate);
                true
            }
            QueueChange { setting: QueueSetting::Bandwidth(_), .. } | QueueChange { class: Some(_), .. } => {
                false
            }
            _ => {
                let mut changed = false;
                for leaf in &mut self.leaves {
                    changed |= leaf.queue.reconfigure(change);
                }
                changed
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

#[cfg(test)]
mod tests;
