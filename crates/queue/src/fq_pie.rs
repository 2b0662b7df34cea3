//! `fq-pie`: flow queueing with PIE (the scheduler of RFC 8290, the AQM of RFC 8033).
//!
//! Flows are hashed into queues. A byte-based deficit round robin serves the queues, newly active queues first, and each
//! queue has its own PIE, which drops or marks on arrival. So each flow's delay settles at `target`, and a sparse flow neither
//! waits behind bulk flows nor pays for their probability. As in Linux's discipline of this name (tc-fq_pie(8)), an arrival
//! that exceeds the common limit is dropped, whatever its queue.
//!
//! Units: `quantum` in bytes per round; probabilities in [0, 1]; `alpha` and `beta` in Hz (probability per second of delay,
//! per update); delays are times (gauges in ms).

use std::collections::VecDeque;

use jettison_core::{Bytes, DropReason, Duration, Gauges, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, TAN};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::pi2::DelayFrom;
use crate::pie::PieParameters;
use crate::{
    Backlog, Chain, Hertz, InLinux, Limit, PacketPool, PieDecision, PieSettings, PieState, Qdisc,
    QdiscContext, QueueChange, QueueDiscipline, QueueSetting, UpdateTimer, pie_state,
};

/// Registry entry of the discipline. Its gauges are PIE's, of the queue with the largest backlog.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("fq-pie", "FQ-PIE", build)
        .style(TAN, Dashed)
        .summary("One PIE queue per flow, served by deficit round robin, new flows first")
        .source("RFC 8033, RFC 8290 §4, tc-fq_pie(8)")
        .page("disciplines/fq-pie.md")
        .gauges(pie_state::GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of FQ-PIE: those of the scheduler, and PIE's with RFC 8033's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FqPieParameters {
    /// Number of queues that flows are hashed into.
    pub flows: u32,
    /// Bytes per queue and round (RFC 8290 §5.2.4).
    pub quantum: Bytes,
    /// Target queueing delay of each queue (QDELAY_REF, RFC 8033 §4.2).
    pub target: Duration,
    /// Time between two updates of the drop probabilities (T_UPDATE, RFC 8033 §4.2).
    pub t_update: Duration,
    /// Integral gain: change of the probability per update and per second of delay above target (RFC 8033 §4.2).
    pub alpha: Hertz,
    /// Proportional gain: change of the probability per update and per second of delay growth (RFC 8033 §4.2).
    pub beta: Hertz,
    /// Burst allowance: duration of a burst before the first drop (MAX_BURST, RFC 8033 §4.4).
    pub max_burst: Duration,
    /// No drops while the backlog of the flow's queue is at most two packets of this size (MEAN_PKTSIZE, RFC 8033 §4.1).
    pub mean_pktsize: Bytes,
    /// Estimate of the queueing delay: sojourn time of the queue's head, or the queue's backlog over its measured departure
    /// rate (RFC 8033 §4.3, §5.2).
    pub delay: DelayFrom,
    /// Derandomisation: no drop before the probabilities since the queue's last drop add up to 0.85, a certain drop at 8.5
    /// (RFC 8033 §5.4).
    pub derandomise: bool,
    /// Limits the rise of a probability >= 10 % to 2 percentage points per update (RFC 8033 §5.5).
    pub cap_adjustment: bool,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them, up to `mark_ecnth` (RFC 8033 §5.1).
    pub ecn: bool,
    /// Highest probability at which packets are marked, in [0, 1]; above it they are dropped (RFC 8033 §5.1).
    pub mark_ecnth: f64,
    /// Limit of all queues together, in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for FqPieParameters {
    fn default() -> FqPieParameters {
        let pie = PieParameters::default();
        FqPieParameters {
            flows: 1024,
            quantum: Bytes::new(1514),
            target: pie.target,
            t_update: pie.t_update,
            alpha: pie.alpha,
            beta: pie.beta,
            max_burst: pie.max_burst,
            mean_pktsize: pie.mean_pktsize,
            delay: pie.delay,
            derandomise: pie.derandomise,
            cap_adjustment: pie.cap_adjustment,
            ecn: pie.ecn,
            mark_ecnth: pie.mark_ecnth,
            limit: Limit { packets: 10_240, bytes: 32 << 20 },
        }
    }
}

/// Queue indices are 16 bits wide.
const MAX_FLOWS: u32 = 65_536;
const MAX_QUANTUM: u64 = 1_000_000_000;

impl FqPieParameters {
    fn settings(&self) -> Result<PieSettings, ParameterError> {
        let in_range = (1..=MAX_FLOWS).contains(&self.flows);
        ParameterError::require(in_range, "flows", "be in [1, 65536]", self.flows)?;
        let in_range = (1..=MAX_QUANTUM).contains(&self.quantum.get());
        ParameterError::require(in_range, "quantum", "be in [1 byte, 1 GB]", self.quantum)?;
        let settings = PieSettings {
            target: self.target,
            t_update: self.t_update,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            mean_pktsize: self.mean_pktsize.get(),
            delay: self.delay,
            derandomise: self.derandomise,
            cap_adjustment: self.cap_adjustment,
            ecn: self.ecn,
            mark_ecnth: self.mark_ecnth,
        };
        settings.check()?;
        Ok(settings)
    }
}

fn build(
    parameters: FqPieParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let perturbation = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(FqPie::new(&parameters, perturbation, (context.random)("drop"))?))
}

