//! Two recorders of one run: in real time the router measures in one thread, the hosts' programs in another.

use jettison_wire::FlowId;

use super::{DropRecord, Kind, Recorder};

impl Recorder {
    /// Takes over what `other`, which has the same flows registered, measured of those flows that `which` names: their
    /// meters, series and summary values take the place of this one's. Of the other flows, and of queues, this one's count;
    /// what of them only `other` has (windows and round trips of sockets that it looked at) is added.
    ///
    /// All drops are kept: those of `other` happened in no queue of this one. Summary values of `other` that are of no
    /// flow are added. Call it before [`Recorder::finish`], which makes the values that span all flows.
    pub fn adopt_flows(&mut self, other: Recorder, which: impl Fn(FlowId) -> bool) {
        debug_assert_eq!(self.flow_names, other.flow_names, "both have the same flows");
        let shared = self.flows.len().min(other.flows.len());
        let adopted: Vec<bool> =
            (0..self.flows.len()).map(|index| index < shared && which(FlowId(index as u32))).collect();
        let is_adopted = |index: usize| adopted.get(index).copied().unwrap_or(false);

        let own = std::mem::take(&mut self.series);
        self.cursors.iter_mut().for_each(Vec::clear);
        for (series, _) in own {
            if series.object.kind == Kind::Queue || !is_adopted(series.object.index as usize) {
                self.add_series(series);
            }
        }
        for (series, _) in other.series {
            let known = |own: &&(super::Series, u32)| {
                own.0.object == series.object && own.0.metric == series.metric && own.0.part == series.part
            };
            let is_flow = series.object.kind == Kind::Flow;
            if is_flow
                && (is_adopted(series.object.index as usize) || !self.series.iter().any(|own| known(&own)))
            {
                self.add_series(series);
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
        // What one of the two has dropped, the meter of the other has not heard of.
        tell_drops(&self.drops, &mut self.flows, is_adopted);
        tell_drops(&other.drops, &mut self.flows, |index| !is_adopted(index));

        self.drops
            .extend(other.drops.into_iter().map(|drop| DropRecord { queue: DropRecord::NO_QUEUE, ..drop }));
        self.drops.sort_by_key(|drop| drop.time); // stable: this one's first
        let kept = self.drops.len().min(self.settings.drop_log_limit);
        self.drops_not_logged += other.drops_not_logged + (self.drops.len() - kept) as u64;
        self.drops.truncate(kept);
    }
}

fn tell_drops(drops: &[DropRecord], flows: &mut [crate::FlowMeter], tells: impl Fn(usize) -> bool) {
    for drop in drops.iter().filter(|drop| drop.reason.is_loss() && tells(drop.flow.0 as usize)) {
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
        let mut recorder = Recorder::new(RecorderSettings { drop_log_limit: 3, ..Default::default() });
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
    fn each_flow_is_told_by_the_one_whose_measures_count_and_what_spans_all_follows() {
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
        let goodputs: Vec<(u32, &[f64])> = record
            .series
            .iter()
            .filter(|series| series.metric == metrics::GOODPUT)
            .map(|series| (series.object.index, series.values.as_slice()))
            .collect();
        assert_eq!(goodputs, [(0, [4.0].as_slice()), (1, [4.0].as_slice())]);
        assert!(record.series.iter().any(|series| series.metric == metrics::BACKLOG));
    }

    #[test]
    fn series_go_on_after_it() {
        let (mut router, hosts) = both();
        router.adopt_flows(hosts, |flow| flow == BUILT_IN);
        router.sample_flow(BUILT_IN, AT(2000));
        router.sample_flow(COMMAND, AT(2000));
        let record = router.finish(AT(2000));
        let lengths = record.series.iter().filter(|series| series.metric == metrics::GOODPUT);
        assert_eq!(lengths.map(|series| series.times.len()).collect::<Vec<_>>(), [2, 2]);
    }

    #[test]
    fn the_drops_of_both_are_kept_in_their_order_as_far_as_the_log_has_room() {
        let (mut router, mut hosts) = both();
        for ms in [100, 300] {
            router.dropped(drop_at(ms, COMMAND, 0));
        }
        for ms in [200, 400] {
            hosts.dropped(drop_at(ms, BUILT_IN, 7));
        }
        router.adopt_flows(hosts, |flow| flow == BUILT_IN);
        let record = router.finish(AT(1000));
        let kept = record.drops.iter().map(|drop| (drop.time, drop.queue));
        assert_eq!(kept.collect::<Vec<_>>(), [(AT(100), 0), (AT(200), DropRecord::NO_QUEUE), (AT(300), 0)]);
        assert_eq!(record.drops_not_logged, 1);
        assert_eq!(record.summary_value("bottleneck.forward", metrics::DROPS).unwrap().mean, 2.0);
    }

    #[test]
    fn what_the_router_dropped_after_the_last_datagram_is_loss_of_a_flow_that_the_hosts_measure() {
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
