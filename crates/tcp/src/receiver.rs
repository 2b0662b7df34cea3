//! The receiving half: reassembly, acknowledgements, advertised window.
//!
//! An ACK is due after every second segment or the delayed-ACK timeout, and immediately if a segment is out of order,
//! fills a gap, is a duplicate, or ends the stream (RFC 5681 §4.2), or where Linux acknowledges each. Offsets count from the first byte of the stream.

use jettison_core::{Duration, Time};
use jettison_wire::{Ecn, SackBlocks};

use super::acc_ecn::Reflector;
use super::parameters::Settings;
use super::quick_acks::QuickAcks;
use super::reassembly::Reassembly;
use crate::Payload;
use crate::congestion::EcnFeedback;

/// A received data segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct IncomingData<'a> {
    /// Wire sequence number of the first byte.
    pub sequence: u32,
    /// Payload bytes.
    pub length: u64,
    /// The payload, if it is real.
    pub bytes: Option<&'a [u8]>,
    /// FIN.
    pub fin: bool,
    /// Congestion Experienced (RFC 3168).
    pub ce: bool,
    /// Whether the sender reports that it reduced its window (RFC 3168 §6.1.3).
    pub cwr: bool,
}

/// An acknowledgement to be sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutgoingAck {
    /// Wire acknowledgement number.
    pub number: u32,
    /// Window field, scaled down.
    pub window: u16,
    /// ECE; with accurate ECN none, but ACE.
    pub ecn_echo: bool,
    /// ACE, with accurate ECN.
    pub ace: Option<u8>,
}

/// The receiving half of a connection.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    // Negotiated options.
    settings: Settings,
    /// Wire sequence number of stream offset 0.
    wire_start: u32,
    window_scale: u8,
    window_scale_agreed: bool,
    pub sack: bool,
    pub ecn: Option<EcnFeedback>,
    /// Counters of accurate ECN.
    pub reflector: Reflector,
    // The stream.
    reassembly: Reassembly,
    /// Offset of FIN, once received.
    fin_at: Option<u64>,
    pub fin_received: bool,
    // Acknowledgements.
    /// Segments since the last ACK.
    pending: u32,
    ack_now: bool,
    pub deadline: Time,
    /// Linux's habit of acknowledging each segment at times.
    quick: Option<QuickAcks>,
    /// The right edge of the advertised window.
    edge: u64,
    last_acknowledged: u64,
    /// TS.Recent (RFC 7323 §4.3).
    pub recent_timestamp: u32,
    /// Starts of the most recently extended ranges, the latest first (RFC 2018 §4).
    recent: [u64; SackBlocks::MAX],
    /// A duplicate to report (RFC 2883 §4).
    duplicate: Option<(u64, u64)>,
    // ECN.
    ecn_echo: bool,
    /// RFC 8257 §3.2: a pending ACK for the segments before a change of marks.
    flush: Option<(u64, bool)>,
    // Statistics.
    pub segments: u64,
    pub duplicates: u64,
    pub ce_segments: u64,
    pub acks_sent: u64,
}

impl Receiver {
    /// Creates a receiver; `wire_start` is the peer's initial sequence number plus one.
    pub fn new(settings: Settings, wire_start: u32, window_scale: Option<u8>) -> Receiver {
        Receiver {
            settings,
            wire_start,
            window_scale: window_scale.unwrap_or(0),
            window_scale_agreed: window_scale.is_some(),
            sack: false,
            ecn: None,
            reflector: Reflector::default(),
            reassembly: Reassembly::default(),
            fin_at: None,
            fin_received: false,
            pending: 0,
            ack_now: false,
            deadline: Time::MAX,
            quick: None,
            edge: settings.receive_buffer,
            last_acknowledged: 0,
            recent_timestamp: 0,
            recent: [u64::MAX; SackBlocks::MAX],
            duplicate: None,
            ecn_echo: false,
            flush: None,
            segments: 0,
            duplicates: 0,
            ce_segments: 0,
            acks_sent: 0,
        }
    }

    /// Starts to acknowledge as Linux does, if parameters say so. `rtt` and `rto` are those of the handshake.
    pub fn establish(&mut self, rtt: Duration, rto: Duration, now: Time) {
        if self.settings.quick_acks {
            let Settings { mss, receive_buffer, .. } = self.settings;
            self.quick = Some(QuickAcks::new(mss, receive_buffer, rtt, rto, now));
        }
    }

    /// Stream offset of a wire sequence number; negative before the stream.
    #[inline]
    pub fn offset(&self, sequence: u32) -> i64 {
        let next = self.reassembly.next();
        let reference = self.wire_start.wrapping_add(next as u32);
        next as i64 + i64::from(sequence.wrapping_sub(reference) as i32)
    }

    /// Wire sequence number of a stream offset.
    #[inline]
    pub fn wire(&self, offset: u64) -> u32 {
        self.wire_start.wrapping_add(offset as u32)
    }