/// Linux's `fq_pie`: tc-fq_pie(8).
fn qdisc(parameters: FqPieParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let FqPieParameters { flows, quantum, ecn, mark_ecnth, limit, .. } = parameters;
    let percent = mark_ecnth * 100.0;
    let whole = (percent - percent.round()).abs() < 1e-9;
    ParameterError::require(whole, "mark_ecnth", "be whole percents for `tc`", mark_ecnth)?;
    // Its own default is Linux's too, so that limit is not one of many full-size packets.
    let in_memory = limit.bytes == FqPieParameters::default().limit.bytes;
    let in_packets = if in_memory { Limit::packets(limit.packets) } else { limit };
    let mut qdisc = Qdisc::new("fq_pie")
        .packet_limit(in_packets, context)
        .option("flows", flows)
        .option("quantum", quantum.get());
    if in_memory {
        qdisc = qdisc.option("memory_limit", limit.bytes);
    }
    let qdisc = parameters.settings()?.in_linux(qdisc)?.option("ecn_prob", percent.round() as u64);
    Ok(qdisc.word(if ecn { "ecn" } else { "noecn" }))
}

/// Flow queues, each under its own PIE.
#[derive(Debug, Clone)]
pub struct FqPie {
    settings: PieSettings,
    quantum: i64,
    limit: Limit,
    /// Seed of the flow hash, different in each run, so collisions vary between runs (RFC 8290 §4.1).
    perturbation: u64,
    /// Source of the drop decisions of all queues.
    random: RandomStream,

    updates: UpdateTimer,
    pool: PacketPool,
    queues: Vec<FlowQueue>,
    /// Newly active queues that have not used up their first quantum.
    new: VecDeque<u16>,
    /// Active queues that have used up a quantum.
    old: VecDeque<u16>,
    /// Queues that take part in updates: all but those that are empty and whose PIE is at rest.
    updated: Vec<u16>,
    backlog: Backlog,
}

#[derive(Debug, Clone)]
struct FlowQueue {
    packets: Chain,
    pie: PieState,
    /// Bytes that the queue may still send in this round; negative after sending more than its quantum.
    credits: i64,
    /// Whether the queue is in `new` or `old`.
    is_active: bool,
    /// Whether the queue is in `updated`.
    is_updated: bool,
}

