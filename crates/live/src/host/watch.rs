//! Series of TCP sockets that external programs opened.

use std::net::SocketAddr;

use jettison_core::Time;
use jettison_measure::{Kind, Metric, ObjectId, Recorder, metrics};
use jettison_wire::FlowId;
use rustc_hash::FxHashMap;

use super::diag::DiagSampler;
use super::owner::Totals;
use super::tcp_info::{TcpInfo, TcpReading};
use super::{HostSockets, Watched};

/// All watched flows, with one sampler per host.
#[derive(Debug, Default)]
pub(super) struct Watch {
    samplers: Vec<(usize, DiagSampler)>,
    flows: Vec<WatchedFlow>,
}

#[derive(Debug)]
struct WatchedFlow {
    watched: Watched,
    /// Last reading of each socket, closed ones included.
    last: FxHashMap<(SocketAddr, SocketAddr), TcpInfo>,
    /// Totals of sockets whose addresses were reused by another socket.
    replaced: Totals,
    before: Totals,
}

impl Watch {
    /// Creates one sampler per watched host. Failures are added to the notes.
    pub(super) fn new(watched: Vec<Watched>, hosts: &[HostSockets], notes: &mut Vec<String>) -> Watch {
        let mut watch = Watch::default();
        for flow in watched {
            let has_sampler = watch.samplers.iter().any(|(host, _)| *host == flow.host);
            if !has_sampler && let Some(host) = hosts.get(flow.host) {
                match DiagSampler::new(host.namespace.clone()) {
                    Ok(sampler) => watch.samplers.push((flow.host, sampler)),
                    Err(error) => {
                        notes.push(format!("host {}: cannot read socket diagnostics: {error}", host.name))
                    }
                }
            }
            watch.flows.push(WatchedFlow::new(flow));
        }
        watch
    }

    /// Writes the series of each flow, from the socket that has sent most: a program's other sockets, such as a control
    /// connection, say nothing about the network.
    pub(super) fn sample(&mut self, now: Time, recorder: &mut Recorder) {
        for (host, sampler) in &mut self.samplers {
            // A failed sample leaves a gap in the series.
            let Ok(readings) = sampler.sample() else { continue };
            for flow in self.flows.iter_mut().filter(|flow| flow.watched.host == *host) {
                flow.sample(&readings, now, recorder);
            }
        }
    }

    pub(super) fn start_measuring(&mut self) {
        for flow in &mut self.flows {
            flow.before = flow.totals();
        }
    }

    /// Adds the retransmissions and timeouts since the warm-up, as far as the samples show them.
    pub(super) fn summarise(&self, recorder: &mut Recorder) {
        for flow in &self.flows {
            let totals = flow.totals();
            if let Some(meter) = recorder.flow(flow.watched.flow).filter(|_| totals.senders > 0) {
                meter.sender_ended(
                    totals.retransmits - flow.before.retransmits,
                    totals.timeouts - flow.before.timeouts,
                );
            }
        }
    }
}

impl WatchedFlow {
    fn new(watched: Watched) -> WatchedFlow {
        WatchedFlow {
            watched,
            last: FxHashMap::default(),
            replaced: Totals::default(),
            before: Totals::default(),
        }
    }

    fn sample(&mut self, readings: &[TcpReading], now: Time, recorder: &mut Recorder) {
        let mut busiest: Option<(&TcpReading, bool)> = None;
        let matching = readings.iter().filter(|reading| self.watched.rule.includes(reading));
        for reading in matching.filter(|reading| reading.info.data_segments_sent > 0) {
            let before = self.last.insert((reading.local, reading.remote), reading.info);
            // Decreasing counters: another connection has reused the addresses, so the old totals are kept apart.
            if let Some(before) = before.filter(|before| reading.info.is_newer_connection_than(before)) {
                self.replaced.add(&before);
            }
            let has_progress = before.is_none_or(|before| before.bytes_acked != reading.info.bytes_acked);
            if busiest.is_none_or(|(most, _)| most.info.bytes_acked < reading.info.bytes_acked) {
                busiest = Some((reading, has_progress));
            }
        }
        let Some((TcpReading { info, .. }, has_progress)) = busiest else { return };
        write_series(self.watched.flow, info, now, recorder);
        if has_progress
            && !info.smoothed_rtt.is_zero()
            && let Some(meter) = recorder.flow(self.watched.flow)
        {
            meter.round_trip(info.smoothed_rtt);
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = self.replaced;
        self.last.values().for_each(|info| totals.add(info));
        totals
    }
}

/// Writes a connection's congestion window, slow-start threshold, RTT, bytes in flight and pacing rate.
pub(super) fn write_series(flow: FlowId, info: &TcpInfo, now: Time, recorder: &mut Recorder) {
    let object = ObjectId { kind: Kind::Flow, index: flow.0 };
    let mut point = |metric: Metric, value: f64| recorder.point(object, metric, now, value);
    point(metrics::CWND, info.congestion_window as f64);
    if let Some(ssthresh) = info.ssthresh {
        point(metrics::SSTHRESH, ssthresh as f64);
    }
    if !info.smoothed_rtt.is_zero() {
        point(metrics::SRTT, info.smoothed_rtt.as_nanos() as f64 / 1e6);
    }
    point(metrics::IN_FLIGHT, info.in_flight as f64);
    if let Some(rate) = info.pacing_rate {
        point(metrics::PACING_RATE, rate.as_mbit_f64());
    }
}
