//! Merges two recorders of a live run: the router measures in one thread, the programs of the hosts in another.

use jettison_core::DropReason;
use jettison_wire::FlowId;

use super::Recorder;
use super::decisions::Decisions;
use crate::{Decision, DecisionLog, DropRecord, Kind, Series};

impl Recorder {
    /// Merges `other`, which has the same flows registered. For the flows selected by `which`, the meters, series and summary
    /// values of `other` replace those of `self`. For the other flows and for queues, those of `self` remain, and series that
    /// only `other` has (windows and round trips of observed sockets) are added.
    ///
    /// All drops are kept; those of `other` are outside the queues of `self`. Summary values of `other` that are not of a
    /// flow are added. Call this before [`Recorder::finish`], which computes the values over all flows. Returns the new numbers of
    /// the drops and marks of `self`.
    pub fn adopt_flows(&mut self, other: Recorder, which: impl Fn(FlowId) -> bool) -> Renumbered {
        debug_assert_eq!(self.flow_names, other.flow_names, "both have the same flows");
        let shared = self.flows.len().min(other.flows.len());
        let adopted: Vec<bool> =
            (0..self.flows.len()).map(|index| index < shared && which(FlowId(index as u32))).collect();
        let is_adopted = |index: usize| adopted.get(index).copied().unwrap_or(false);

        let is_of_queue = |series: &Series| series.object.kind == Kind::Queue;
        let is_of_adopted = |series: &Series| is_adopted(series.object.index as usize);
        for series in std::mem::take(&mut self.series).into_series() {
            if is_of_queue(&series) || !is_of_adopted(&series) {
                self.series.add(series);
            }
        }
        for series in other.series.into_series().into_iter().filter(|series| !is_of_queue(series)) {
            let is_known = || {
                let mut own = self.series.of_object(series.object);
                own.any(|own| own.metric == series.metric && own.part == series.part)
            };
            if is_of_adopted(&series) || !is_known() {
                self.series.add(series);
            }
        }

        for gauge in other.gauges {
            if !self.gauges.iter().any(|own| own.name == gauge.name) {
                self.gauges.push(gauge);
            }
        }

        let names = &self.flow_names;
        let flow_of = |object: &str| names.iter().position(|name| name == object);
        self.extra.retain(|value| !flow_of(&value.object).is_some_and(is_adopted));
        self.extra
            .extend(other.extra.into_iter().filter(|value| flow_of(&value.object).is_none_or(is_adopted)));

        for (index, meter) in other.flows.into_iter().enumerate() {
            match (is_adopted(index), self.flows.get_mut(index)) {
                (true, Some(own)) => *own = meter,
                (false, Some(own)) => own.complement(meter),
                (_, None) => {}
            }
        }
        // A drop seen by one recorder is loss in the meter of the other. What cannot be read back is neither counted nor kept.
        let (own, other) = (std::mem::take(&mut self.decisions).finish(), other.decisions.finish());
        count_drops(&own, &mut self.flows, is_adopted);
        count_drops(&other, &mut self.flows, |index| !is_adopted(index));
        let outside = other.iter().map(|decision| decision.map(outside_of_queues));
        let mut numbers = Vec::new();
        let merged = own.merged(outside, &mut numbers).unwrap_or_else(|_| {
            numbers.clear();
            own
        });
        self.decisions = Decisions::of(merged);
        Renumbered(numbers)
    }
}

/// New numbers of drops and marks, beside those that they had, in ascending order.
#[derive(Debug, Clone, Default)]
pub struct Renumbered(Vec<(u64, u64)>);

impl Renumbered {
    /// The new number of a drop or mark.
    pub(crate) fn of(&self, number: u64) -> u64 {
        let found = self.0.binary_search_by_key(&number, |(before, _)| *before);
        found.ok().and_then(|place| self.0.get(place)).map_or(number, |(_, after)| *after)
    }
}

/// A decision of another recorder, whose queues are not those of this one.
fn outside_of_queues(decision: Decision) -> Decision {
    Decision { queue: DropRecord::NO_QUEUE, ..decision }
}

