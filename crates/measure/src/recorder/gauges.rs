//! Gauges: internal state of components, sampled as series on request of a scenario.

use std::sync::Arc;

use jettison_core::{Gauge, Gauges, Time};

use super::Recorder;
use super::summary::{of_object, of_samples};
use crate::transfer::kept;
use crate::{Metric, ObjectId, Series, SummaryValue};

/// The gauges to sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GaugeChoice {
    /// None; components are not asked.
    #[default]
    None,
    /// All gauges that components report.
    All,
    /// Gauges by name.
    Named(Arc<[String]>),
}

impl GaugeChoice {
    /// Whether to sample the gauge.
    pub fn wants(&self, name: &str) -> bool {
        match self {
            GaugeChoice::None => false,
            GaugeChoice::All => true,
            GaugeChoice::Named(names) => names.iter().any(|own| own == name),
        }
    }
}

impl Recorder {
    /// Whether any gauge is sampled; otherwise components need not be asked.
    pub fn samples_gauges(&self) -> bool {
        self.settings.gauges != GaugeChoice::None
    }

    /// Returns a sampler for the gauges of `object` at `now`. Chosen gauges become points of its series.
    pub fn gauges(&mut self, object: ObjectId, now: Time) -> GaugeSampler<'_> {
        GaugeSampler { recorder: self, object, now }
    }
}

/// Samples the gauges of one object at one instant.
pub struct GaugeSampler<'a> {
    recorder: &'a mut Recorder,
    object: ObjectId,
    now: Time,
}

impl Gauges for GaugeSampler<'_> {
    fn set_part(&mut self, gauge: &Gauge, part: &str, value: f64) {
        if !value.is_finite() || !self.recorder.settings.gauges.wants(gauge.name) {
            return;
        }
        if !self.recorder.gauges.iter().any(|known| known.name == gauge.name) {
            self.recorder.gauges.push(*gauge);
        }
        let part = if part.is_empty() { "" } else { kept(part) };
        self.recorder.part_point(self.object, Metric::new(gauge.name, gauge.unit), part, self.now, value);
    }
}

/// Adds mean and percentiles of an object's gauges after the warm-up.
pub(super) fn summarise(
    summary: &mut Vec<SummaryValue>,
    name: &str,
    id: ObjectId,
    series: &[Series],
    gauges: &[Gauge],
    start: Time,
) {
    let own = of_object(series, id).filter(|own| gauges.iter().any(|gauge| gauge.name == own.metric.name));
    summary.extend(own.filter_map(|own| of_samples(name, own, start)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, RecorderSettings, RunRecord};

    const COUNT: Gauge = Gauge::new("codel_count", "count", "Signals.");
    const AVERAGE: Gauge = Gauge::new("red_average", "packets", "Average queue.");

    /// A queue's gauges, sampled at 100 ms, 200 ms, … with the value of the sample's number.
    fn sampled(gauges: GaugeChoice) -> RunRecord {
        let warm_up = Time::from_millis(200);
        let mut recorder = Recorder::new(RecorderSettings { gauges, warm_up, ..Default::default() });
        let queue = recorder.add_queue("l.forward");
        for number in 1..=4 {
            let mut out = recorder.gauges(queue, Time::from_millis(100 * number));
            out.set(&COUNT, number as f64);
            out.set_part(&COUNT, "band.1", 7.0);
            out.set(&AVERAGE, if number < 4 { f64::NAN } else { 2.5 });
        }
        recorder.finish(Time::from_millis(400))
    }

    fn series<'a>(record: &'a RunRecord, metric: &str, part: &str) -> Option<&'a Series> {
        record.series.iter().find(|series| series.metric.name == metric && series.part == part)
    }

    #[test]
    fn without_a_choice_nothing_is_kept() {
        let record = sampled(GaugeChoice::None);
        assert!(record.series.is_empty() && record.gauges.is_empty());
        assert!(record.summary.iter().all(|value| value.metric.name != "codel_count"));
    }

    #[test]
    fn all_are_sampled_and_values_that_are_not_finite_leave_a_gap() {
        let record = sampled(GaugeChoice::All);
        assert_eq!(record.gauges, [COUNT, AVERAGE]);
        assert_eq!(series(&record, "codel_count", "").unwrap().values().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(series(&record, "codel_count", "band.1").unwrap().values().unwrap(), [7.0; 4]);
        assert_eq!(series(&record, "red_average", "").unwrap().times().unwrap(), [Time::from_millis(400)]);
        assert_eq!(series(&record, "red_average", "").unwrap().object.kind, Kind::Queue);
    }

    #[test]
    fn the_summary_counts_from_the_end_of_the_warm_up() {
        let record = sampled(GaugeChoice::All);
        let count = Metric::new("codel_count", "count");
        let value = record.summary_value("l.forward", count).unwrap();
        assert_eq!((value.mean, value.percentiles.unwrap()[0]), (3.5, 3.5));
        assert_eq!(record.summary_part("l.forward", count, "band.1").unwrap().mean, 7.0);
    }

    #[test]
    fn only_those_that_were_asked_for_are_sampled() {
        let record = sampled(GaugeChoice::Named(["red_average".to_owned()].into()));
        assert_eq!(record.gauges, [AVERAGE]);
        assert!(series(&record, "codel_count", "").is_none());
    }
}
