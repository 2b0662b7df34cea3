//! Groups of flows: which gets how much more, at what delay.

use jettison_core::Time;

use super::{FlowGroup, Recorder, of_distribution, part_of, plain};
use crate::queue::mbit;
use crate::{Distribution, FlowMeter, SummaryValue, metrics};

impl Recorder {
    /// The ratio of each pair of groups, and the round-trip times of each group once.
    pub(super) fn rate_ratios(&self, end: Time) -> Vec<SummaryValue> {
        let start = self.settings.warm_up;
        let mut summary = Vec::new();
        let mut groups: Vec<&FlowGroup> = Vec::new();
        for [first, second] in &self.settings.rate_ratios {
            for group in [first, second] {
                if !groups.iter().any(|known| known.name == group.name) {
                    groups.push(group);
                }
            }
            let mean = |group: &FlowGroup| {
                let (mut sum, mut count) = (0.0, 0u32);
                for meter in self.meters(group).filter(|meter| meter.carries_data) {
                    sum += mbit(meter.goodput_bytes, end.since(start));
                    count += 1;
                }
                (count > 0).then(|| sum / f64::from(count))
            };
            if let (Some(a), Some(b)) = (mean(first), mean(second))
                && b > 0.0
            {
                let ratio = plain("all flows", metrics::RATE_RATIO, a / b);
                summary.push(part_of(ratio, format!("{}/{}", first.name, second.name)));
            }
        }
        for group in groups {
            let mut rtt = Distribution::default();
            self.meters(group).for_each(|meter| rtt.merge(&meter.rtt));
            let value = of_distribution("all flows", metrics::GROUP_RTT, &rtt);
            summary.extend(value.map(|value| part_of(value, group.name.clone())));
        }
        summary
    }

    fn meters(&self, group: &FlowGroup) -> impl Iterator<Item = &FlowMeter> {
        let named = self.flows.iter().zip(&self.flow_names);
        named.filter(|(_, name)| group.flows.contains(name)).map(|(meter, _)| meter)
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::*;
    use crate::RecorderSettings;
    use jettison_wire::FlowId;

    fn group(name: &str, flows: &[&str]) -> FlowGroup {
        FlowGroup { name: name.to_owned(), flows: flows.iter().map(|flow| (*flow).to_owned()).collect() }
    }

    /// A run of two flows `a.1`, `a.2` and one `b` with these goodputs in bytes; RTTs of 10, 20 and 50 ms.
    fn summary(bytes: [u64; 3], ratios: Vec<[FlowGroup; 2]>) -> Vec<SummaryValue> {
        let mut recorder = Recorder::new(RecorderSettings { rate_ratios: ratios, ..Default::default() });
        for (index, name) in ["a.1", "a.2", "b"].into_iter().enumerate() {
            recorder.add_flow(name);
            if let Some(meter) = recorder.flow(FlowId(index as u32)) {
                meter.goodput_bytes = bytes[index];
                meter.rtt.record(Duration::from_millis([10, 20, 50][index]));
            }
        }
        recorder.finish(Time::from_secs(1)).summary
    }

    fn value(summary: &[SummaryValue], metric: &str, part: &str) -> Option<f64> {
        let found = summary.iter().find(|value| value.metric.name == metric && value.part == part);
        found.map(|value| value.mean)
    }

    #[test]
    fn a_ratio_is_of_goodputs_per_flow_and_rtts_are_of_all_flows() {
        let (a, b) = (group("a", &["a.1", "a.2"]), group("b", &["b"]));
        let found = summary([100, 300, 100], vec![[a.clone(), b.clone()], [b, a]]);
        let is = |part, ratio: f64| {
            value(&found, "rate_ratio", part).is_some_and(|found| (found - ratio).abs() < 1e-12)
        };
        assert!(is("a/b", 2.0) && is("b/a", 0.5));
        assert_eq!(found.iter().filter(|value| value.metric == metrics::GROUP_RTT).count(), 2);
        let rtt = value(&found, "group_rtt", "a");
        assert!(rtt.is_some_and(|rtt| (rtt - 15.0).abs() < 0.1), "{rtt:?}");
    }

    #[test]
    fn a_group_without_flows_or_that_got_nothing_has_no_ratio() {
        let (a, none) = (group("a", &["a.1", "a.2"]), group("none", &[]));
        let found = summary([100, 300, 100], vec![[a.clone(), none.clone()], [none, a.clone()]]);
        assert!(found.iter().all(|value| value.metric != metrics::RATE_RATIO));
        let starved = summary([100, 300, 0], vec![[a, group("b", &["b"])]]);
        assert!(starved.iter().all(|value| value.metric != metrics::RATE_RATIO));
        assert!(summary([1, 1, 1], Vec::new()).iter().all(|value| value.metric != metrics::GROUP_RTT));
    }
}
