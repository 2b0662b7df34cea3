//! Series of TCP sockets that programs outside opened.

use std::net::SocketAddr;

use jettison_core::Time;
use jettison_measure::{Kind, Metric, ObjectId, Recorder, metrics};
use jettison_wire::FlowId;
use rustc_hash::FxHashMap;

use super::diag::DiagSampler;
use super::owner::Totals;
use super::tcp_info::{TcpInfo, TcpReading};
use super::{HostSockets, Watched};

/// All that are watched, with a sampler a host.
#[derive(Debug, Default)]
pub(super) struct Watch {
    samplers: Vec<(usize, DiagSampler)>,
    flows: Vec<WatchedFlow>,
}

#[derive(Debug)]
struct WatchedFlow {
    own: Watched,
    /// What each of its sockets last said, those that are gone included.
    last: FxHashMap<(SocketAddr, SocketAddr), TcpInfo>,
    /// Of sockets whose addresses another one has taken over.
    gone: Totals,
    before: Totals,
}

impl Watch {
    /// Samplers for the hosts that are watched; what cannot be is said in the notes.
    pub(super) fn new(watched: Vec<Watched>, hosts: &[HostSockets], notes: &mut Vec<String>) -> Watch {
        let mut watch = Watch::default();
        for own in watched {
            let is_there = watch.samplers.iter().any(|(host, _)| *host == own.host);
            if !is_there && let Some(host) = hosts.get(own.host) {
                match DiagSampler::new(host.namespace.clone()) {
                    Ok(sampler) => watch.samplers.push((own.host, sampler)),
                    Err(error) => notes.push(format!("host {}: no socket diagnostics: {error}", host.name)),
                }
            }
            watch.flows.push(WatchedFlow::new(own));
        }
        watch
    }

    /// Writes the series of each flow: those of the socket that has sent most so far, since a program may have others (a control
    /// connection) that say nothing of the network.
    pub(super) fn sample(&mut self, now: Time, recorder: &mut Recorder) {
        for (host, sampler) in &mut self.samplers {
            // One that fails leaves a gap.
            let Ok(readings) = sampler.sample() else { continue };
            for flow in self.flows.iter_mut().filter(|flow| flow.own.host == *host) {
                flow.sample(&readings, now, recorder);
            }
        }
    }

    pub(super) fn start_measuring(&mut self) {
        for flow in &mut self.flows {
            flow.before = flow.totals();
        }
    }

    /// Retransmissions and timeouts since the warm-up, as far as the samples have seen them.
    pub(super) fn summarise(&self, recorder: &mut Recorder) {
        for flow in &self.flows {
            let totals = flow.totals();
            if let Some(meter) = recorder.flow(flow.own.flow).filter(|_| totals.senders > 0) {
                meter.sender_ended(
                    totals.retransmits - flow.before.retransmits,
                    totals.timeouts - flow.before.timeouts,
                );
            }
        }
    }
}

impl WatchedFlow {
    fn new(own: Watched) -> WatchedFlow {
        WatchedFlow { own, last: FxHashMap::default(), gone: Totals::default(), before: Totals::default() }
    }

    fn sample(&mut self, readings: &[TcpReading], now: Time, recorder: &mut Recorder) {
        let mut busiest: Option<(&TcpReading, bool)> = None;
        let own = readings.iter().filter(|reading| self.own.rule.includes(reading));
        for reading in own.filter(|reading| reading.info.data_segments_sent > 0) {
            let before = self.last.insert((reading.local, reading.remote), reading.info);
            if let Some(before) = before.filter(|before| reading.info.is_younger_than(before)) {
                self.gone.add(&before);
            }
            let has_moved = before.is_none_or(|before| before.bytes_acked != reading.info.bytes_acked);
            if busiest.is_none_or(|(most, _)| most.info.bytes_acked < reading.info.bytes_acked) {
                busiest = Some((reading, has_moved));
            }
        }
        let Some((TcpReading { info, .. }, has_moved)) = busiest else { return };
        write_series(self.own.flow, info, now, recorder);
        if has_moved
            && !info.smoothed_rtt.is_zero()
            && let Some(meter) = recorder.flow(self.own.flow)
        {
            meter.round_trip(info.smoothed_rtt);
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = self.gone;
        self.last.values().for_each(|info| totals.add(info));
        totals
    }
}

/// Writes a connection's window, threshold, RTT, bytes in flight and pacing rate.
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
