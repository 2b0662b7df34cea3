//! Counts and distributions of a meter by metric, for metrics without a field of their own.

use jettison_core::Duration;

use crate::recorder::{of_distribution, plain};
use crate::{Distribution, Metric, SummaryValue};

/// Counts and distributions, in the order of first recording. With few of them, a short search is faster than a map.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByMetric {
    counts: Vec<(Metric, u64)>,
    distributions: Vec<(Metric, Distribution)>,
}

impl ByMetric {
    /// Adds `by` to a count.
    #[inline]
    pub fn count(&mut self, metric: Metric, by: u64) {
        match self.counts.iter_mut().find(|(own, _)| *own == metric) {
            Some((_, count)) => *count += by,
            None => self.counts.push((metric, by)),
        }
    }

    /// Adds a time to a distribution.
    #[inline]
    pub fn record(&mut self, metric: Metric, value: Duration) {
        match self.distributions.iter_mut().find(|(own, _)| *own == metric) {
            Some((_, distribution)) => distribution.record(value),
            None => {
                let mut distribution = Distribution::default();
                distribution.record(value);
                self.distributions.push((metric, distribution));
            }
        }
    }

    /// Sets a distribution that was recorded elsewhere.
    pub fn set_distribution(&mut self, metric: Metric, distribution: Distribution) {
        self.distributions.retain(|(own, _)| *own != metric);
        self.distributions.push((metric, distribution));
    }

    /// The distributions.
    pub fn distributions(&self) -> impl Iterator<Item = (Metric, &Distribution)> {
        self.distributions.iter().map(|(metric, distribution)| (*metric, distribution))
    }

    /// Adds the summary values.
    pub fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        summary.extend(self.counts.iter().map(|(metric, count)| plain(name, *metric, *count as f64)));
        summary.extend(self.distributions().filter_map(|(metric, own)| of_distribution(name, metric, own)));
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use jettison_wire::FlowId;

    use super::*;
    use crate::{Recorder, RecorderSettings};

    const TRIES: Metric = Metric::new("tries", "count");
    const PAUSE: Metric = Metric::new("pause", "ms");

    #[test]
    fn a_new_metric_is_in_the_summary_and_the_distributions() {
        let mut recorder =
            Recorder::new(RecorderSettings { warm_up: Time::from_secs(1), ..Default::default() });
        let queue = recorder.add_queue("l.forward");
        let flow = recorder.add_flow("bulk");
        for _ in 0..2 {
            // Before the end of the warm-up: forgotten.
            recorder.queue(queue.index).count(TRIES, 7);
            recorder.flow(FlowId(flow.index)).unwrap().record(PAUSE, Duration::from_secs(1));
        }
        recorder.start_measuring();
        recorder.queue(queue.index).count(TRIES, 2);
        recorder.queue(queue.index).count(TRIES, 3);
        for ms in [10, 20, 30] {
            recorder.flow(FlowId(flow.index)).unwrap().record(PAUSE, Duration::from_millis(ms));
        }
        let record = recorder.finish(Time::from_secs(2));
        assert_eq!(record.summary_value("l.forward", TRIES).unwrap().mean, 5.0);
        let pause = record.summary_value("bulk", PAUSE).unwrap();
        assert!((pause.mean - 20.0).abs() < 0.1 && pause.percentiles.is_some());
        let object = record.objects.iter().find(|object| object.name == "bulk").unwrap();
        assert!(object.distributions.iter().any(|(metric, own)| *metric == PAUSE && own.count() == 3));
    }
}
