//! The whole user plane, slot by slot.

use std::collections::VecDeque;

use jettison_core::{Duration, RandomStream, Time};
use jettison_registry::ParameterError;

use super::drx::Drx;
use super::harq::{Block, Decoded, Harq};
use super::pdcp::Reordering;
use super::rlc::{Rlc, Segment, Verdict};
use super::scheduler::Scheduler;
use super::uplink::Uplink;
use super::{CellularParameters, Numbering, Numerology};
use crate::LinkModel;

/// Intervals for which the link was held up that are known.
const HOLDS: usize = 256;

/// Bytes of the longest headers of a segment, RLC's (5) and MAC's (3).
const SEGMENT_HEADERS: u64 = 8;

/// A packet that begins to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sdu {
    /// The caller's name for it.
    pub key: u32,
    /// Its length with PDCP's header.
    pub bytes: u32,
    /// Its number, from 1 on, if it was numbered before the queue.
    pub number: Option<u32>,
}

/// A slot's block while it is filled.
#[derive(Debug, Clone)]
struct Open {
    block: Block,
    /// Its size, and what of it is left, in bytes.
    grant: u32,
    room: u32,
}

/// What waits in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlogged {
    /// Packets.
    pub packets: u64,
    /// Bytes, without PDCP's headers.
    pub bytes: u64,
}

/// What became of an SDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The receiving PDCP entity delivered it.
    Delivered,
    /// HARQ, or t-Reassembly, gave up a part of it in unacknowledged mode.
    LostOnAir,
    /// RLC sent it again as often as may be.
    GivenUp,
    /// It came when t-Reordering had expired for it (TS 38.323 §5.2.2.1).
    TooLate,
}

/// What a packet waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// In the queue.
    Queue,
    /// For a grant of the uplink.
    Grant,
    /// For the receiver to listen (DRX).
    Sleep,
    /// From its first segment to the end of the last one's first transmission.
    Transmission,
    /// For RLC to send it again.
    Retransmission,
    /// For a block to be decoded after its first transmission.
    Harq,
    /// In the receiving PDCP entity, for packets before it.
    Reordering,
}

/// The way of an SDU that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Passage {
    /// Its key.
    pub key: u32,
    /// What became of it.
    pub fate: Fate,
    /// When its first segment was sent.
    pub started: Time,
    /// What it waited for since, and until when, in order.
    pub waits: [(Wait, Time); 4],
}

/// An SDU under way.
#[derive(Debug, Clone, Copy)]
struct Record {
    key: u32,
    bytes: u32,
    count: Option<u32>,
    started: Time,
    /// End of the first transmission of the last segment so far.
    sent: Time,
    is_ended: bool,
}

/// An SDU at the receiving PDCP entity.
#[derive(Debug, Clone, Copy)]
struct Received {
    key: u32,
    started: Time,
    sent: Time,
    /// First transmission of the block that completed it, if RLC sent that part again.
    again: Time,
    received: Time,
}

/// One direction of a bearer, from the queue to the receiving PDCP entity.
///
/// At each instant of [`next_wakeup`](UserPlane::next_wakeup), and when packets come to the queue, the caller calls
/// [`advance`](UserPlane::advance), then [`submit`](UserPlane::submit) while [`takes`](UserPlane::takes) is true and the queue has
/// packets, then [`close`](UserPlane::close), and takes the [`Passage`]s.
#[derive(Clone)]
pub struct UserPlane {
    // Parameters.
    numerology: Numerology,
    numbering: Numbering,
    header: u64,
    /// The capacity, if every slot were the user's.
    supply: Box<dyn LinkModel>,
    // State.
    scheduler: Option<Scheduler>,
    harq: Harq,
    rlc: Rlc,
    pdcp: Reordering<Received>,
    uplink: Option<Uplink>,
    drx: Option<Drx>,
    /// The next slot that was not decided yet.
    slot: u64,
    /// The block that is being filled.
    open: Option<Open>,
    /// SDUs from RLC's number `first` on.
    first: u32,
    records: VecDeque<Record>,
    /// COUNT of the next SDU that is numbered at transmission.
    next_count: u32,
    /// COUNT of number 0 of the present queue.
    base: u32,
    /// Intervals for which the link was held up, in order.
    holds: VecDeque<(Time, Time, Wait)>,
    passages: Vec<Passage>,
    verdicts: Vec<Verdict>,
}

