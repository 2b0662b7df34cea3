//! The sender's record of all segments between SND.UNA and SND.NXT.
//!
//! A ring holds the segments in sequence order; running counters and cursors make the work per ACK constant, amortised:
//! a segment is marked SACKed once and lost once per transmission, and cursors only move forward (they go back if a
//! retransmission is itself lost). Offsets are 64-bit stream offsets; FIN takes one.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use crate::congestion::SendSnapshot;
use crate::ranges::RangeSet;

/// One transmitted segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Time of the last departure.
    pub sent_at: Time,
    /// Snapshot of the rate sampler at that time.
    pub snapshot: SendSnapshot,
    /// Number of transmissions before that one: orders departures, even within one instant.
    pub order: u64,
    /// Length in sequence space: payload, plus one for FIN.
    pub length: u32,
    state: State,
    flags: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    InFlight,
    Lost,
    Sacked,
}

impl Segment {
    const RETRANSMITTED: u8 = 1;
    const FIN: u8 = 2;
    /// Retransmitted although not known to be lost: both copies count as in flight (RFC 6675 §4, Pipe).
    const DOUBLED: u8 = 4;
    /// Found to be lost by time, or by a timeout.
    const BY_TIME: u8 = 8;
    const BY_TIMEOUT: u8 = 16;

    #[inline]
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }
    #[inline]
    pub fn is_retransmitted(&self) -> bool {
        self.flags & Segment::RETRANSMITTED != 0
    }
    /// Marked lost, and not retransmitted since.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.state == State::Lost
    }
    /// How it was last found to be lost.
    pub fn loss_cause(&self) -> LossCause {
        match self.flags & (Segment::BY_TIME | Segment::BY_TIMEOUT) {
            0 => LossCause::Count,
            Segment::BY_TIME => LossCause::Time,
            _ => LossCause::Timeout,
        }
    }
    #[inline]
    pub fn has_fin(&self) -> bool {
        self.flags & Segment::FIN != 0
    }
    #[inline]
    fn flight(&self) -> u64 {
        let length = u64::from(self.length);
        if self.flags & Segment::DOUBLED != 0 { 2 * length } else { length }
    }
}

/// How a segment was found to be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LossCause {
    /// By acknowledgements of later segments.
    Count,
    /// By time since its departure.
    Time,
    /// By a retransmission timeout.
    Timeout,
}

/// Receives every segment that an ACK delivers for the first time.
pub(super) trait DeliverySink {
    /// Delivered by the cumulative acknowledgement.
    fn on_acknowledged(&mut self, segment: &Segment);
    /// Delivered by a SACK block.
    fn on_sacked(&mut self, segment: &Segment);
}

/// The ring of segments.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoreboard {
    segments: VecDeque<Segment>,
    /// Number of the first segment; numbers count segments from the start of the connection.
    base: u64,
    una: u64,
    next: u64,
    // Bytes by state.
    in_flight: u64,
    lost: u64,
    sacked: u64,
    sacked_segments: u32,
    lost_total: u64,
    /// Number of transmissions so far.
    departures: u64,
    /// SACKed offsets.
    ranges: RangeSet,
    // Cursors: segment numbers.
    /// No lost segment below it waits for retransmission.
    retransmit_cursor: u64,
    /// RFC 6675's IsLost holds for all segments below it.
    loss_cursor: u64,
    /// RACK has decided on all originals below it.
    time_cursor: u64,
    /// One past the highest segment retransmitted in this recovery (HighRxt).
    high_retransmitted: u64,
    /// Retransmissions in order of departure, for RACK; entries may be stale.
    retransmissions: VecDeque<(u64, u64)>,
    /// Number of departures before the last reduction of the window.
    reduced_at: u64,
    /// Whether a retransmission that left since then was itself lost.
    lost_again: bool,
}

