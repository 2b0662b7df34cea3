//! The receiver's feedback: arrivals that are not yet reported, and the messages that report them.

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_wire::{Ecn, InlineBytes};

use super::super::conference::{MOST_REPORTED, Report};
use super::packet::extend;
use super::transport_feedback;

/// Arrivals by transport-wide number.
#[derive(Debug, Clone, Default)]
pub(super) struct Reporter {
    arrivals: BTreeMap<u64, Time>,
    ecn: BTreeMap<u64, Ecn>,
    /// The first number that no message has reported.
    next: Option<u64>,
    newest: Option<u64>,
    count: u8,
}

impl Reporter {
    /// Records an arrival; returns the whole transport-wide number.
    pub(super) fn arrived(&mut self, low: u16, ecn: Ecn, now: Time) -> u64 {
        let number = extend(low, self.newest.unwrap_or(low.into()));
        self.newest = self.newest.max(Some(number));
        self.next.get_or_insert(number);
        self.arrivals.insert(number, now);
        if ecn != Ecn::NotEct {
            self.ecn.insert(number, ecn);
        }
        number
    }

    /// Whether nothing is to be reported.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// The next message; `None` if all is reported. A packet that was reported as missing and came later is reported again.
    pub(super) fn take(&mut self, now: Time) -> Option<InlineBytes> {
        let (oldest, _) = self.arrivals.first_key_value()?;
        let base = self.next.unwrap_or(*oldest).min(*oldest);
        let (bytes, next) =
            if self.ecn.is_empty() { self.transport_wide(base)? } else { self.rfc8888(base, now)? };
        self.next = self.next.max(Some(next));
        Some(bytes)
    }

    fn transport_wide(&mut self, base: u64) -> Option<(InlineBytes, u64)> {
        let (message, next) = transport_feedback::report(&mut self.arrivals, base, self.count)?;
        self.count = self.count.wrapping_add(1);
        Some((message.bytes, next))
    }

    fn rfc8888(&mut self, base: u64, now: Time) -> Option<(InlineBytes, u64)> {
        // RFC 8888 §3.1: consecutive numbers, with one of the source per packet. What is missing at the front is told as lost.
        let newest = *self.arrivals.last_key_value()?.0;
        let end = newest.saturating_add(1).min(base + MOST_REPORTED as u64);
        let packets: Vec<Option<(Time, Ecn)>> = (base..end)
            .map(|number| {
                let at = self.arrivals.remove(&number)?;
                Some((at, self.ecn.remove(&number).unwrap_or(Ecn::NotEct)))
            })
            .collect();
        Some((Report::new(base, &packets, now).emit(), end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::feedback::Feedback;
    use super::*;

    fn take_all(reporter: &mut Reporter, now: Time) -> Vec<(u64, bool, bool)> {
        let mut found = Vec::new();
        while let Some(message) = reporter.take(now) {
            let is_read = Feedback::read(message.as_slice(), 0, |number, at, is_marked| {
                found.push((number, at.is_some(), is_marked));
            });
            assert!(is_read);
        }
        found
    }

    #[test]
    fn every_packet_is_reported_once_and_late_ones_again() {
        let mut reporter = Reporter::default();
        [0, 1, 3].iter().for_each(|n| {
            reporter.arrived(*n, Ecn::NotEct, Time::from_millis(1));
        });
        let found = take_all(&mut reporter, Time::from_millis(50));
        assert_eq!(found, [(0, true, false), (1, true, false), (2, false, false), (3, true, false)]);
        reporter.arrived(5, Ecn::NotEct, Time::from_millis(60));
        assert_eq!(take_all(&mut reporter, Time::from_millis(100)), [(4, false, false), (5, true, false)]);
        reporter.arrived(2, Ecn::NotEct, Time::from_millis(110));
        assert_eq!(take_all(&mut reporter, Time::from_millis(150)), [(2, true, false)]);
        reporter.arrived(6, Ecn::NotEct, Time::from_millis(160));
        assert_eq!(take_all(&mut reporter, Time::from_millis(200)), [(6, true, false)]);
    }

    #[test]
    fn ecn_capable_packets_are_reported_with_their_marks() {
        let mut reporter = Reporter::default();
        for n in 0..12 {
            let ecn = if n == 4 { Ecn::Ce } else { Ecn::Ect1 };
            reporter.arrived(n, ecn, Time::from_millis(1));
        }
        let found = take_all(&mut reporter, Time::from_millis(2));
        assert_eq!(found.len(), 12);
        let marked: Vec<u64> = found.iter().filter(|packet| packet.2).map(|packet| packet.0).collect();
        assert_eq!(marked, [4]);
        assert!(reporter.is_empty());
    }
}