impl FqPie {
    /// Creates empty queues; `perturbation` seeds the flow hash, and drops are drawn from `random`. The first update is one
    /// `t_update` after time zero.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: &FqPieParameters,
        perturbation: u64,
        random: RandomStream,
    ) -> Result<FqPie, ParameterError> {
        let settings = parameters.settings()?;
        let flows = parameters.flows as usize;
        let queue = FlowQueue {
            packets: Chain::default(),
            pie: PieState::new(&settings),
            credits: 0,
            is_active: false,
            is_updated: false,
        };
        Ok(FqPie {
            settings,
            quantum: parameters.quantum.get() as i64,
            limit: parameters.limit,
            perturbation,
            random,
            updates: UpdateTimer::new(parameters.t_update),
            pool: PacketPool::default(),
            queues: vec![queue; flows],
            new: VecDeque::with_capacity(flows),
            old: VecDeque::with_capacity(flows),
            updated: Vec::with_capacity(flows),
            backlog: Backlog::default(),
        })
    }

    /// Index of the packet's queue: the hash of the five-tuple, scaled to the number of queues (RFC 8290 §4.1).
    #[inline]
    fn classify(&self, packet: &Packet) -> u16 {
        let hash = packet.flow_hash(self.perturbation);
        ((u128::from(hash) * self.queues.len() as u128) >> 64) as u16
    }

    /// Updates the probability of each queue (RFC 8033 §4.2). An update of an empty queue at rest changes nothing that its
    /// next arrival would see, so such queues leave the list: an update costs no more than the recently busy queues.
    fn update(&mut self, now: Time) {
        let FqPie { settings, pool, queues, updated, .. } = self;
        updated.retain(|index| {
            let queue = &mut queues[usize::from(*index)];
            let head = pool.head(&queue.packets);
            let qdelay = queue.pie.queueing_delay(settings, head, queue.packets.backlog(), now);
            queue.pie.update(settings, qdelay);
            queue.is_updated = !(queue.packets.is_empty() && queue.pie.is_at_rest());
            queue.is_updated
        });
    }

    /// The queue with the largest backlog in bytes; the lowest index among equals. `None` while all are empty.
    fn fattest(&self) -> Option<&FlowQueue> {
        let busy = self.queues.iter().filter(|queue| !queue.packets.is_empty());
        busy.rev().max_by_key(|queue| queue.packets.backlog().bytes)
    }
}

impl QueueDiscipline for FqPie {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let index = self.classify(&packet);
        let FqPie { settings, pool, .. } = self;
        let queue = &mut self.queues[usize::from(index)];
        if !self.limit.admits(self.backlog, packet.meta.length) {
            queue.pie.dropped();
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let (head, backlog) = (pool.head(&queue.packets), queue.packets.backlog());
        queue.pie.restore_allowance(settings, |pie| pie.queueing_delay(settings, head, backlog, now));
        match queue.pie.judge(settings, &mut packet, backlog.bytes, &mut self.random) {
            PieDecision::Queue => {}
            PieDecision::Mark => out.marked(&packet, MarkReason::Pie, now),
            PieDecision::Drop => return out.dropped(packet, DropReason::Pie, now),
        }
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.meta.length);
        pool.push(&mut queue.packets, packet, backlog.packets, now);
        if !queue.is_active {
            queue.is_active = true;
            queue.credits = self.quantum;
            self.new.push_back(index);
        }
        if !queue.is_updated {
            queue.is_updated = true;
            self.updated.push(index);
        }
    }

    /// Deficit round robin, new queues first (RFC 8290 §4.2).
    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let queue = &mut self.queues[usize::from(index)];
            if queue.credits <= 0 {
                // Its quantum is used up: on to the back of the old list with a fresh one.
                queue.credits += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            if let Some(packet) = self.pool.pop(&mut queue.packets) {
                queue.credits -= i64::from(packet.meta.length);
                queue.pie.departed(&self.settings, packet.meta.length, queue.packets.backlog(), now);
                self.backlog.packets -= 1;
                self.backlog.bytes -= u64::from(packet.meta.length);
                return Some(packet);
            }
            list.pop_front();
            if is_new {
                // An emptied new queue must pass through the old list before it can be new again. Otherwise a flow that
                // sends one packet whenever its queue is empty would starve the old queues.
                self.old.push_back(index);
            } else {
                queue.is_active = false;
            }
        }
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if self.updates.is_due(now) {
            self.update(now);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        Some(self.updates.next())
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        match self.fattest() {
            Some(queue) => queue.pie.report(true, out),
            None => pie_state::GAUGES.iter().for_each(|gauge| out.set(gauge, f64::NAN)),
        }
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Target(target) } if !target.is_zero() => {
                self.settings.target = target;
                true
            }
            _ => false,
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        vec![QueueSetting::Target(self.settings.target)]
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

#[cfg(test)]
mod tests {
    //! Each rule of tc-fq_pie(8), RFC 8290 §4 and RFC 8033 per queue.

    use super::*;
    use crate::testing::{build_error, built, packet_of};
    use jettison_core::{Gauge, Seed};
    use jettison_measure::{NoOutcomes, Tally};
    use jettison_wire::Ecn;
    use serde_json::{Value, json};

    const AT: fn(u64) -> Time = Time::from_millis;

    fn fq_pie(parameters: &FqPieParameters) -> FqPie {
        let random = Seed(1).stream(&["fq-pie"]);
        FqPie::new(parameters, 7, random).unwrap_or_else(|error| panic!("{error}"))
    }

