//! Channels: what one socket sends, and what held it back.

use std::collections::VecDeque;

use jettison_core::Time;

use super::Component;
use super::chain::{Chain, Spot};
use crate::provenance::Unit;

/// Changes of what holds a sender back that a channel remembers.
const LIMITS: usize = 4096;

/// A channel. Numbers are not used again, so that late packets of a connection that has ended find nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChannelId(pub u32);

/// What held a sender back from an instant on.
#[derive(Debug, Clone, Copy)]
struct Limited {
    at: Time,
    component: Component,
    /// The drop or mark for which its window was last reduced.
    decision: Option<u64>,
}

/// What holds a sender back, over time.
#[derive(Debug, Clone, Default)]
pub(super) struct Limits {
    log: VecDeque<Limited>,
    /// The drop or mark for which the window was last reduced.
    decision: Option<u64>,
}

impl Limits {
    /// From `at` on it is something else.
    pub fn limited(&mut self, component: Component, at: Time) {
        // Only waits that a smaller window makes longer name what made it smaller.
        let is_reduced = matches!(component, Component::Window | Component::Pacing);
        let decision = self.decision.filter(|_| is_reduced);
        if let Some(last) = self.log.back_mut() {
            if (last.component, last.decision) == (component, decision) {
                return;
            }
            if last.at == at {
                (last.component, last.decision) = (component, decision);
                return;
            }
        }
        if self.log.len() == LIMITS {
            self.log.pop_front();
        }
        self.log.push_back(Limited { at, component, decision });
    }

    /// The window was reduced for a drop or mark, if it is known.
    pub fn reduced(&mut self, decision: Option<u64>, at: Time) {
        self.decision = decision;
        if let Some(last) = self.log.back().copied() {
            self.limited(last.component, at);
        }
    }

    /// Splits the time from the end of a chain to `until` by what held the sender back.
    pub fn split(&self, chain: &mut Chain, until: Time, spot: Spot) {
        let after = self.log.partition_point(|limited| limited.at <= chain.cursor);
        // What came before the log is taken to have been the same as at its beginning.
        let first = after.saturating_sub(1);
        for (place, limited) in self.log.iter().enumerate().skip(first) {
            let end = self.log.get(place + 1).map_or(until, |next| next.at.min(until));
            chain.extend(end, limited.component, spot, limited.decision);
            if end >= until {
                return;
            }
        }
        chain.extend(until, Component::Application, spot, None);
    }
}

/// Bytes of a stream in a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub offset: u64,
    pub end: u64,
    pub packet: u32,
    pub at: Time,
    /// Why they were sent again; `None` for the first time.
    pub repair: Option<Component>,
}

/// A unit's bytes in a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub start: u64,
    pub end: u64,
    pub unit: Unit,
    /// When they were written.
    pub written: Time,
}

/// What one end of a TCP connection sends, as far as the other end lacks it.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// First transmissions, by offset.
    firsts: VecDeque<Sent>,
    /// Retransmissions, in the order of time.
    repeats: Vec<Sent>,
    pub ranges: VecDeque<Range>,
    /// Offset after the last byte that a unit has.
    pub described: u64,
    /// Packets that came before others that precede them, with their arrival.
    pub early: Vec<(Sent, Time)>,
    /// What has come to the receiver's kernel, and its application has not read.
    pub unread: VecDeque<Range>,
}

/// A channel.
#[derive(Debug, Clone, Default)]
pub(super) struct Channel {
    pub limits: Limits,
    /// The first mark since the window was last reduced for marks.
    pub mark: Option<u64>,
    /// The queue that its packets come to first.
    pub queue: Option<u32>,
    /// Of TCP.
    pub stream: Stream,
}

impl Channel {
    /// The host that sends.
    pub fn sender(&self) -> Spot {
        self.queue.map_or(Spot::None, Spot::Sender)
    }
}

impl Stream {
    /// A packet leaves.
    pub fn departs(&mut self, sent: Sent) {
        if sent.repair.is_none() && self.firsts.back().is_none_or(|last| last.end <= sent.offset) {
            self.firsts.push_back(sent);
        } else {
            self.repeats.push(sent);
        }
    }

