//! What flows last measured, for whoever watches a run from another thread.

use std::sync::atomic::{AtomicU64, Ordering};

use jettison_core::Time;
use jettison_measure::{Kind, Metric, ObjectId, Recorder, metrics};
use jettison_wire::FlowId;

/// How old a value may be to be shown, in seconds.
const FRESH: f64 = 1.0;

/// The newest values of each flow, written by one thread and read by others.
#[derive(Debug, Default)]
pub struct Readings {
    flows: Vec<[AtomicU64; 3]>,
}

/// The newest values of a flow; none where nothing was measured lately.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reading {
    /// Smoothed RTT of its sender, or the last echo's, in milliseconds.
    pub rtt_ms: Option<f64>,
    /// Mean one-way delay of the last interval, in milliseconds.
    pub owd_ms: Option<f64>,
    /// A player's buffer, in seconds of media.
    pub buffer_s: Option<f64>,
}

impl Readings {
    /// Of so many flows.
    pub(super) fn new(flows: usize) -> Readings {
        let none = || AtomicU64::new(f64::NAN.to_bits());
        Readings { flows: (0..flows).map(|_| [none(), none(), none()]).collect() }
    }

    /// Of one flow.
    pub fn of(&self, flow: usize) -> Reading {
        let Some(cells) = self.flows.get(flow) else { return Reading::default() };
        let value = |at: usize| {
            Some(f64::from_bits(cells[at].load(Ordering::Relaxed))).filter(|value| value.is_finite())
        };
        Reading { rtt_ms: value(0), owd_ms: value(1), buffer_s: value(2) }
    }

    /// Takes what the series have at `now`.
    pub(super) fn take(&self, recorder: &Recorder, now: Time) {
        for (index, cells) in self.flows.iter().enumerate() {
            let values = [
                latest(recorder, index, metrics::SRTT, now).or(latest(recorder, index, metrics::RTT, now)),
                latest(recorder, index, metrics::OWD, now),
                latest(recorder, index, metrics::BUFFER, now),
            ];
            for (cell, value) in cells.iter().zip(values) {
                cell.store(value.unwrap_or(f64::NAN).to_bits(), Ordering::Relaxed);
            }
        }
    }
}

/// The newest value of a flow's series, if it is not old.
pub(crate) fn latest(recorder: &Recorder, flow: usize, metric: Metric, now: Time) -> Option<f64> {
    let flow = FlowId(flow as u32);
    let (at, value) = recorder.latest(ObjectId { kind: Kind::Flow, index: flow.0 }, metric)?;
    (now.since(at.min(now)).as_secs_f64() <= FRESH).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_measure::RecorderSettings;

    #[test]
    fn the_newest_value_is_read_until_it_is_old() {
        let mut recorder = Recorder::new(RecorderSettings::default());
        let flow = recorder.add_flow("bulk");
        recorder.point(flow, metrics::SRTT, Time::from_secs(1), 10.0);
        recorder.point(flow, metrics::SRTT, Time::from_secs(2), 20.0);
        let readings = Readings::new(1);
        assert_eq!(readings.of(0), Reading::default());
        readings.take(&recorder, Time::from_secs(2));
        assert_eq!(readings.of(0), Reading { rtt_ms: Some(20.0), ..Reading::default() });
        readings.take(&recorder, Time::from_secs(4));
        assert_eq!(readings.of(0), Reading::default());
    }
}
