//! What a page that connects late is told first, and what each reader has yet to be told.
//!
//! There is one history and no queue a reader: a reader is a place in the history. So a reader that does not read costs
//! nothing and delays nobody.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::snapshot::Event;

/// A page may look back so far: ten minutes of the run's time, and so many snapshots.
const LOOK_BACK_S: f64 = 600.0;
const SNAPSHOTS: usize = 5_000;
/// Notes are kept from run to run.
const NOTES: usize = 100;
/// A reader that had caught up and is then so many snapshots behind gets the newest only.
const TOO_FAR_BEHIND: usize = 50;
/// So many events are taken at once, while the history is locked.
const BATCH: usize = 64;

/// An event as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) sequence: u64,
    pub(crate) json: Arc<str>,
}

/// The run's layout, its snapshots as far as they are kept, and all runs' notes.
#[derive(Debug, Default)]
pub(crate) struct History {
    layout: Option<Entry>,
    snapshots: VecDeque<(f64, Entry)>,
    /// Notes and ends.
    notes: VecDeque<Entry>,
    next: u64,
}

impl History {
    /// Adds `event`, whose JSON is `json`, and gives its sequence number.
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

    /// The JSON of the run's layout and of its newest snapshot.
    pub(crate) fn newest(&self) -> (Option<Arc<str>>, Option<Arc<str>>) {
        let layout = self.layout.as_ref().map(|entry| entry.json.clone());
        (layout, self.snapshots.back().map(|(_, entry)| entry.json.clone()))
    }
}

/// A reader's place in the history.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The first sequence number that it has not been given.
    next: u64,
    /// It has been given all there was, once.
    caught_up: bool,
}

impl Reader {
    /// Moves what comes next in the order of publication to `to`, a batch at most. Nothing if the reader is up to date.
    pub(crate) fn take(&mut self, history: &History, to: &mut VecDeque<Entry>) {
        let snapshots = &history.snapshots;
        let mut snapshot = snapshots.partition_point(|(_, entry)| entry.sequence < self.next);
        if self.caught_up && snapshots.len() - snapshot > TOO_FAR_BEHIND {
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

    /// The sequence numbers that a reader is given until it is up to date.
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
    fn a_late_reader_gets_all_in_order_then_only_what_is_new() {
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
    fn a_new_run_forgets_the_snapshots_of_the_last_and_keeps_the_notes() {
        let mut history = History::default();
        push(&mut history, &layout(1));
        push(&mut history, &snapshot(1.0));
        let ended = push(&mut history, &Event::Ended { message: "complete".into() });
        let second = push(&mut history, &layout(2));
        assert_eq!(rest(&mut Reader::default(), &history), [ended, second]);
        assert!(history.newest().1.is_none());
    }

    #[test]
    fn looks_back_ten_minutes_and_five_thousand_snapshots() {
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
    fn a_reader_left_behind_gets_the_newest_snapshot_and_no_note_is_lost() {
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
