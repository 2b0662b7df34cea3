//! Late samples: runs of consecutive samples that missed their deadline or never came.

use jettison_core::{Duration, Time};

use super::{EventKind, Unit, UnitKind, ViewerEvent};

/// State of one stream of samples.
#[derive(Debug, Clone, Default)]
pub(super) struct Samples {
    /// Number and sending time of the newest sample.
    newest: Option<(u64, Time)>,
    /// The run in progress.
    run: Option<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    kind: UnitKind,
    first: u64,
    /// When its first sample was sent or, if that never came, the one before.
    sent_at: Time,
    /// The deadline of its first sample.
    at: Time,
    /// The latest instant known to be without a sample in time.
    until: Time,
}

impl Samples {
    /// Handles an arrival; returns the event that it ends, if any. A sample in time ends a run; of samples that never came the
    /// deadline is taken to follow that of the sample before.
    #[inline]
    pub(super) fn arrived(
        &mut self,
        (kind, sequence): (UnitKind, u64),
        sent_at: Time,
        now: Time,
        deadline: Duration,
    ) -> Option<ViewerEvent> {
        let (newest, last_sent) = self.newest.unwrap_or((sequence.wrapping_sub(1), sent_at));
        if self.newest.is_some() && sequence <= newest {
            return None; // overtaken: a newer sample has taken its place
        }
        self.newest = Some((sequence, sent_at));
        if sequence > newest.wrapping_add(1) {
            self.extend((kind, newest + 1), (last_sent, deadline), now);
        }
        if now.since(sent_at) > deadline {
            self.extend((kind, sequence), (sent_at, deadline), now);
            return None;
        }
        let run = self.run.take()?;
        Some(Run { until: now, ..run }.event())
    }

    /// The event in progress at the end of the run.
    pub(super) fn ended(&mut self) -> Option<ViewerEvent> {
        Some(self.run.take()?.event())
    }

    fn extend(&mut self, (kind, first): (UnitKind, u64), (sent_at, deadline): (Time, Duration), now: Time) {
        let at = sent_at.saturating_add(deadline).min(now);
        self.run = Some(match self.run {
            Some(run) => Run { until: now, ..run },
            None => Run { kind, first, sent_at, at, until: now },
        });
    }
}

impl Run {
    fn event(self) -> ViewerEvent {
        let duration = self.until.since(self.at);
        ViewerEvent {
            since: self.sent_at,
            duration,
            cost: duration.as_secs_f64(),
            unit: Some(Unit::new(self.kind, self.first, 0)),
            ..ViewerEvent::new(EventKind::LateSample, self.at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(u64) -> Time = Time::from_millis;
    const DEADLINE: Duration = Duration::from_millis(10);

    /// Events of samples sent every 10 ms, with the delays of those that came.
    fn of(delays: &[Option<u64>]) -> Vec<ViewerEvent> {
        let mut samples = Samples::default();
        let mut events = Vec::new();
        for (number, delay) in delays.iter().enumerate() {
            let sent = 10 * number as u64;
            if let Some(delay) = delay {
                events.extend(samples.arrived(
                    (UnitKind::Sample, number as u64),
                    AT(sent),
                    AT(sent + delay),
                    DEADLINE,
                ));
            }
        }
        events.extend(samples.ended());
        events
    }

    #[test]
    fn samples_in_time_are_no_event() {
        assert!(of(&[Some(3), Some(10), Some(0)]).is_empty());
    }

    #[test]
    fn consecutive_late_samples_are_one_event_until_one_is_in_time() {
        let events = of(&[Some(3), Some(20), Some(15), Some(5), Some(3)]);
        let [event] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((event.at, event.duration), (AT(20), Duration::from_millis(15)));
        assert_eq!(event.unit.map(|unit| unit.number), Some(1));
    }

    #[test]
    fn a_lost_sample_is_late_from_the_deadline_of_the_one_before() {
        let events = of(&[Some(3), None, None, Some(4)]);
        let [event] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((event.at, event.duration), (AT(10), Duration::from_millis(24)));
        assert_eq!(event.unit.map(|unit| unit.number), Some(1));
    }

    #[test]
    fn a_run_that_lasts_until_the_end_is_an_event() {
        let events = of(&[Some(3), Some(30)]);
        assert_eq!(events.iter().map(|event| event.cost).collect::<Vec<_>>(), [0.02]);
    }
}