impl UserPlane {
    /// A user plane over a link; `random` names its streams.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: &CellularParameters,
        supply: Box<dyn LinkModel>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<UserPlane, ParameterError> {
        parameters.validate()?;
        let numerology = Numerology::new(parameters.numerology)
            .ok_or_else(|| ParameterError::must("numerology", "be 0, 1, 2 or 3", parameters.numerology))?;
        let pdcp = &parameters.pdcp;
        Ok(UserPlane {
            numerology,
            numbering: pdcp.numbering,
            header: parameters.header().get(),
            supply,
            scheduler: parameters
                .scheduler
                .as_ref()
                .map(|scheduler| Scheduler::new(scheduler, numerology, random)),
            harq: Harq::new(parameters.harq.clone(), random("harq")),
            rlc: Rlc::new(&parameters.rlc),
            pdcp: Reordering::new(pdcp.t_reordering, pdcp.out_of_order_delivery),
            uplink: parameters.grants.clone().map(Uplink::new),
            drx: parameters.drx.clone().map(Drx::new),
            slot: 0,
            open: None,
            first: 0,
            records: VecDeque::new(),
            next_count: 0,
            base: 0,
            holds: VecDeque::new(),
            passages: Vec::new(),
            verdicts: Vec::new(),
        })
    }

    /// Does what is due at `now`, and opens the slot that begins then, if the user may send in it.
    pub fn advance(&mut self, now: Time, queue: Backlogged) {
        self.run_events(now);
        self.slot = self.slot.max(self.numerology.from(now));
        if self.numerology.start(self.slot) == now {
            self.open_slot(self.slot, now, queue);
        }
    }

    /// Blocks that arrive, and timers, in order of time; at one instant blocks first, then RLC, then PDCP.
    fn run_events(&mut self, now: Time) {
        loop {
            let events = [self.harq.next_arrival(), self.rlc.next_timer(), self.pdcp.expires()];
            let Some(at) = events.into_iter().flatten().min().filter(|at| *at <= now) else { return };
            if events[0] == Some(at) {
                self.arrive(at);
            } else if events[1] == Some(at) {
                self.rlc.run_timers(at, &mut self.verdicts);
                self.judge(Time::ZERO, at);
            } else {
                let passages = &mut self.passages;
                self.pdcp.expire(at, &mut |sdu| passages.push(sdu.delivered(at)));
            }
        }
    }

    /// A block arrives.
    fn arrive(&mut self, now: Time) {
        match self.harq.arrived(now) {
            None | Some(Decoded::Again) => {}
            Some(Decoded::Whole(block)) => {
                for segment in &block.segments {
                    self.rlc.receive(segment, now, &mut self.verdicts);
                    let again = if segment.again { block.first_end } else { Time::ZERO };
                    self.judge(again, now);
                }
                self.harq.recycle(block);
            }
            Some(Decoded::Lost(block)) => {
                for segment in &block.segments {
                    self.rlc.missed(segment, &mut self.verdicts);
                }
                self.judge(Time::ZERO, now);
                self.harq.recycle(block);
            }
        }
    }

    /// Carries RLC's verdicts out; `again` is the first transmission of a part that RLC sent again.
    fn judge(&mut self, again: Time, now: Time) {
        for verdict in self.verdicts.drain(..) {
            let (sdu, fate) = match verdict {
                Verdict::Complete(sdu) => (sdu, Fate::Delivered),
                Verdict::Lost(sdu) => (sdu, Fate::LostOnAir),
                Verdict::GivenUp(sdu) => (sdu, Fate::GivenUp),
            };
            let record = sdu.checked_sub(self.first).and_then(|at| self.records.get_mut(at as usize));
            let Some(record) = record.filter(|record| !record.is_ended) else { continue };
            record.is_ended = true;
            let Record { key, started, sent, count, .. } = *record;
            let sdu = Received { key, started, sent, again, received: now };
            if fate != Fate::Delivered {
                self.passages.push(Passage { fate, ..sdu.delivered(now) });
                continue;
            }
            let passages = &mut self.passages;
            // What the present queue did not number takes no part in reordering.
            let late = match count {
                Some(count) => {
                    self.pdcp.receive(count, sdu, now, &mut |sdu| passages.push(sdu.delivered(now)))
                }
                None => {
                    passages.push(sdu.delivered(now));
                    None
                }
            };
            if let Some(late) = late {
                passages.push(Passage { fate: Fate::TooLate, ..late.delivered(now) });
            }
        }
        while self.records.pop_front_if(|record| record.is_ended).is_some() {
            self.first += 1;
        }
    }

