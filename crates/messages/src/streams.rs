//! The sending side of streams: message numbers, drop verdicts, and bandwidth.

use std::collections::{BTreeMap, VecDeque};

use jettison_core::{DropReason, Duration, Rate};
use jettison_octopus::{Droppers, VerdictOptions};
use jettison_wire::{MessageNumber, OctopusHeader};

/// Options of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    /// Whether all messages are retransmitted until they arrive, and none is dropped.
    pub reliable: bool,
}

/// All streams of this sender.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    streams: BTreeMap<u16, Stream>,
    first_message: MessageNumber,
    options: VerdictOptions,
    /// Maximum number of unfinished messages of a reliable stream.
    window: usize,
}

#[derive(Debug, Clone)]
struct Stream {
    options: StreamOptions,
    next: MessageNumber,
    droppers: Droppers,
    /// Droppers that have been sent: the state of a router on the path.
    sent: Droppers,
    /// For a reliable stream: whether each message from the oldest unfinished one on is finished.
    begun: VecDeque<bool>,
    oldest: MessageNumber,
}

impl Streams {
    pub fn new(first_message: u32, options: VerdictOptions, window: usize) -> Streams {
        let first_message = MessageNumber::new(first_message);
        Streams { streams: BTreeMap::new(), first_message, options, window }
    }

    /// Opens a stream; returns `false` and changes nothing if it is open already.
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

    /// Assigns the next message number.
    pub fn next_number(&mut self, stream: u16) -> MessageNumber {
        self.open(stream, StreamOptions::default());
        let Some(stream) = self.streams.get_mut(&stream) else { return self.first_message };
        let number = stream.next;
        stream.next = number.next();
        number
    }

    /// Records a message that entered the send buffer; `label` is that of its last packet.
    pub fn observe(&mut self, label: &OctopusHeader) {
        if let Some(stream) = self.streams.get_mut(&label.stream) {
            stream.droppers.observe(label);
        }
    }

    /// Records the departure of a message's last packet.
    pub fn departed(&mut self, label: &OctopusHeader) {
        if let Some(stream) = self.streams.get_mut(&label.stream) {
            stream.sent.observe(label);
        }
    }

    /// Whether a newer message, sent or waiting, has made this one obsolete.
    pub fn is_stale(&self, label: &OctopusHeader) -> bool {
        self.streams.get(&label.stream).is_some_and(|stream| stream.droppers.is_stale(label))
    }

    /// Whether `dropper` makes this message obsolete and a router on the path does not know it yet.
    pub fn is_new_to_router(&self, dropper: &OctopusHeader, label: &OctopusHeader) -> bool {
        let is_older = label.stream == dropper.stream && label.message.is_before(dropper.message);
        let known = self.streams.get(&label.stream).is_some_and(|stream| stream.sent.is_stale(label));
        dropper.drop_flag && is_older && label.priority >= dropper.threshold && !known
    }

    /// The reason to drop the message; `None` to send it. `bandwidth` is the connection's.
    pub fn verdict(
        &self,
        label: &OctopusHeader,
        bandwidth: Option<Rate>,
        waited: Duration,
    ) -> Option<DropReason> {
        let stream = self.streams.get(&label.stream)?;
        stream.droppers.verdict(label, self.bandwidth_of(label.stream, bandwidth), waited, self.options)
    }

    /// The bandwidth of one stream: all of the connection's. Fair shares of several streams of a connection would be
    /// computed here.
    fn bandwidth_of(&self, _stream: u16, connection: Option<Rate>) -> Option<Rate> {
        connection
    }

    /// Whether the next message may begin to leave: a receiver keeps a limited number of unfinished ones.
    pub fn may_begin(&self, stream: u16) -> bool {
        self.streams
            .get(&stream)
            .is_none_or(|stream| !stream.options.reliable || stream.begun.len() < self.window)
    }

    /// Records that a message begins to leave.
    pub fn begin(&mut self, stream: u16) {
        if let Some(stream) = self.streams.get_mut(&stream)
            && stream.options.reliable
        {
            stream.begun.push_back(false);
        }
    }

    /// Records that a message has arrived completely.
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
    fn a_reliable_stream_begins_no_message_beyond_its_receivers_window() {
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