impl Scoreboard {
    /// SND.UNA as a stream offset.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }
    /// SND.NXT as a stream offset.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }
    /// FlightSize: sent but not cumulatively acknowledged.
    #[inline]
    pub fn flight_size(&self) -> u64 {
        self.next - self.una
    }
    /// Pipe: the estimate of bytes in flight (RFC 6675 §4).
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }
    /// Bytes marked lost that wait for retransmission.
    #[inline]
    pub fn lost(&self) -> u64 {
        self.lost
    }
    /// All bytes marked lost so far.
    #[inline]
    pub fn lost_total(&self) -> u64 {
        self.lost_total
    }
    /// Bytes SACKed above SND.UNA.
    #[inline]
    pub fn sacked(&self) -> u64 {
        self.sacked
    }
    #[inline]
    pub fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }
    #[inline]
    pub fn len(&self) -> usize {
        self.segments.len()
    }
    /// Whether no segment is SACKed, lost or retransmitted, so that there is nothing to detect.
    #[inline]
    pub fn is_clean(&self) -> bool {
        self.sacked == 0 && self.lost == 0 && self.retransmissions.is_empty()
    }

    #[inline]
    fn at(&mut self, number: u64) -> Option<&mut Segment> {
        self.segments.get_mut((number.checked_sub(self.base)?) as usize)
    }

    /// Adds a new segment at its departure.
    #[inline]
    pub fn push(&mut self, length: u32, has_fin: bool, now: Time, snapshot: SendSnapshot) {
        let flags = if has_fin { Segment::FIN } else { 0 };
        let segment = Segment {
            start: self.next,
            sent_at: now,
            snapshot,
            order: self.departures,
            length,
            state: State::InFlight,
            flags,
        };
        self.segments.push_back(segment);
        self.departures += 1;
        self.next += u64::from(length);
        self.in_flight += u64::from(length);
    }

    /// Acknowledges everything below `ack`.
    #[inline]
    pub fn acknowledge(&mut self, ack: u64, sink: &mut impl DeliverySink) {
        while let Some(segment) = self.segments.front_mut() {
            let end = segment.end();
            if segment.start >= ack {
                break;
            }
            // A middlebox or a peer with a smaller segment size may acknowledge a part.
            let covered = if end <= ack { u64::from(segment.length) } else { ack - segment.start };
            match segment.state {
                State::InFlight => {
                    let copies = if segment.flags & Segment::DOUBLED != 0 { 2 } else { 1 };
                    self.in_flight -= covered * copies;
                }
                State::Lost => self.lost -= covered,
                State::Sacked => {
                    self.sacked -= covered;
                    self.sacked_segments -= u32::from(end <= ack);
                }
            }
            if segment.state != State::Sacked {
                let part = Segment { length: covered as u32, ..*segment };
                sink.on_acknowledged(&part);
            }
            if end > ack {
                segment.start = ack;
                segment.length -= covered as u32;
                break;
            }
            self.segments.pop_front();
            self.base += 1;
        }
        self.una = ack;
        if !self.ranges.is_empty() {
            self.ranges.remove_below(ack);
        }
        if self.segments.is_empty() {
            self.retransmissions.clear();
        }
    }

    /// Marks `start..end` as SACKed. Only whole segments count.
    pub fn sack(&mut self, start: u64, end: u64, sink: &mut impl DeliverySink) {
        let mut from = start.max(self.una);
        let (mut covered_from, mut covered_to) = (u64::MAX, 0);
        while let Some((gap_start, gap_end)) = self.ranges.first_uncovered(from, end) {
            let mut index = self.segments.partition_point(|segment| segment.start < gap_start);
            while let Some(segment) = self.segments.get_mut(index).filter(|segment| segment.end() <= gap_end)
            {
                let length = u64::from(segment.length);
                covered_from = covered_from.min(segment.start);
                covered_to = segment.end();
                match segment.state {
                    State::InFlight => self.in_flight -= segment.flight(),
                    State::Lost => self.lost -= length,
                    State::Sacked => {}
                }
                if segment.state != State::Sacked {
                    segment.state = State::Sacked;
                    segment.flags &= !Segment::DOUBLED;
                    self.sacked += length;
                    self.sacked_segments += 1;
                    sink.on_sacked(segment);
                }
                index += 1;
            }
            from = gap_end;
        }
        if covered_from < covered_to {
            self.ranges.insert(covered_from, covered_to);
        }
    }

    fn mark_lost(&mut self, number: u64, cause: LossCause) {
        let Some(segment) = self.at(number).filter(|segment| segment.state == State::InFlight) else {
            return;
        };
        let (flight, length) = (segment.flight(), u64::from(segment.length));
        let retransmission = segment.is_retransmitted().then_some(segment.order);
        segment.state = State::Lost;
        segment.flags &= !(Segment::DOUBLED | Segment::BY_TIME | Segment::BY_TIMEOUT);
        segment.flags |= match cause {
            LossCause::Count => 0,
            LossCause::Time => Segment::BY_TIME,
            LossCause::Timeout => Segment::BY_TIMEOUT,
        };
        self.lost_again |= retransmission.is_some_and(|order| order >= self.reduced_at);
        self.in_flight -= flight;
        self.lost += length;
        self.lost_total += length;
        self.retransmit_cursor = self.retransmit_cursor.min(number);
    }

    /// Marks the first unacknowledged segment lost, unless it is already marked or SACKed.
    pub fn mark_head_lost(&mut self) {
        self.mark_lost(self.base, LossCause::Count);
    }

    /// Marks segments lost by RFC 6675 §4: those below three discontiguous SACKed ranges, or below more than two
    /// segments' worth of SACKed bytes. Retransmitted segments are not examined again.
    pub fn detect_by_count(&mut self, mss: u64) {
        let (mut bytes, mut count) = (0, 0);
        let limit = self.ranges.iter_down().find(|range| {
            bytes += range.1 - range.0;
            count += 1;
            count >= 3 || bytes > 2 * mss
        });
        let Some((limit, _)) = limit else { return };
        let mut number = self.loss_cursor.max(self.base);
        while let Some(segment) = self.at(number).filter(|segment| segment.start < limit) {
            if !segment.is_retransmitted() {
                self.mark_lost(number, LossCause::Count);
            }
            number += 1;
        }
        self.loss_cursor = number;
    }

    /// Marks segments lost by RACK (RFC 8985 §6.2 step 5): those that left before transmission `newest`, the last one
    /// known to be delivered, and longer ago than `patience`. Returns when the next one would be lost.
    ///
    /// The RFC waits for the *last* segment within the window, to save timers; here each has its own time, so that the
    /// work per ACK is constant. The RFC orders transmissions by time and sequence number; here their count orders
    /// them exactly.
    pub fn detect_by_time(&mut self, newest: u64, patience: Duration, now: Time) -> Option<Time> {
        let mut wake = None::<Time>;
        let mut number = self.time_cursor.max(self.base);
        while let Some(segment) = self.at(number) {
            if segment.state == State::InFlight && !segment.is_retransmitted() {
                if segment.order >= newest {
                    break;
                }
                let due = segment.sent_at.saturating_add(patience);
                if due > now {
                    wake = Some(due);
                    break;
                }
                self.mark_lost(number, LossCause::Time);
            }
            number += 1;
        }
        self.time_cursor = number;
        while let Some(&(number, order)) = self.retransmissions.front() {
            if let Some(segment) = self.at(number)
                && segment.state == State::InFlight
                && segment.order == order
            {
                if order >= newest {
                    break;
                }
                let due = segment.sent_at.saturating_add(patience);
                if due > now {
                    wake = Some(wake.map_or(due, |wake| wake.min(due)));
                    break;
                }
                self.mark_lost(number, LossCause::Time);
            }
            self.retransmissions.pop_front();
        }
        wake
    }

    /// Processes a retransmission timeout: marks the first segment lost and, of the others, those for which `is_lost`
    /// holds for their departure time.
    pub fn mark_lost_on_timeout(&mut self, is_lost: impl Fn(Time) -> bool) {
        if self.segments.front().is_some_and(|segment| segment.state == State::Sacked) {
            self.renege();
        }
        for index in 0..self.segments.len() {
            let segment = &mut self.segments[index];
            if segment.state == State::InFlight && (index == 0 || is_lost(segment.sent_at)) {
                let number = self.base + index as u64;
                self.mark_lost(number, LossCause::Timeout);
            }
        }
        self.retransmit_cursor = self.base;
    }

    /// Marks SACKed segments lost, because the peer discarded them (RFC 2018 §8).
    fn renege(&mut self) {
        for segment in &mut self.segments {
            if segment.state == State::Sacked {
                segment.state = State::Lost;
                segment.flags |= Segment::BY_TIMEOUT;
                self.lost += u64::from(segment.length);
                self.lost_total += u64::from(segment.length);
            }
        }
        self.sacked = 0;
        self.sacked_segments = 0;
        self.ranges.clear();
    }

    /// Returns lost segments that were not yet retransmitted to the flight, after a spurious recovery.
    pub fn unmark_lost(&mut self) {
        for segment in &mut self.segments {
            if segment.state == State::Lost {
                segment.state = State::InFlight;
                self.in_flight += u64::from(segment.length);
                self.lost_total -= u64::from(segment.length);
            }
        }
        self.lost = 0;
        self.loss_cursor = self.base;
        self.time_cursor = self.base;
    }

    /// The next lost segment to retransmit (RFC 6675 §4, NextSeg rule 1): its number and a copy.
    #[inline]
    pub fn next_lost(&mut self) -> Option<(u64, Segment)> {
        let mut number = self.retransmit_cursor.max(self.base);
        while let Some(segment) = self.at(number) {
            if segment.state == State::Lost {
                let copy = *segment;
                self.retransmit_cursor = number;
                return Some((number, copy));
            }
            number += 1;
        }
        None
    }

    /// A segment not known to be lost, below SACKed data and above all retransmissions (NextSeg rule 3).
    pub fn next_doubtful(&mut self) -> Option<(u64, Segment)> {
        let (_, highest) = self.ranges.last()?;
        let mut number = self.high_retransmitted.max(self.base);
        while let Some(segment) = self.at(number).filter(|segment| segment.start < highest) {
            if segment.state == State::InFlight && !segment.is_retransmitted() {
                let copy = *segment;
                return Some((number, copy));
            }
            number += 1;
            self.high_retransmitted = number;
        }
        None
    }

    /// The highest segment that is not SACKed (NextSeg rule 4; RFC 8985 §7.3).
    pub fn last_unsacked(&self) -> Option<(u64, Segment)> {
        let (index, segment) = self.segments.iter().enumerate().rfind(|(_, s)| s.state != State::Sacked)?;
        Some((self.base + index as u64, *segment))
    }

    /// The first unacknowledged segment.
    pub fn head(&self) -> Option<(u64, Segment)> {
        self.segments.front().map(|segment| (self.base, *segment))
    }

    /// Starts a recovery: no segment is retransmitted in it yet.
    pub fn begin_recovery(&mut self) {
        self.high_retransmitted = self.base;
        self.reduced_at = self.departures;
        self.lost_again = false;
    }

    /// Whether a retransmission that left after the last reduction was itself lost.
    #[inline]
    pub fn lost_again(&self) -> bool {
        self.lost_again
    }

    /// Records a retransmission of segment `number`. `track` adds it to RACK's order of departures.
    pub fn retransmit(&mut self, number: u64, now: Time, snapshot: SendSnapshot, track: bool) {
        let order = self.departures;
        let Some(segment) = self.at(number) else { return };
        let length = u64::from(segment.length);
        segment.sent_at = now;
        segment.snapshot = snapshot;
        segment.order = order;
        segment.flags |= Segment::RETRANSMITTED;
        match segment.state {
            State::Lost => {
                segment.state = State::InFlight;
                self.lost -= length;
                self.in_flight += length;
            }
            State::InFlight if segment.flags & Segment::DOUBLED == 0 => {
                segment.flags |= Segment::DOUBLED;
                self.in_flight += length;
            }
            State::InFlight | State::Sacked => {}
        }
        self.departures += 1;
        self.high_retransmitted = self.high_retransmitted.max(number + 1);
        if track {
            self.retransmissions.push_back((number, order));
        }
    }

    /// HighRxt, which a rescue retransmission must not move (RFC 6675 §4, NextSeg rule 4).
    pub fn high_retransmitted(&self) -> u64 {
        self.high_retransmitted
    }

    pub fn restore_high_retransmitted(&mut self, number: u64) {
        self.high_retransmitted = number;
    }

    /// Recounts everything from the segments, for tests of the running counters.
    #[cfg(test)]
    pub fn check(&self) {
        let sum = |state: State, of: fn(&Segment) -> u64| -> u64 {
            self.segments.iter().filter(|s| s.state == state).map(of).sum()
        };
        assert_eq!(self.in_flight, sum(State::InFlight, Segment::flight));
        assert_eq!(self.lost, sum(State::Lost, |s| u64::from(s.length)));
        assert_eq!(self.sacked, sum(State::Sacked, |s| u64::from(s.length)));
        let first_lost = self.segments.iter().position(|s| s.state == State::Lost);
        assert!(first_lost.is_none_or(|index| self.base + index as u64 >= self.retransmit_cursor));
        assert!(self.segments.iter().zip(self.segments.iter().skip(1)).all(|(a, b)| a.end() == b.start));
        for segment in self.segments.iter().filter(|s| s.state == State::Sacked) {
            assert_eq!(self.ranges.first_uncovered(segment.start, segment.end()), None);
        }
    }
}

#[cfg(test)]
mod tests;
