//! Acknowledged mode: window, polls and retransmissions of the sender, status reports of the receiver (TS 38.322 §5.2.3, §5.3).

mod receiver;

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use super::{Headers, Segment, Verdict};
use crate::cellular::RlcParameters;
use receiver::{Receiver, Status};

/// Both ends.
#[derive(Debug, Clone)]
pub(super) struct Am {
    // Parameters.
    window: u32,
    poll_pdu: u32,
    poll_byte: u64,
    t_poll_retransmit: Duration,
    max_retransmissions: u32,
    status_delay: Duration,
    // State of the sender.
    /// TX_Next_Ack: the first SDU that is not acknowledged, and those from it on.
    next_ack: u32,
    sdus: VecDeque<Sent>,
    /// Segments to be sent again, in order.
    again: VecDeque<(u32, u32, u32)>,
    /// PDU_WITHOUT_POLL and BYTE_WITHOUT_POLL.
    pdus_without_poll: u32,
    bytes_without_poll: u64,
    /// POLL_SN, and when t-PollRetransmit expires.
    poll_number: u32,
    poll_expires: Option<Time>,
    /// Whether the next PDU polls, after t-PollRetransmit.
    must_poll: bool,
    /// The receiver, and its reports under way.
    receiver: Receiver,
    reports: VecDeque<(Time, Status)>,
}

/// An SDU that is not acknowledged.
#[derive(Debug, Clone, Copy)]
struct Sent {
    of: u32,
    /// Bytes of it that were submitted to MAC.
    sent: u32,
    is_acknowledged: bool,
    /// RETX_COUNT, from the first retransmission on.
    retransmissions: Option<u32>,
}

impl Am {
    pub fn new(parameters: &RlcParameters) -> Am {
        // AM_Window_Size: half of the numbers (§7.2).
        let window = 1 << (parameters.sn_length - 1);
        Am {
            window,
            poll_pdu: parameters.poll_pdu,
            poll_byte: parameters.poll_byte.get(),
            t_poll_retransmit: parameters.t_poll_retransmit,
            max_retransmissions: parameters.max_retransmissions,
            status_delay: parameters.status_delay,
            next_ack: 0,
            sdus: VecDeque::new(),
            again: VecDeque::new(),
            pdus_without_poll: 0,
            bytes_without_poll: 0,
            poll_number: 0,
            poll_expires: None,
            must_poll: false,
            receiver: Receiver::new(parameters.t_reassembly, parameters.t_status_prohibit, window),
            reports: VecDeque::new(),
        }
    }

    /// Whether an SDU with this number may be sent (§5.2.3.1).
    pub fn is_in_window(&self, number: u32) -> bool {
        number < self.next_ack + self.window
    }

    pub fn submitted(&mut self, of: u32) {
        self.sdus.push_back(Sent { of, sent: 0, is_acknowledged: false, retransmissions: None });
    }

    pub fn has_data(&self) -> bool {
        !self.again.is_empty()
    }

    pub fn bytes(&self) -> u64 {
        self.again.iter().map(|(_, from, to)| u64::from(to - from)).sum()
    }

    fn sent(&mut self, number: u32) -> Option<&mut Sent> {
        self.sdus.get_mut(number.checked_sub(self.next_ack)? as usize)
    }

    /// Puts segments that are sent again into a block.
    pub fn fill(&mut self, headers: Headers, room: &mut u32, block: &mut Vec<Segment>) {
        while let Some((sdu, from, to)) = self.again.pop_front() {
            let Some(of) = self.sent(sdu).filter(|sent| !sent.is_acknowledged).map(|sent| sent.of) else {
                continue;
            };
            let header = match (from, to == of) {
                (0, true) => headers.whole,
                (0, false) => headers.first,
                _ => headers.other,
            };
            // A whole SDU that does not fit becomes a segment, whose header is as long in this mode.
            let piece = Headers::fits(header, *room).min(to - from);
            if piece == 0 {
                return self.again.push_front((sdu, from, to));
            }
            *room -= Headers::block_bytes(header, piece).min(*room);
            let end = from + piece;
            block.push(Segment { sdu, from, to: end, of, number: None, poll: false, again: true });
            if end < to {
                return self.again.push_front((sdu, end, to));
            }
        }
    }

    /// A block is complete. The last PDU polls if enough was sent since the last poll, or nothing else can be sent (§5.3.3.2).
    pub fn close(&mut self, block: &mut [Segment], is_all: bool, now: Time) {
        for segment in block.iter().filter(|segment| !segment.again) {
            self.pdus_without_poll += 1;
            self.bytes_without_poll += u64::from(segment.to - segment.from);
            if let Some(sent) = self.sent(segment.sdu) {
                sent.sent = segment.to;
            }
        }
        let is_all = is_all && self.again.is_empty();
        let is_due = (self.poll_pdu > 0 && self.pdus_without_poll >= self.poll_pdu)
            || (self.poll_byte > 0 && self.bytes_without_poll >= self.poll_byte)
            || self.must_poll
            || is_all;
        let highest = self.highest();
        let Some(last) = block.last_mut().filter(|_| is_due) else { return };
        last.poll = true;
        (self.pdus_without_poll, self.bytes_without_poll, self.must_poll) = (0, 0, false);
        // POLL_SN is the highest number of those submitted (§5.3.3.3).
        self.poll_number = highest;
        self.poll_expires = Some(now.saturating_add(self.t_poll_retransmit));
    }