    fn of(queue: &mut FqPie, flow: u16) -> &mut FlowQueue {
        let index = queue.classify(&packet_of(flow, 0, 100));
        &mut queue.queues[usize::from(index)]
    }

    fn drain(queue: &mut FqPie, now: Time) -> Vec<u32> {
        std::iter::from_fn(|| queue.dequeue(now, &mut NoOutcomes)).map(|packet| packet.meta.id).collect()
    }

    /// Fills flows 1 and 2, which have different queues, with ids from 100 and 200.
    fn two_backlogged(parameters: &FqPieParameters, each: u32) -> FqPie {
        let mut queue = fq_pie(parameters);
        assert_ne!(queue.classify(&packet_of(1, 0, 100)), queue.classify(&packet_of(2, 0, 100)));
        for n in 0..each {
            queue.enqueue(packet_of(1, 100 + n, 1500), Time::ZERO, &mut NoOutcomes);
            queue.enqueue(packet_of(2, 200 + n, 1500), Time::ZERO, &mut NoOutcomes);
        }
        queue
    }

    /// Flow 1 sends two packets per millisecond and flow 2 a small one per four, for `ms` milliseconds; the link carries one
    /// packet per millisecond. Ids of flow 2 begin at 1,000,000.
    fn bulk_and_sparse(queue: &mut FqPie, ecn: Ecn, ms: u32) -> (Tally, Vec<Duration>) {
        let (mut tally, mut sparse_waits) = (Tally::default(), Vec::new());
        for t in 0..ms {
            let now = AT(u64::from(t));
            while queue.next_wakeup().is_some_and(|at| at <= now) {
                queue.handle_wakeup(now, &mut tally);
            }
            let mut send = |flow, id, length| {
                let mut packet = packet_of(flow, id, length);
                packet.meta.traffic_class = ecn as u8;
                queue.enqueue(packet, now, &mut tally);
            };
            send(1, 2 * t, 1500);
            send(1, 2 * t + 1, 1500);
            if t % 4 == 0 {
                send(2, 1_000_000 + t, 100);
            }
            let sent = queue.dequeue(now, &mut tally).filter(|packet| packet.meta.id >= 1_000_000);
            sparse_waits.extend(sent.map(|packet| now.since(packet.meta.enqueued_at)));
        }
        (tally, sparse_waits)
    }

    #[test]
    fn flows_are_hashed_by_five_tuple_and_keep_their_queue() {
        // tc-fq_pie(8), RFC 8290 §4.1
        let queue = fq_pie(&FqPieParameters::default());
        let queues: std::collections::BTreeSet<u16> =
            (0..1000).map(|flow| queue.classify(&packet_of(flow, 0, 100))).collect();
        // 1,000 balls in 1,024 bins fill 638 of them on average.
        assert!((580..700).contains(&queues.len()), "{}", queues.len());
        assert_eq!(queue.classify(&packet_of(5, 1, 100)), queue.classify(&packet_of(5, 2, 1500)));
    }

    #[test]
    fn a_queue_sends_a_quantum_in_its_turn() {
        // RFC 8290 §4.2
        let parameters = FqPieParameters { quantum: Bytes::new(3000), ..Default::default() };
        let mut queue = two_backlogged(&parameters, 4);
        assert_eq!(drain(&mut queue, Time::ZERO), [100, 101, 200, 201, 102, 103, 202, 203]);
    }

