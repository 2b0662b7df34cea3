//! Events for the live page.

use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_live::host::{Reading, Readings};
use jettison_live::router::RouterSnapshot;
use jettison_watch::{Event, FlowSnapshot, Lateness, Layout, QueueSnapshot, Snapshot};

/// Converts the router's snapshots to events.
pub struct Watching {
    run: u32,
    last: Time,
    flow_bytes: Vec<u64>,
    readings: Arc<Readings>,
}

impl Watching {
    /// Creates the converter of a run; `readings` holds the hosts' measurements.
    pub fn new(layout: &Layout, readings: Arc<Readings>) -> Watching {
        let flow_bytes = vec![0; layout.flows.len()];
        Watching { run: layout.run, last: Time::ZERO, flow_bytes, readings }
    }

    /// Converts a snapshot to an event.
    pub fn event(&mut self, router: &RouterSnapshot) -> Event {
        let span = router.at.since(self.last);
        self.last = router.at;
        let queues = router.queues.iter().map(|queue| QueueSnapshot {
            backlog_packets: queue.backlog.packets,
            backlog_bytes: queue.backlog.bytes,
            sojourn_ms: queue.sojourn.map(milliseconds),
            throughput_mbit: mbit(queue.departed_bytes, span),
            drops: queue.drops.iter().map(|(reason, count)| (reason.name().to_owned(), *count)).collect(),
            marks: queue.marks.iter().map(|(_, count)| count).sum(),
        });
        let queues = queues.collect();
        let flows = router.flow_bytes.iter().zip(&mut self.flow_bytes).enumerate();
        let flows = flows.map(|(flow, (bytes, before))| {
            let carried = bytes.saturating_sub(*before);
            *before = *bytes;
            let Reading { rtt_ms, owd_ms, buffer_s } = self.readings.of(flow);
            let owd_ms = owd_ms.or(router.flow_delay_ms.get(flow).copied().flatten());
            FlowSnapshot { goodput_mbit: mbit(carried, span), owd_ms, rtt_ms, buffer_s }
        });
        let flows = flows.collect();
        let microseconds = |duration: Duration| duration.as_nanos() as f64 / 1e3;
        let late = router.lateness;
        let lateness_us = Lateness {
            p50: microseconds(late.median),
            p99: microseconds(late.p99),
            max: microseconds(late.max),
        };
        Event::Snapshot(Snapshot { run: self.run, time_s: seconds(router.at), queues, flows, lateness_us })
    }
}

/// A time of the run in seconds.
pub fn seconds(at: Time) -> f64 {
    at.since(Time::ZERO).as_nanos() as f64 / 1e9
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

fn mbit(bytes: u64, span: Duration) -> f64 {
    match span.as_nanos() {
        0 => 0.0,
        nanos => bytes as f64 * 8e3 / nanos as f64,
    }
}