    /// The highest number of which a part was submitted to MAC.
    fn highest(&self) -> u32 {
        let begun = self.sdus.iter().take_while(|sent| sent.sent > 0).count() as u32;
        (self.next_ack + begun).saturating_sub(1)
    }

    /// A PDU came.
    pub fn receive(&mut self, segment: &Segment, now: Time, verdicts: &mut Vec<Verdict>) {
        self.receiver.receive(segment, now, verdicts);
        self.report(now);
    }

    pub fn next_timer(&self) -> Option<Time> {
        let report = self.reports.front().map(|(at, _)| *at);
        [report, self.poll_expires, self.receiver.next_timer()].into_iter().flatten().min()
    }

    /// Does what is due; `is_idle` says that no part of an SDU waits to be sent.
    pub fn run_timers(&mut self, is_idle: bool, now: Time, verdicts: &mut Vec<Verdict>) {
        self.receiver.expire(now);
        self.report(now);
        while let Some((_, status)) = self.reports.pop_front_if(|(at, _)| *at <= now) {
            self.reported(status, verdicts);
        }
        if self.poll_expires.is_some_and(|at| at <= now) {
            self.poll_expires = None;
            self.must_poll = true;
            // With nothing else to send, the SDU with the highest number carries the poll (§5.3.3.4).
            if is_idle && self.again.is_empty() && !self.sdus.is_empty() {
                let (number, sent) = (self.highest(), self.sdus.len());
                let open = (self.next_ack..self.next_ack + sent as u32)
                    .rev()
                    .find(|own| *own <= number && self.sent(*own).is_some_and(|sent| !sent.is_acknowledged));
                if let Some(open) = open {
                    let to = self.sent(open).map_or(0, |sent| sent.sent);
                    self.send_again(open, 0, to, verdicts);
                }
            }
        }
        self.advance();
    }

    /// The receiver sends a status report, if it has to.
    fn report(&mut self, now: Time) {
        if let Some(status) = self.receiver.report(now) {
            self.reports.push_back((now.saturating_add(self.status_delay), status));
        }
    }

    /// A status report came to the sender (§5.3.3.3, §5.2.3.1.1).
    fn reported(&mut self, status: Status, verdicts: &mut Vec<Verdict>) {
        let is_answer =
            self.poll_number < status.ack || status.missing.iter().any(|(sdu, ..)| *sdu == self.poll_number);
        if is_answer {
            self.poll_expires = None;
        }
        for number in self.next_ack..status.ack {
            let is_missing = status.missing.iter().any(|(sdu, ..)| *sdu == number);
            if let Some(sent) = self.sent(number).filter(|_| !is_missing) {
                sent.is_acknowledged = true;
            }
        }
        let mut before = None;
        for (sdu, from, to) in status.missing {
            // Only what was submitted is sent again; RETX_COUNT counts SDUs, once a report.
            let Some(sent) = self.sent(sdu).copied().filter(|sent| !sent.is_acknowledged) else { continue };
            let is_counted = before.replace(sdu) == Some(sdu);
            if is_counted {
                let part = (sdu, from, to.min(sent.sent));
                if !self.again.contains(&part) {
                    self.again.push_back(part);
                }
            } else {
                self.send_again(sdu, from, to.min(sent.sent), verdicts);
            }
        }
        self.again.retain(|(_, from, to)| from < to);
    }

    /// Forgets what is acknowledged, so that the window advances (§5.2.3.1.1).
    fn advance(&mut self) {
        while self.sdus.front().is_some_and(|sent| sent.is_acknowledged) {
            self.sdus.pop_front();
            self.next_ack += 1;
        }
    }

    /// Considers a part of an SDU for retransmission, unless it was sent as often as may be (§5.3.2).
    fn send_again(&mut self, sdu: u32, from: u32, to: u32, verdicts: &mut Vec<Verdict>) {
        // What is waiting to be sent again is not counted once more.
        let is_pending = self.again.iter().any(|(own, ..)| *own == sdu);
        let most = self.max_retransmissions;
        let Some(sent) = self.sent(sdu).filter(|_| !is_pending && from < to) else { return };
        let count = sent.retransmissions.map_or(0, |count| count + 1);
        sent.retransmissions = Some(count);
        if count >= most {
            // RRC would set the connection up anew; here both ends give the SDU up.
            sent.is_acknowledged = true;
            self.receiver.give_up(sdu);
            return verdicts.push(Verdict::GivenUp(sdu));
        }
        self.again.push_back((sdu, from, to));
    }
}