    /// Whether a sequence number is in the receive window, including FIN.
    pub fn is_in_window(&self, sequence: u32) -> bool {
        let offset = self.offset(sequence);
        offset >= self.reassembly.next() as i64 && offset <= self.edge as i64 + 1
    }

    /// Whether an empty segment with this number is a window probe: one below the expected number.
    #[inline]
    pub fn is_window_probe(&self, sequence: u32) -> bool {
        self.offset(sequence) == (self.reassembly.next() + u64::from(self.fin_received)) as i64 - 1
    }

    /// Whether windows are scaled (RFC 7323 §2).
    pub fn is_scaled(&self) -> bool {
        self.window_scale_agreed
    }

    /// In-order bytes available to the application.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.reassembly.readable()
    }

    /// Bytes received in order.
    #[inline]
    pub fn received(&self) -> u64 {
        self.reassembly.next()
    }

    /// Bytes received out of order, which wait behind a gap.
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.reassembly.waiting()
    }

    /// Whether an ACK is due now.
    #[inline]
    pub fn is_ack_due(&self) -> bool {
        self.ack_now || self.flush.is_some()
    }

    /// Requests an immediate ACK.
    pub fn acknowledge_now(&mut self) {
        self.ack_now = true;
    }

    /// Processes the delayed-ACK timer.
    #[inline]
    pub fn handle_wakeup(&mut self, now: Time) {
        if self.deadline <= now {
            self.deadline = Time::MAX;
            self.ack_now = true;
        }
    }

    /// Reads in-order data for the application; may require a window update.
    pub fn read(&mut self, max: u64) -> Option<Payload> {
        let payload = self.reassembly.read(max)?;
        // RFC 9293 §3.8.6.2.2: no updates for small amounts. As in Linux, update when the peer's window would double.
        let left = self.edge.saturating_sub(self.reassembly.next());
        let free = self.free();
        if free >= 2 * left && free - left >= self.settings.mss.min(self.settings.receive_buffer / 2) {
            self.ack_now = true;
        }
        Some(payload)
    }

    #[inline]
    fn free(&self) -> u64 {
        self.settings.receive_buffer.saturating_sub(self.reassembly.readable())
    }

    /// Records TSval (RFC 7323 §4.3); returns false if the segment is old (PAWS, §5.3).
    #[inline]
    pub fn accept_timestamp(&mut self, value: u32, sequence: u32) -> bool {
        let age = self.recent_timestamp.wrapping_sub(value) as i32;
        if age > 0 {
            return false;
        }
        if self.offset(sequence) <= self.last_acknowledged as i64 {
            self.recent_timestamp = value;
        }
        true
    }

    /// Processes a segment with data or FIN. Returns whether in-order data became readable.
    pub fn handle_data(&mut self, data: &IncomingData<'_>, now: Time) -> bool {
        self.segments += 1;
        self.record_mark(data.ce, data.cwr);
        let next = self.reassembly.next();
        let start = self.offset(data.sequence);
        if start == next as i64
            && !data.fin
            && self.fin_at.is_none()
            && self.reassembly.held().is_empty()
            && next + data.length <= self.edge
        {
            self.reassembly.insert(next, data.length, data.bytes);
            self.delay_ack(now);
            return true;
        }
        self.handle_irregular(data, start, next, now)
    }

    fn handle_irregular(&mut self, data: &IncomingData<'_>, start: i64, next: u64, now: Time) -> bool {
        // Accept only data within the window.
        let end = start + data.length as i64;
        let skip = (-start).clamp(0, data.length as i64) as u64;
        let from = start.max(0) as u64;
        let to = (end.max(0) as u64).min(self.edge);
        let had_gap = !self.reassembly.held().is_empty();
        let mut is_new = false;
        if from < to {
            let bytes = data.bytes.map(|bytes| &bytes[skip as usize..(skip + to - from) as usize]);
            is_new = self.reassembly.insert(from, to - from, bytes);
            if !is_new {
                self.duplicates += 1;
                if self.settings.dsack {
                    self.duplicate = Some((from, to));
                }
            }
        }
        if data.fin && end >= 0 && self.fin_at.is_none() && (end as u64) <= self.edge {
            self.fin_at = Some(end as u64);
        }
        let advanced = self.reassembly.next() > next;
        if self.fin_at == Some(self.reassembly.next()) && !self.fin_received {
            self.fin_received = true;
            self.ack_now = true;
        }
        if is_new && from > self.reassembly.next() {
            self.record_recent(from);
        }
        // RFC 5681 §4.2: immediate ACK if out of order, gap filled, duplicate, or outside the window.
        if advanced && !had_gap && !self.fin_received && skip == 0 {
            self.delay_ack(now);
        } else {
            self.ack_now = true;
        }
        advanced
    }

    #[inline]
    fn delay_ack(&mut self, now: Time) {
        self.pending += 1;
        let received = self.reassembly.next();
        let is_quick = self.quick.as_mut().is_some_and(|quick| quick.on_segment(received, now));
        if is_quick || self.pending >= self.settings.delayed_ack_segments {
            self.ack_now = true;
        } else if self.deadline == Time::MAX {
            self.deadline = now.saturating_add(self.settings.delayed_ack_timeout);
        }
    }

    fn record_recent(&mut self, start: u64) {
        let at = self.recent.iter().position(|known| self.same_range(*known, start));
        let at = at.unwrap_or(self.recent.len() - 1);
        self.recent.copy_within(0..at, 1);
        self.recent[0] = start;
    }

    fn same_range(&self, a: u64, b: u64) -> bool {
        let range = self.reassembly.held().containing(b);
        range.is_some_and(|(start, end)| (start..end).contains(&a))
    }

    #[inline]
    fn record_mark(&mut self, ce: bool, cwr: bool) {
        self.ce_segments += u64::from(ce);
        match self.ecn {
            None => {}
            // RFC 3168 §6.1.3: echo until the sender reports its reduction; a mark on that packet starts a new echo.
            Some(EcnFeedback::Classic) => self.ecn_echo = ce || (self.ecn_echo && !cwr),
            Some(EcnFeedback::PerPacket) if ce != self.ecn_echo => {
                // RFC 8257 §3.2: an immediate ACK, preceded by one for the segments before, with their mark.
                self.ack_now = true;
                if self.pending > 0 {
                    self.flush = Some((self.reassembly.next(), self.ecn_echo));
                    self.pending = 0;
                }
                self.ecn_echo = ce;
            }
            Some(EcnFeedback::PerPacket | EcnFeedback::Accurate) => {}
        }
    }

    /// Whether marks are counted, not echoed.
    #[inline]
    pub fn is_accurate(&self) -> bool {
        self.ecn == Some(EcnFeedback::Accurate)
    }

    /// RFC 9768 §3.2: counts the IP-ECN field of an acceptable packet. Data of which nothing is left to receive is not
    /// acceptable (RFC 9293 §3.4).
    #[inline]
    pub fn count_ecn(&mut self, ecn: Ecn, sequence: u32, length: u64) {
        let is_old = self.offset(sequence) + length as i64 <= self.reassembly.next() as i64;
        if length == 0 || !is_old {
            self.ack_now |= self.reflector.on_packet(ecn, length, self.pending > 0);
        }
    }

    /// The acknowledgement for a data packet or, if `for_pure_ack`, for a pure ACK. Counts as sent.
    #[inline]
    pub fn acknowledgement(&mut self, for_pure_ack: bool) -> OutgoingAck {
        if for_pure_ack {
            self.acks_sent += 1;
            if let Some((next, ecn_echo)) = self.flush.take() {
                return OutgoingAck {
                    number: self.wire_start.wrapping_add(next as u32),
                    window: self.window(),
                    ecn_echo,
                    ace: None,
                };
            }
        }
        let has_news = self.sack && (!self.reassembly.held().is_empty() || self.duplicate.is_some());
        if for_pure_ack || !has_news {
            self.ack_now = false;
            self.pending = 0;
            self.deadline = Time::MAX;
        }
        let next = self.reassembly.next() + u64::from(self.fin_received);
        self.last_acknowledged = next;
        OutgoingAck {
            number: self.wire_start.wrapping_add(next as u32),
            window: self.window(),
            ecn_echo: self.ecn_echo,
            ace: self.is_accurate().then(|| self.reflector.ace(for_pure_ack)),
        }
    }

    #[inline]
    fn window(&mut self) -> u16 {
        let next = self.reassembly.next();
        // RFC 9293 §3.8.6: the right edge never moves left.
        let offered = self.free().max(self.edge.saturating_sub(next));
        let field = (offered >> self.window_scale).min(65_535);
        self.edge = self.edge.max(next + (field << self.window_scale));
        field as u16
    }

    /// The SACK blocks of a pure ACK: a duplicate first, then the most recently extended ranges (RFC 2018 §4, RFC 2883
    /// §4).
    #[inline]
    pub fn sack_blocks(&mut self) -> SackBlocks {
        let mut blocks = SackBlocks::EMPTY;
        if !self.sack || (self.reassembly.held().is_empty() && self.duplicate.is_none()) {
            return blocks;
        }
        let wire = |offset: u64| self.wire_start.wrapping_add(offset as u32);
        let mut told = [(0, 0); SackBlocks::MAX];
        let mut count = 0;
        if let Some((start, end)) = self.duplicate.take() {
            blocks.push(wire(start), wire(end));
            if let Some(range) = self.reassembly.held().containing(start) {
                blocks.push(wire(range.0), wire(range.1));
                told[0] = range;
                count = 1;
            }
        }
        let held = self.reassembly.held();
        let fresh = self.recent.iter().filter_map(|start| held.containing(*start));
        for range in fresh.chain(held.iter_down()) {
            if told[..count].contains(&range) {
                continue;
            }
            if !blocks.push(wire(range.0), wire(range.1)) {
                break;
            }
            told[count] = range;
            count += 1;
        }
        blocks
    }
}

#[cfg(test)]
mod tests;
