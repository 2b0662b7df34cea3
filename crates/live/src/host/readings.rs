//! Newest values of the flows, for threads that monitor a run.

use std::sync::atomic::{AtomicU64, Ordering};

use jettison_core::Time;
use jettison_measure::{Kind, Metric, ObjectId, Recorder, metrics};
use jettison_wire::FlowId;

/// Maximum age of a displayed value in seconds.
const FRESH: f64 = 1.0;

/// Newest values of all flows, written by one thread and read by others.
#[derive(Debug, Default)]
pub struct Readings {
    flows: Vec<[AtomicU64; 3]>,
}

/// Newest values of a flow; `None` without a recent measurement.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reading {
    /// Smoothed RTT of the sender, or RTT of the last echo, in milliseconds.
    pub rtt_ms: Option<f64>,
    /// Mean one-way delay over the last interval in milliseconds.
    pub owd_ms: Option<f64>,
    /// Buffer level of a player in seconds of media.
    pub buffer_s: Option<f64>,
}

impl Readings {
    /// Creates the readings of `flows` flows.
    pub(super) fn new(flows: usize) -> Readings {
        let none = || AtomicU64::new(f64::NAN.to_bits());
        Readings { flows: (0..flows).map(|_| [none(), none(), none()]).collect() }
    }

    /// Values of one flow.
    pub fn of(&self, flow: usize) -> Reading {
        let Some(cells) = self.flows.get(flow) else { return Reading::default() };
        let value = |at: usize| {
            Some(f64::from_bits(cells[at].load(Ordering::Relaxed))).filter(|value| value.is_finite())
        };
        Reading { rtt_ms: value(0), owd_ms: value(1), buffer_s: value(2) }
    }

    /// Updates all values from the series at `now`.
    pub(super) fn update(&self, recorder: &Recorder, now: Time) {
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

/// Newest value of a flow's series, unless it is too old.
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
    fn the_newest_value_is_shown_until_it_is_too_old() {
        let mut recorder = Recorder::new(RecorderSettings::default());
        let flow = recorder.add_flow("bulk");
        recorder.point(flow, metrics::SRTT, Time::from_secs(1), 10.0);
        recorder.point(flow, metrics::SRTT, Time::from_secs(2), 20.0);
        let readings = Readings::new(1);
        assert_eq!(readings.of(0), Reading::default());
        readings.update(&recorder, Time::from_secs(2));
        assert_eq!(readings.of(0), Reading { rtt_ms: Some(20.0), ..Reading::default() });
        readings.update(&recorder, Time::from_secs(4));
        assert_eq!(readings.of(0), Reading::default());
    }
}
