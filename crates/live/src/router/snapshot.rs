//! Snapshots of a running router.

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_measure::{Counts, Distribution, QueueMeter, metrics};
use jettison_queue::Backlog;
use jettison_sim::World;
use jettison_wire::FlowId;

use crate::host::latest;

/// A router's state at one time, with the changes since the previous snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RouterSnapshot {
    /// Time of the snapshot.
    pub at: Time,
    /// State of each queue, in the order of the world's directions.
    pub queues: Vec<QueueSnapshot>,
    /// Goodput of each flow since its start, in bytes.
    pub flow_bytes: Vec<u64>,
    /// One-way delay of each flow in the newest interval of its series, in milliseconds, if the router measures it.
    pub flow_delay_ms: Vec<Option<f64>>,
    /// Lateness of the packets written since the start or the end of the warm-up; zeros without packets.
    pub lateness: LatenessSnapshot,
}

/// State of one queue.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueueSnapshot {
    /// Current backlog.
    pub backlog: Backlog,
    /// Bytes that left for the link since the previous snapshot.
    pub departed_bytes: u64,
    /// Mean sojourn time of the packets that left since the previous snapshot; `None` without packets.
    pub sojourn: Option<Duration>,
    /// Non-zero drop counts since the start, by reason.
    pub drops: Vec<(DropReason, u64)>,
    /// Non-zero mark counts since the start, by reason.
    pub marks: Vec<(MarkReason, u64)>,
}

/// Lateness of written packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LatenessSnapshot {
    /// Median.
    pub median: Duration,
    /// 99th percentile.
    pub p99: Duration,
    /// Maximum.
    pub max: Duration,
}

/// Receiver of snapshots. It runs in the router's thread and must not block.
pub trait SnapshotSink {
    /// Receives a snapshot, whose memory is reused for the next.
    fn take(&mut self, snapshot: &RouterSnapshot);
}

impl<F: FnMut(&RouterSnapshot)> SnapshotSink for F {
    fn take(&mut self, snapshot: &RouterSnapshot) {
        self(snapshot);
    }
}

/// Creates snapshots.
#[derive(Debug, Default)]
pub(super) struct Observer {
    snapshot: RouterSnapshot,
    queues: Vec<QueueTotals>,
    flow_bytes: Vec<u64>,
    lateness: Distribution,
}

/// Totals of a queue's packets.
#[derive(Debug, Clone, Default)]
struct QueueTotals {
    /// Totals of the warm-up, at whose end the recorder restarts.
    kept: Totals,
    /// Totals at the previous snapshot.
    before: Totals,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    bytes: u64,
    packets: u64,
    sojourn: u128,
    drops: Counts<u64, { DropReason::ALL.len() }>,
    marks: Counts<u64, { MarkReason::ALL.len() }>,
}

impl Totals {
    fn of(meter: &QueueMeter) -> Totals {
        Totals {
            bytes: meter.departed_bytes(),
            packets: meter.departed_packets(),
            sojourn: meter.sojourn().sum_nanos(),
            drops: Counts(*meter.drops()),
            marks: Counts(*meter.marks()),
        }
    }

    fn add(&mut self, other: &Totals) {
        self.bytes += other.bytes;
        self.packets += other.packets;
        self.sojourn += other.sojourn;
        let add = |(sum, more): (&mut u64, &u64)| *sum += more;
        self.drops.iter_mut().zip(&*other.drops).for_each(add);
        self.marks.iter_mut().zip(&*other.marks).for_each(add);
    }
}

impl Observer {
    /// Records the lateness of a written packet.
    #[inline]
    pub fn record_lateness(&mut self, lateness: Duration) {
        self.lateness.record(lateness);
    }

    /// Keeps the totals so far, before the recorder restarts.
    pub fn keep(&mut self, world: &mut World) {
        self.size_for(world);
        self.lateness.clear();
        let recorder = world.recorder();
        for (index, queue) in self.queues.iter_mut().enumerate() {
            queue.kept.add(&Totals::of(recorder.queue(index as u32)));
        }
        for (index, kept) in self.flow_bytes.iter_mut().enumerate() {
            *kept += recorder.flow(FlowId(index as u32)).map_or(0, |meter| meter.goodput_bytes());
        }
    }

    /// Takes a snapshot.
    pub fn observe(&mut self, world: &mut World) -> &RouterSnapshot {
        self.size_for(world);
        let snapshot = &mut self.snapshot;
        snapshot.at = world.now();
        for (queue, backlog) in snapshot.queues.iter_mut().zip(world.backlogs()) {
            queue.backlog = backlog;
        }
        let recorder = world.recorder();
        for (index, (queue, totals)) in snapshot.queues.iter_mut().zip(&mut self.queues).enumerate() {
            let mut now = Totals::of(recorder.queue(index as u32));
            now.add(&totals.kept);
            let packets = now.packets - totals.before.packets;
            queue.departed_bytes = now.bytes - totals.before.bytes;
            let sojourn = now.sojourn - totals.before.sojourn;
            queue.sojourn =
                (packets > 0).then(|| Duration::from_nanos((sojourn / u128::from(packets)) as u64));
            totals.before = now;
            queue.drops.clear();
            queue.drops.extend(DropReason::ALL.into_iter().zip(*now.drops).filter(|(_, count)| *count > 0));
            queue.marks.clear();
            queue.marks.extend(MarkReason::ALL.into_iter().zip(*now.marks).filter(|(_, count)| *count > 0));
        }
        for (index, (bytes, kept)) in snapshot.flow_bytes.iter_mut().zip(&self.flow_bytes).enumerate() {
            *bytes = kept + recorder.flow(FlowId(index as u32)).map_or(0, |meter| meter.goodput_bytes());
        }
        let at = snapshot.at;
        for (index, delay) in snapshot.flow_delay_ms.iter_mut().enumerate() {
            *delay = latest(recorder, index, metrics::OWD, at);
        }
        snapshot.lateness = LatenessSnapshot {
            median: self.lateness.quantile(0.5),
            p99: self.lateness.quantile(0.99),
            max: self.lateness.max(),
        };
        snapshot
    }

    fn size_for(&mut self, world: &mut World) {
        let queues = world.direction_names().count();
        let flows = world.recorder().flow_count();
        self.snapshot.queues.resize_with(queues, QueueSnapshot::default);
        self.snapshot.flow_bytes.resize(flows, 0);
        self.snapshot.flow_delay_ms.resize(flows, None);
        self.queues.resize_with(queues, QueueTotals::default);
        self.flow_bytes.resize(flows, 0);
    }
}