    #[test]
    fn a_new_queue_is_served_before_the_old_ones() {
        // tc-fq_pie(8), RFC 8290 §4.2
        let mut queue = two_backlogged(&FqPieParameters::default(), 50);
        (0..10).for_each(|_| drop(queue.dequeue(Time::ZERO, &mut NoOutcomes)));
        queue.enqueue(packet_of(3, 300, 100), Time::ZERO, &mut NoOutcomes);
        assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.id), Some(300));
    }

    #[test]
    fn an_emptied_new_queue_goes_through_the_old_list_first() {
        // tc-fq_pie(8), RFC 8290 §4.2: a flow cannot stay new by sending whenever its queue is empty.
        let mut queue = two_backlogged(&FqPieParameters::default(), 500);
        (0..10).for_each(|_| drop(queue.dequeue(Time::ZERO, &mut NoOutcomes)));
        let mut own = 0;
        for n in 0..300 {
            if of(&mut queue, 3).packets.is_empty() {
                queue.enqueue(packet_of(3, 3000 + n, 1500), Time::ZERO, &mut NoOutcomes);
            }
            let sent = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("there is a backlog");
            own += u32::from(sent.meta.id >= 3000);
        }
        assert!((75..=110).contains(&own), "{own} of 300");
    }

    #[test]
    fn an_emptied_old_queue_leaves_the_lists() {
        let mut queue = two_backlogged(&FqPieParameters::default(), 2);
        drain(&mut queue, Time::ZERO);
        assert!(queue.new.is_empty() && queue.old.is_empty());
        assert!(queue.queues.iter().all(|flow| !flow.is_active));
        assert_eq!(queue.backlog(), Backlog::default());
    }

    #[test]
    fn an_arrival_beyond_the_limit_is_dropped_whatever_its_queue() {
        // tc-fq_pie(8): "Incoming packets are dropped when the limit is reached."
        let mut queue = fq_pie(&FqPieParameters { limit: Limit::packets(5), ..Default::default() });
        let mut tally = Tally::default();
        (0..5).for_each(|id| queue.enqueue(packet_of(1, id, 1500), Time::ZERO, &mut tally));
        of(&mut queue, 2).pie.accu_prob = 0.8;
        queue.enqueue(packet_of(2, 9, 100), Time::ZERO, &mut tally);
        assert_eq!(tally.drops, [(9, DropReason::BufferFull, Time::ZERO)]);
        // RFC 8033 §5.4, appendix B: any drop resets the sum of the probabilities of its queue.
        assert_eq!(of(&mut queue, 2).pie.accu_prob, 0.0);
        assert_eq!(queue.backlog(), Backlog { packets: 5, bytes: 7500 });
    }

    #[test]
    fn each_queue_has_its_own_probability() {
        // tc-fq_pie(8): each flow is managed by PIE. A sparse flow beside a bulk flow loses nothing and does not wait.
        let mut queue = fq_pie(&FqPieParameters::default());
        let (tally, sparse_waits) = bulk_and_sparse(&mut queue, Ecn::NotEct, 20_000);
        assert!(tally.drops.len() > 10_000, "{}", tally.drops.len());
        assert!(tally.drops.iter().all(|drop| drop.0 < 1_000_000 && drop.1 == DropReason::Pie));
        // At most the bulk flow's quantum, two packets, is served in between.
        assert_eq!(sparse_waits.len(), 5000);
        assert!(sparse_waits.iter().all(|wait| *wait <= Duration::from_millis(2)));
        assert!(of(&mut queue, 1).pie.drop_prob() > 0.3);
        assert_eq!(of(&mut queue, 2).pie.drop_prob(), 0.0);
    }

    #[test]
    fn one_queue_is_pie() {
        let one = json!({ "kind": "fq-pie", "flows": 1 });
        let pie = json!({ "kind": "pie", "limit": "10240 packets" });
        let drops = [one, pie].map(|parameters| {
            let (mut queue, mut tally) = (built(parameters), Tally::default());
            for t in 0..6000u32 {
                let now = AT(u64::from(t));
                if queue.next_wakeup().is_some_and(|at| at <= now) {
                    queue.handle_wakeup(now, &mut tally);
                }
                // An idle time of a second every three seconds.
                if t % 3000 < 2000 {
                    queue.enqueue(packet_of((t % 9) as u16, t, 1500), now, &mut tally);
                }
                if t % 3 != 0 {
                    queue.dequeue(now, &mut tally);
                }
            }
            tally.drops
        });
        assert!(drops[0].len() > 100, "{}", drops[0].len());
        assert_eq!(drops[0], drops[1]);
    }

    #[test]
    fn packets_are_marked_up_to_mark_ecnth_and_dropped_above() {
        // tc-fq_pie(8): ecn is off by default, `ecn_prob` is 10 %; RFC 8033 §5.1
        let run = |ecn, mark_ecnth| {
            let mut queue = fq_pie(&FqPieParameters { ecn, mark_ecnth, ..Default::default() });
            bulk_and_sparse(&mut queue, Ecn::Ect0, 3000).0
        };
        let off = run(false, 0.1);
        assert!(off.marks.is_empty() && off.drops.len() > 100);
        let on = run(true, 0.1);
        assert!(on.marks.len() > 10 && on.marks.iter().all(|mark| mark.1 == MarkReason::Pie));
        assert!(!on.drops.is_empty(), "this load does not react, so the probability exceeds 10 %");
        assert!(run(true, 1.0).drops.is_empty());
    }

    #[test]
    fn the_delay_may_come_from_each_queues_departure_rate() {
        // tc-fq_pie(8): dq_rate_estimator. Each of two flows gets half of one packet per millisecond.
        let mut queue =
            two_backlogged(&FqPieParameters { delay: DelayFrom::Rate, ..Default::default() }, 100);
        (1..=60).for_each(|t| drop(queue.dequeue(AT(t), &mut NoOutcomes)));
        let settings = queue.settings;
        let flow = of(&mut queue, 1);
        let qdelay = flow.pie.queueing_delay(&settings, None, flow.packets.backlog(), AT(60));
        assert_eq!(flow.packets.backlog().packets, 70);
        assert!((qdelay.as_millis_f64() - 140.0).abs() < 5.0, "{qdelay}");
    }

    #[test]
    fn updates_come_every_t_update_and_skip_queues_at_rest() {
        // tc-fq_pie(8): `tupdate` is 15 ms.
        let mut queue = two_backlogged(&FqPieParameters::default(), 1);
        assert_eq!(queue.next_wakeup(), Some(AT(15)));
        queue.handle_wakeup(AT(15), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), Some(AT(30)));
        assert_eq!(queue.updated.len(), 2);
        drain(&mut queue, AT(20));
        let mut now = AT(30);
        while !queue.updated.is_empty() {
            queue.handle_wakeup(now, &mut NoOutcomes);
            now = queue.updates.next();
            assert!(now < Time::from_secs(10), "the probability must return to zero");
        }
        assert!(queue.queues.iter().all(|flow| !flow.is_updated && flow.pie.is_at_rest()));
        queue.enqueue(packet_of(1, 9, 100), now, &mut NoOutcomes);
        assert_eq!(queue.updated.len(), 1);
        assert_eq!(of(&mut queue, 1).pie.burst_allowance(), Duration::from_millis(150));
    }

    #[test]
    fn gauges_are_of_the_queue_with_the_largest_backlog() {
        let mut queue = fq_pie(&FqPieParameters::default());
        let reported = |queue: &FqPie| {
            let mut taken: Vec<(Gauge, String, f64)> = Vec::new();
            queue.gauges(AT(15), &mut taken);
            taken.into_iter().map(|(gauge, _, value)| (gauge.name, value)).collect::<Vec<_>>()
        };
        assert!(reported(&queue).iter().all(|(_, value)| value.is_nan()));
        queue.enqueue(packet_of(1, 1, 1500), AT(0), &mut NoOutcomes);
        (2..6).for_each(|id| queue.enqueue(packet_of(2, id, 100), AT(10), &mut NoOutcomes));
        queue.handle_wakeup(AT(15), &mut NoOutcomes);
        let names = ["pie_probability", "pie_delay", "pie_burst_allowance"];
        let probability = 1.25 * 0.015 / 2048.0;
        assert_eq!(reported(&queue), names.into_iter().zip([probability, 15.0, 135.0]).collect::<Vec<_>>());
    }

    #[test]
    fn defaults_are_those_of_the_manual_page() {
        // tc-fq_pie(8); alpha and beta are there in sixteenths: 2 and 20.
        let defaults = FqPieParameters::default();
        assert_eq!((defaults.flows, defaults.quantum), (1024, Bytes::new(1514)));
        assert_eq!(
            (defaults.target, defaults.t_update),
            (Duration::from_millis(15), Duration::from_millis(15))
        );
        assert_eq!((defaults.alpha.get(), defaults.beta.get()), (2.0 / 16.0, 20.0 / 16.0));
        assert_eq!((defaults.ecn, defaults.mark_ecnth, defaults.delay), (false, 0.1, DelayFrom::Sojourn));
        assert_eq!(defaults.limit, Limit { packets: 10_240, bytes: 32 << 20 });
    }

    #[test]
    fn parameters_out_of_range_are_refused_with_their_key() {
        let error = |key: &str, value: Value| build_error(json!({ "kind": "fq-pie", key: value })).0;
        assert_eq!(error("flows", json!(0)), "flows");
        assert_eq!(error("flows", json!(65_537)), "flows");
        assert_eq!(error("quantum", json!("0 bytes")), "quantum");
        assert_eq!(error("t_update", json!("0 ms")), "t_update");
        assert_eq!(error("mark_ecnth", json!(1.01)), "mark_ecnth");
    }
}