    /// The transmissions of a byte, in the order of time.
    pub fn transmissions(&self, byte: u64) -> impl Iterator<Item = &Sent> + '_ {
        let has = move |sent: &&Sent| sent.offset <= byte && byte < sent.end;
        let place = self.firsts.partition_point(|sent| sent.end <= byte);
        self.firsts.get(place).into_iter().filter(has).chain(self.repeats.iter().filter(has))
    }

    /// The packet that came last of those with bytes of a range that came early.
    pub fn last_early(&self, range: &Range) -> Option<(Sent, Time)> {
        let own = self.early.iter().filter(|(sent, _)| sent.offset < range.end && range.start < sent.end);
        own.max_by_key(|(_, at)| *at).copied()
    }

    /// Forgets what the receiver has in order up to `edge`. Calls `forget` with the packets.
    pub fn release(&mut self, edge: u64, mut forget: impl FnMut(u32)) {
        while let Some(sent) = self.firsts.pop_front_if(|sent| sent.end <= edge) {
            forget(sent.packet);
        }
        self.repeats.retain(|sent| {
            let is_kept = sent.end > edge;
            if !is_kept {
                forget(sent.packet);
            }
            is_kept
        });
        self.early.retain(|(sent, _)| sent.end > edge);
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::*;
    use crate::accounts::chain::Part;

    const AT: fn(u64) -> Time = Time::from_millis;

    fn parts(chain: &Chain) -> Vec<(Component, u64, Option<u64>)> {
        let of = |part: &Part| (part.component, part.duration.as_millis(), part.decision);
        chain.parts.iter().map(of).collect()
    }

    #[test]
    fn a_wait_is_split_by_what_held_the_sender_back() {
        let mut limits = Limits::default();
        limits.limited(Component::Application, AT(0));
        limits.limited(Component::Window, AT(10));
        limits.reduced(Some(7), AT(30));
        limits.limited(Component::ReceiveWindow, AT(35));
        limits.limited(Component::Window, AT(40));
        limits.limited(Component::Pacing, AT(40));
        let mut chain = Chain::new(AT(5));
        limits.split(&mut chain, AT(50), Spot::Sender(3));
        let expected = [
            (Component::Application, 5, None),
            (Component::Window, 20, None),
            (Component::Window, 5, Some(7)),
            (Component::ReceiveWindow, 5, None),
            (Component::Pacing, 10, Some(7)),
        ];
        assert_eq!(parts(&chain), expected);
        let mut within = Chain::new(AT(12));
        limits.split(&mut within, AT(20), Spot::None);
        assert_eq!(parts(&within), [(Component::Window, 8, None)]);
        let mut nothing = Chain::new(AT(1));
        Limits::default().split(&mut nothing, AT(4), Spot::None);
        assert_eq!(parts(&nothing), [(Component::Application, 3, None)]);
        assert_eq!(nothing.cursor.since(nothing.start), Duration::from_millis(3));
    }

    #[test]
    fn the_log_of_limits_is_bounded() {
        let mut limits = Limits::default();
        for at in 0..3 * LIMITS as u64 {
            let component = if at % 2 == 0 { Component::Window } else { Component::Application };
            limits.limited(component, AT(at));
        }
        assert_eq!(limits.log.len(), LIMITS);
    }

    #[test]
    fn transmissions_of_a_byte_are_found_until_it_is_received() {
        let sent = |offset, packet, repair| Sent {
            offset,
            end: offset + 100,
            packet,
            at: AT(packet.into()),
            repair,
        };
        let mut stream = Stream::default();
        (0..5).for_each(|number| stream.departs(sent(100 * number, number as u32, None)));
        stream.departs(sent(200, 9, Some(Component::RetransmissionRack)));
        let packets =
            |stream: &Stream, byte| stream.transmissions(byte).map(|own| own.packet).collect::<Vec<_>>();
        assert_eq!((packets(&stream, 250), packets(&stream, 99)), (vec![2, 9], vec![0]));
        let mut forgotten = Vec::new();
        stream.release(300, |packet| forgotten.push(packet));
        assert_eq!(
            (forgotten, packets(&stream, 250), packets(&stream, 300)),
            (vec![0, 1, 2, 9], vec![], vec![3])
        );
    }
}