fn count_drops(log: &DecisionLog, flows: &mut [crate::FlowMeter], is_selected: impl Fn(usize) -> bool) {
    let lost = |drop: &Decision| drop.drop_reason().is_some_and(DropReason::is_loss);
    for drop in log.iter().flatten().filter(|drop| lost(drop) && is_selected(drop.flow.0 as usize)) {
        if let Some(meter) = flows.get_mut(drop.flow.0 as usize) {
            meter.dropped_elsewhere(drop.time);
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::{DropReason, Duration, Time};

    use super::*;
    use crate::{RecorderSettings, metrics};

    const AT: fn(u64) -> Time = Time::from_millis;
    const BUILT_IN: FlowId = FlowId(0);
    const COMMAND: FlowId = FlowId(1);

    /// A recorder with a built-in program's flow and a command's, both of which got `bytes` in a second.
    fn recorder(bytes: [u64; 2]) -> Recorder {
        let mut recorder = Recorder::new(RecorderSettings::default());
        for (name, bytes) in ["built-in", "command"].into_iter().zip(bytes) {
            let id = recorder.add_flow(name);
            let flow = FlowId(id.index);
            recorder.flow(flow).unwrap().delivered(bytes);
            recorder.sample_flow(flow, AT(1000));
            recorder.summarise(name, metrics::ACTIVE_PLAYERS, bytes as f64, None);
        }
        recorder
    }

    fn drop_at(ms: u64, flow: FlowId, queue: u32) -> DropRecord {
        DropRecord { time: AT(ms), queue, flow, reason: DropReason::BufferFull, length: 100 }
    }

    fn both() -> (Recorder, Recorder) {
        let (mut router, mut hosts) = (recorder([1_000_000, 500_000]), recorder([500_000, 0]));
        let queue = router.add_queue("bottleneck.forward").index;
        router.queue(queue).departed(Duration::from_millis(1), 1500);
        router.queue(queue).record(metrics::LATENESS, Duration::from_micros(40));
        router.sample_queue(queue, 1, 1500, AT(1000));
        router.summarise("router", metrics::ROUTER_CPU, 12.0, None);
        hosts.summarise("hosts", metrics::KERNEL_DROPS, 0.0, None);
        (router, hosts)
    }

    #[test]
    fn each_flow_is_from_its_recorder_and_values_over_all_flows_follow() {
        let (mut router, hosts) = both();
        router.adopt_flows(hosts, |flow| flow == BUILT_IN);
        let record = router.finish(AT(1000));
        let mean = |object, metric| record.summary_value(object, metric).map(|value| value.mean);
        assert_eq!(mean("built-in", metrics::GOODPUT), Some(4.0));
        assert_eq!(mean("command", metrics::GOODPUT), Some(4.0));
        assert_eq!(mean("all flows", metrics::GOODPUT), Some(8.0));
        assert_eq!(mean("all flows", metrics::FAIRNESS), Some(1.0));
        assert_eq!(mean("built-in", metrics::ACTIVE_PLAYERS), Some(500_000.0));
        assert_eq!(mean("command", metrics::ACTIVE_PLAYERS), Some(500_000.0));
        assert_eq!(mean("router", metrics::ROUTER_CPU), Some(12.0));
        assert_eq!(mean("hosts", metrics::KERNEL_DROPS), Some(0.0));
        assert_eq!(mean("bottleneck.forward", metrics::LATENESS), Some(40.0));
        let players = record.summary.iter().filter(|value| value.metric == metrics::ACTIVE_PLAYERS);
        assert_eq!(players.count(), 2);
        let goodputs: Vec<(u32, Vec<f64>)> = record
            .series
            .iter()
            .filter(|series| series.metric == metrics::GOODPUT)
            .map(|series| (series.object.index, series.values().unwrap()))
            .collect();
        assert_eq!(goodputs, [(0, vec![4.0]), (1, vec![4.0])]);
        assert!(record.series.iter().any(|series| series.metric == metrics::BACKLOG));
    }

    #[test]
    fn series_continue_after_a_merge() {
        let (mut router, hosts) = both();
        router.adopt_flows(hosts, |flow| flow == BUILT_IN);
        router.sample_flow(BUILT_IN, AT(2000));
        router.sample_flow(COMMAND, AT(2000));
        let record = router.finish(AT(2000));
        let lengths = record.series.iter().filter(|series| series.metric == metrics::GOODPUT);
        assert_eq!(lengths.map(|series| series.len()).collect::<Vec<_>>(), [2, 2]);
    }

    #[test]
    fn the_drops_of_both_are_merged_by_time_and_numbered_anew() {
        let (mut router, mut hosts) = both();
        for ms in [100, 300] {
            router.dropped(drop_at(ms, COMMAND, 0));
        }
        for ms in [200, 400] {
            hosts.dropped(drop_at(ms, BUILT_IN, 7));
        }
        router.adopt_flows(hosts, |flow| flow == BUILT_IN);
        let record = router.finish(AT(1000));
        let none = DropRecord::NO_QUEUE;
        let drops = record.drops.to_vec().unwrap();
        let drops: Vec<_> = drops.iter().map(|drop| (drop.id, drop.time, drop.queue)).collect();
        assert_eq!(drops, [(0, AT(100), 0), (1, AT(200), none), (2, AT(300), 0), (3, AT(400), none)]);
        assert_eq!(record.summary_value("bottleneck.forward", metrics::DROPS).unwrap().mean, 2.0);
    }

    #[test]
    fn drops_at_the_router_after_the_last_datagram_are_loss_of_a_flow_measured_by_hosts() {
        let (mut router, mut hosts) = both();
        let meter = hosts.flow(BUILT_IN).unwrap();
        for sequence in 0..2 {
            meter.sent();
            meter.received(sequence, AT(sequence), AT(sequence + 10));
        }
        router.dropped(drop_at(5, BUILT_IN, 0));
        router.dropped(drop_at(50, BUILT_IN, 0));
        router.adopt_flows(hosts, |flow| flow == BUILT_IN);
        assert_eq!(router.flow(BUILT_IN).unwrap().loss(), Some(1.0 / 3.0));
    }
}
