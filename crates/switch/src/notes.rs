//! Feedback carried by clones, stored under a number in the clone's `meta.tag`.

use crate::{Feedback, Port};

/// A slab of notes. Freed slots are reused, so there is no allocation after the peak.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    notes: Vec<Option<Note>>,
    free: Vec<u32>,
}

/// The feedback that a clone carries to ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Note {
    /// The port whose hook sends and receives it.
    pub port: Port,
    /// Whether the clone passes through that port's queue.
    pub queued: bool,
    /// The feedback.
    pub feedback: Feedback,
}

impl Notes {
    /// Tag of a packet without a note whose drop by the queue is reported to the hook.
    pub const WATCHED: u32 = u32::MAX;

    /// Stores a note; returns its tag, which is never 0.
    pub fn keep(&mut self, note: Note) -> u32 {
        if let Some(tag) = self.free.pop() {
            self.notes[tag as usize - 1] = Some(note);
            return tag;
        }
        self.notes.push(Some(note));
        let tag = u32::try_from(self.notes.len()).ok().filter(|tag| *tag != Notes::WATCHED);
        tag.expect("fewer than 2^32 - 1 clones are in flight")
    }

    /// Removes and returns the note with this tag, if any.
    pub fn take(&mut self, tag: u32) -> Option<Note> {
        let note = self.notes.get_mut((tag as usize).checked_sub(1)?)?.take()?;
        self.free.push(tag);
        Some(note)
    }

    /// Makes the feedback of a port's hook void: another hook takes its place.
    pub fn void(&mut self, port: Port) {
        for note in self.notes.iter_mut().flatten().filter(|note| note.port == port) {
            (note.port, note.queued) = (Port(u16::MAX), false);
        }
    }

    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.notes.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_tags_are_reused_and_taken_once() {
        let note = |value| Note { port: Port(0), queued: true, feedback: Feedback { value } };
        let mut notes = Notes::default();
        let (a, b) = (notes.keep(note(1)), notes.keep(note(2)));
        assert!(a != 0 && b != 0 && a != b);
        assert_eq!(notes.take(a), Some(note(1)));
        assert_eq!(notes.take(a), None);
        assert_eq!(notes.keep(note(3)), a);
        assert_eq!((notes.take(0), notes.take(99), notes.kept()), (None, None, 2));
    }
}