    fn open_slot(&mut self, slot: u64, now: Time, queue: Backlogged) {
        let has_data = queue.packets > 0 || self.rlc.has_data();
        let is_again = self.harq.next_slot().is_some_and(|from| from <= slot);
        if !has_data && !is_again {
            // What comes at this instant may still use the slot.
            return;
        }
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.skip_to(slot);
        }
        self.slot = slot + 1;
        let end = self.numerology.start(slot + 1);
        let own = self.own_bytes(slot);
        let mut grant = own;
        let mut asks = is_again || (has_data && self.harq.is_free() && own > 0);
        if asks && !is_again {
            if let Some(drx) = &self.drx
                && !drx.is_active(now)
            {
                self.hold(now, end, Wait::Sleep);
                asks = false;
            } else if let Some(uplink) = &mut self.uplink {
                let allowed = uplink.allowed(has_data, now);
                if allowed == 0 {
                    self.hold(now, end, Wait::Grant);
                    asks = false;
                }
                grant = grant.min(allowed);
            }
        }
        let used = if is_again { own } else { own.min(self.rest(queue)) };
        let share = match &mut self.scheduler {
            Some(scheduler) if asks => scheduler.decide(own, used, is_again),
            Some(scheduler) => {
                scheduler.decide_for_others();
                0.0
            }
            None => f64::from(u8::from(asks)),
        };
        if share == 0.0 {
            return;
        }
        grant = grant.min((own as f64 * share) as u64);
        if is_again {
            if let Some(block) = self.harq.retransmission(slot) {
                self.harq.send(block, slot, end);
            }
            return;
        }
        let mut block = self.harq.block();
        let grant = u32::try_from(grant).unwrap_or(u32::MAX);
        let room = self.rlc.fill(grant, &mut block.segments);
        self.open = Some(Open { block, grant, room });
    }

    /// The bytes of a slot: the share of those of its subframe, so that rounding does not add up.
    fn own_bytes(&mut self, slot: u64) -> u64 {
        let from = self.numerology.subframe(slot);
        let before = |slot| {
            let to = self.numerology.start(slot);
            self.share(from, to)
        };
        let bytes = before(slot + 1) - before(slot);
        match &mut self.scheduler {
            Some(scheduler) => scheduler.own_bytes(jettison_core::Bytes::new(bytes)),
            None => bytes,
        }
    }

    /// The part of a subframe's bytes up to `to`.
    fn share(&self, from: Time, to: Time) -> u64 {
        let subframe = Duration::from_millis(1);
        let all = self.supply.capacity(from, from.saturating_add(subframe)).get();
        let part = u128::from(all) * u128::from(to.since(from).as_nanos()) / u128::from(subframe.as_nanos());
        part as u64 // at most all
    }

    fn hold(&mut self, from: Time, to: Time, wait: Wait) {
        match self.holds.back_mut() {
            Some((_, end, last)) if *end == from && *last == wait => *end = to,
            _ => {
                if self.holds.len() == HOLDS {
                    self.holds.pop_front();
                }
                self.holds.push_back((from, to, wait));
            }
        }
    }

    /// Whether the block of this slot has room for another SDU.
    pub fn takes(&self) -> bool {
        self.open.as_ref().is_some_and(|open| self.rlc.takes(open.room))
    }

    /// Takes an SDU, of which a part at least goes into the block of this slot.
    pub fn submit(&mut self, sdu: Sdu, now: Time) {
        let count = match (self.numbering, sdu.number) {
            (Numbering::AtTransmission, _) => {
                let count = self.next_count;
                self.next_count += 1;
                Some(count)
            }
            (Numbering::BeforeQueue, number) => number.and_then(|number| {
                let count = self.base + number.checked_sub(1)?;
                self.next_count = self.next_count.max(count + 1);
                Some(count)
            }),
        };
        let Sdu { key, bytes, .. } = sdu;
        self.records.push_back(Record { key, bytes, count, started: now, sent: now, is_ended: false });
        self.rlc.submit(bytes);
        if let Some(open) = &mut self.open {
            open.room = self.rlc.fill(open.room, &mut open.block.segments);
        }
    }

    /// The queue was replaced: its numbers begin anew, behind those that were sent.
    pub fn restart_numbers(&mut self) {
        self.base = self.next_count;
    }

    /// Closes the slot and sends its block. `queue` is what still waits.
    pub fn close(&mut self, now: Time, queue: Backlogged) {
        let Some(Open { mut block, grant, room }) = self.open.take() else { return };
        let rest = self.rest(queue);
        if let Some(uplink) = &mut self.uplink {
            // Also of a grant in which no segment fits: a report fills it (padding, TS 38.321 §5.4.5).
            let used = if block.segments.is_empty() { grant } else { grant - room };
            uplink.sent(u64::from(used), rest, now);
        }
        if block.segments.is_empty() {
            self.harq.recycle(block);
            return;
        }
        let slot = self.slot - 1;
        let end = self.numerology.start(slot + 1);
        self.rlc.close(&mut block.segments, queue.packets == 0, now);
        for Segment { sdu, to, again, .. } in &block.segments {
            if let Some(record) = self.records.get_mut(sdu.wrapping_sub(self.first) as usize)
                && !again
            {
                record.sent = end;
                debug_assert!(*to <= record.bytes, "a segment is a part of its SDU");
            }
        }
        if let Some(drx) = &mut self.drx {
            drx.transmitted(now);
        }
        self.harq.send(block, slot, end);
    }

    /// Bytes that wait, with headers of RLC and MAC, which the base station adds to what it is told.
    fn rest(&self, queue: Backlogged) -> u64 {
        let partial = self.rlc.bytes();
        let headers = queue.packets * (self.header + SEGMENT_HEADERS);
        queue.bytes + headers + partial + if partial > 0 { SEGMENT_HEADERS } else { 0 }
    }

    /// The next instant at which something is due, given whether packets wait.
    pub fn next_wakeup(&self, has_backlog: bool) -> Time {
        let events = [self.harq.next_arrival(), self.rlc.next_timer(), self.pdcp.expires()];
        let mut next = events.into_iter().flatten().min().unwrap_or(Time::MAX);
        if has_backlog || self.rlc.has_data() {
            next = next.min(self.numerology.start(self.slot));
        }
        if let Some(slot) = self.harq.next_slot() {
            next = next.min(self.numerology.start(slot.max(self.slot)));
        }
        next
    }

    /// Takes the SDUs whose way has ended, in order.
    pub fn passages(&mut self) -> std::vec::Drain<'_, Passage> {
        self.passages.drain(..)
    }

    /// Splits the time of a packet in the queue by what held the link up, in order, with the end of each part.
    pub fn queue_waits(&self, enqueued: Time, started: Time, out: &mut Vec<(Wait, Time)>) {
        for (from, to, wait) in &self.holds {
            let (from, to) = ((*from).max(enqueued), (*to).min(started));
            if from < to {
                out.push((Wait::Queue, from));
                out.push((*wait, to));
            }
        }
        out.push((Wait::Queue, started));
    }

    /// Start of the next slot that was not decided yet.
    pub fn next_slot(&self) -> Time {
        self.numerology.start(self.slot)
    }
}

impl Received {
    fn delivered(&self, now: Time) -> Passage {
        Passage {
            key: self.key,
            fate: Fate::Delivered,
            started: self.started,
            waits: [
                (Wait::Transmission, self.sent),
                (Wait::Retransmission, self.again),
                (Wait::Harq, self.received),
                (Wait::Reordering, now),
            ],
        }
    }
}

#[cfg(test)]
#[path = "plane_tests.rs"]
mod tests;
