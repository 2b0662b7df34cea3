//! Event history, and the position of each reader in it.
//!
//! There is one history and no queue per reader. A reader that does not read therefore costs nothing and delays no other.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::snapshot::Event;

/// Length of the kept history: ten minutes of the run's time, and a maximum number of snapshots.
const LOOK_BACK_S: f64 = 600.0;
const SNAPSHOTS: usize = 5_000;
/// Maximum number of notes, which are kept across runs.
const NOTES: usize = 100;
/// Number of snapshots by which a reader may fall behind after it has caught up; beyond, it only gets the newest.
const MAX_LAG: usize = 50;
/// Maximum number of events that are taken while the history is locked.
const BATCH: usize = 64;

/// A serialised event.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) sequence: u64,
    pub(crate) json: Arc<str>,
}

/// Layout and recent snapshots of the current run, and the notes of all runs.
#[derive(Debug, Default)]
pub(crate) struct History {
    layout: Option<Entry>,
    snapshots: VecDeque<(f64, Entry)>,
    /// Notes and ends of runs.
    notes: VecDeque<Entry>,
    next: u64,
}

impl History {
    /// Adds `event` with its JSON. Returns its sequence number.
    pub(crate) fn push(&mut self, event: &Event, json: Arc<str>) -> u64 {
        let entry = Entry { sequence: self.next, json };
        self.next += 1;
        match event {
            Event::Layout(_) => {
                self.snapshots.clear();
                self.layout = Some(entry);
            }
            Event::Snapshot(snapshot) => {
                self.snapshots.push_back((snapshot.time_s, entry));
                let since = snapshot.time_s - LOOK_BACK_S;
                while self.snapshots.len() > SNAPSHOTS
                    || self.snapshots.front().is_some_and(|(t, _)| *t < since)
                {
                    self.snapshots.pop_front();
                }
            }
            Event::Note { .. } | Event::Ended { .. } => {
                self.notes.push_back(entry);
                if self.notes.len() > NOTES {
                    self.notes.pop_front();
                }
            }
        }
        self.next - 1
    }

    /// JSON of the run's layout and of its newest snapshot.
    pub(crate) fn newest(&self) -> (Option<Arc<str>>, Option<Arc<str>>) {
        let layout = self.layout.as_ref().map(|entry| entry.json.clone());
        (layout, self.snapshots.back().map(|(_, entry)| entry.json.clone()))
    }
}

/// A reader's position in the history.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// First sequence number that the reader has not received.
    next: u64,
    /// Whether the reader was once up to date.
    caught_up: bool,
}

impl Reader {
    /// Appends the next events in order of publication to `to`, at most one batch. None if the reader is up to date.
    pub(crate) fn take(&mut self, history: &History, to: &mut VecDeque<Entry>) {
        let snapshots = &history.snapshots;
        let mut snapshot = snapshots.partition_point(|(_, entry)| entry.sequence < self.next);
        if self.caught_up && snapshots.len() - snapshot > MAX_LAG {
            snapshot = snapshots.len() - 1;
        }
        let mut note = history.notes.partition_point(|entry| entry.sequence < self.next);
        let mut layout = history.layout.as_ref().filter(|entry| entry.sequence >= self.next);
        for _ in 0..BATCH {
            let heads = [layout, history.notes.get(note), snapshots.get(snapshot).map(|(_, entry)| entry)];
            let first =
                heads.into_iter().enumerate().filter_map(|(from, head)| head.map(|head| (from, head)));
            let Some((from, entry)) = first.min_by_key(|(_, entry)| entry.sequence) else {
                self.caught_up = true;
                return;
            };
            self.next = entry.sequence + 1;
            to.push_back(entry.clone());
            match from {
                0 => layout = None,
                1 => note += 1,
                _ => snapshot += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Lateness, Layout, Snapshot};

    fn layout(run: u32) -> Event {
        Event::Layout(Layout {
            name: "test".into(),
            variant: String::new(),
            seed: 1,
            run,
            runs: 2,
            duration_s: 60.0,
            queues: vec![],
            flows: vec![],
            open: vec![],
        })
    }

    fn snapshot(time_s: f64) -> Event {
        let lateness_us = Lateness::default();
        Event::Snapshot(Snapshot { run: 1, time_s, queues: vec![], flows: vec![], lateness_us })
    }

    fn note(text: &str) -> Event {
        Event::Note { text: text.into() }
    }

    fn push(history: &mut History, event: &Event) -> u64 {
        history.push(event, serde_json::to_string(event).expect("events are plain data").into())
    }

    /// Sequence numbers that a reader receives until it is up to date.
    fn rest(reader: &mut Reader, history: &History) -> Vec<u64> {
        let mut all = Vec::new();
        loop {
            let mut batch = VecDeque::new();
            reader.take(history, &mut batch);
            if batch.is_empty() {
                return all;
            }
            assert!(batch.len() <= BATCH);
            all.extend(batch.iter().map(|entry| entry.sequence));
        }
    }

    #[test]
    fn a_late_reader_gets_the_history_in_order_then_new_events_only() {
        let mut history = History::default();
        push(&mut history, &note("before the first run"));
        push(&mut history, &layout(1));
        for i in 0..200 {
            push(&mut history, &if i == 100 { note("in between") } else { snapshot(f64::from(i)) });
        }
        let mut reader = Reader::default();
        assert_eq!(rest(&mut reader, &history), (0..202).collect::<Vec<_>>());
        assert!(rest(&mut reader, &history).is_empty());
        let sequence = push(&mut history, &snapshot(200.0));
        assert_eq!(rest(&mut reader, &history), [sequence]);
    }

    #[test]
    fn a_new_run_clears_the_snapshots_and_keeps_the_notes() {
        let mut history = History::default();
        push(&mut history, &layout(1));
        push(&mut history, &snapshot(1.0));
        let ended = push(&mut history, &Event::Ended { message: "complete".into() });
        let second = push(&mut history, &layout(2));
        assert_eq!(rest(&mut Reader::default(), &history), [ended, second]);
        assert!(history.newest().1.is_none());
    }

    #[test]
    fn the_history_keeps_ten_minutes_and_five_thousand_snapshots() {
        let mut history = History::default();
        for i in 0..700 {
            push(&mut history, &snapshot(f64::from(i)));
        }
        assert_eq!(history.snapshots.front().map(|(time, _)| *time), Some(99.0));
        for i in 0..6_000 {
            push(&mut history, &snapshot(700.0 + f64::from(i) / 1_000.0));
        }
        assert_eq!(history.snapshots.len(), SNAPSHOTS);
    }

    #[test]
    fn a_lagging_reader_gets_the_newest_snapshot_and_all_notes() {
        let mut history = History::default();
        push(&mut history, &layout(1));
        let mut reader = Reader::default();
        assert_eq!(rest(&mut reader, &history), [0]);
        push(&mut history, &snapshot(0.0));
        let text = push(&mut history, &note("remember"));
        for i in 0..1_000 {
            push(&mut history, &snapshot(f64::from(i) / 10.0));
        }
        assert_eq!(rest(&mut reader, &history), [text, 1_002]);
    }

    #[test]
    fn notes_are_bounded() {
        let mut history = History::default();
        for i in 0..1_000 {
            push(&mut history, &note(&i.to_string()));
        }
        assert_eq!(rest(&mut Reader::default(), &history), (900..1_000).collect::<Vec<_>>());
    }
}
