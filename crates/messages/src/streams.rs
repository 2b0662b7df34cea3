//! The sending side of streams: their numbers, what their newer messages say of older ones, and their bandwidth.

use std::collections::{BTreeMap, VecDeque};

use jettison_core::{DropReason, Duration, Rate};
use jettison_octopus::{Droppers, VerdictOptions};
use jettison_wire::{MessageNumber, OctopusHeader};

/// What a stream is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    /// Everything is sent again until it has arrived, and nothing is dropped.
    pub reliable: bool,
}

/// All streams that this end sends on.
#[derive(Debug)]
pub(super) struct Streams {
    streams: BTreeMap<u16, Stream>,
    first_message: MessageNumber,
    options: VerdictOptions,
    /// Messages of a reliable stream that may be unfinished.
    window: usize,
}

#[derive(Debug)]
struct Stream {
    options: StreamOptions,
    next: MessageNumber,
    droppers: Droppers,
    /// Those of them that have left: what a router on the way knows.
    sent: Droppers,
    /// Of a reliable stream: whether each message from the oldest unfinished one on is finished.
    begun: VecDeque<bool>,
    oldest: MessageNumber,
}

impl Streams {
    pub fn new(first_message: u32, options: VerdictOptions, window: usize) -> Streams {
        let first_message = MessageNumber::new(first_message);
        Streams { streams: BTreeMap::new(), first_message, options, window }
    }

    /// Opens a stream; `false` if it is open already, and nothing changes.
    pub fn open(&mut self, stream: u16, options: StreamOptions) -> bool {
        if self.streams.contains_key(&stream) {
            return false;
        }
        self.streams.insert(
            stream,
            Stream {
                options,
                next: self.first_message,
                droppers: Droppers::default(),
                sent: Droppers::default(),
                begun: VecDeque::new(),
                oldest: self.first_message,
            },
        );
        true
    }

    pub fn is_reliable(&self, stream: u16) -> bool {
        self.streams.get(&stream).is_some_and(|stream| stream.options.reliable)
    }

    /// The number of the next message, which is taken.
    pub fn next_number(&mut self, stream: u16) -> MessageNumber {
        self.open(stream, StreamOptions::default());
        let Some(stream) = self.streams.get_mut(&stream) else { return self.first_message };
        let number = stream.next;
        stream.next = number.next();
        number
    }

    /// A message has come in as a whole: `label` is that of its last packet.
    pub fn take_in(&mut self, label: &OctopusHeader) {
        if let Some(stream) = self.streams.get_mut(&label.stream) {
            stream.droppers.take_in(label);
        }
    }

    /// The last packet of a message leaves.
    pub fn left(&mut self, label: &OctopusHeader) {
        if let Some(stream) = self.streams.get_mut(&label.stream) {
            stream.sent.take_in(label);
        }
    }

    /// Whether a newer message, of those that wait here too, has made this one superfluous.
    pub fn is_stale(&self, label: &OctopusHeader) -> bool {
        self.streams.get(&label.stream).is_some_and(|stream| stream.droppers.is_stale(label))
    }

    /// Whether a router on the way does not yet know that `dropper` makes this one superfluous.
    pub fn is_news_for(&self, dropper: &OctopusHeader, label: &OctopusHeader) -> bool {
        let is_older = label.stream == dropper.stream && label.message.is_before(dropper.message);
        let known = self.streams.get(&label.stream).is_some_and(|stream| stream.sent.is_stale(label));
        dropper.drop_flag && is_older && label.priority >= dropper.threshold && !known
    }

    /// Why the message should not leave; `None` if it should. `bandwidth` is the connection's.
    pub fn verdict(
        &self,
        label: &OctopusHeader,
        bandwidth: Option<Rate>,
        waited: Duration,
    ) -> Option<DropReason> {
        let stream = self.streams.get(&label.stream)?;
        stream.droppers.verdict(label, self.bandwidth_of(label.stream, bandwidth), waited, self.options)
    }

    /// What one stream has of the connection's bandwidth: all of it. Where several streams share a connection, this is where
    /// their fair shares belong.
    fn bandwidth_of(&self, _stream: u16, connection: Option<Rate>) -> Option<Rate> {
        connection
    }

    /// Whether the next message may begin to leave: a receiver remembers so many unfinished ones.
    pub fn may_begin(&self, stream: u16) -> bool {
        self.streams
            .get(&stream)
            .is_none_or(|stream| !stream.options.reliable || stream.begun.len() < self.window)
    }

    /// A message begins to leave.
    pub fn begin(&mut self, stream: u16) {
        if let Some(stream) = self.streams.get_mut(&stream)
            && stream.options.reliable
        {
            stream.begun.push_back(false);
        }
    }

    /// All of a message has arrived.
    pub fn finish(&mut self, stream: u16, number: MessageNumber) {
        let Some(stream) = self.streams.get_mut(&stream) else { return };
        let ahead = number.get().wrapping_sub(stream.oldest.get()) & ((1 << MessageNumber::BITS) - 1);
        if let Some(is_finished) = stream.begun.get_mut(ahead as usize) {
            *is_finished = true;
        }
        while stream.begun.front() == Some(&true) {
            stream.begun.pop_front();
            stream.oldest = stream.oldest.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reliable_stream_begins_no_message_that_its_receiver_would_forget_others_for() {
        let mut streams = Streams::new((1 << 29) - 1, VerdictOptions::default(), 2);
        streams.open(3, StreamOptions { reliable: true });
        let first = streams.next_number(3);
        let second = streams.next_number(3);
        assert_eq!((first.get(), second.get()), ((1 << 29) - 1, 0));
        streams.begin(3);
        streams.begin(3);
        assert!(!streams.may_begin(3));
        streams.finish(3, second);
        assert!(!streams.may_begin(3), "the older one is not finished");
        streams.finish(3, first);
        assert!(streams.may_begin(3));
    }

    #[test]
    fn a_stream_is_opened_once() {
        let mut streams = Streams::new(0, VerdictOptions::default(), 2);
        assert!(streams.open(1, StreamOptions { reliable: true }));
        assert!(!streams.open(1, StreamOptions::default()));
        assert!(streams.is_reliable(1));
        streams.next_number(2);
        assert!(!streams.is_reliable(2) && streams.may_begin(2));
    }
}
