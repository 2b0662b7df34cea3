//! Radio Link Control of a bearer: both ends of unacknowledged or acknowledged mode (TS 38.322).
//!
//! SDUs have dense numbers in the order in which they are submitted. In acknowledged mode these are the sequence numbers; in
//! unacknowledged mode only SDUs that are segmented have one (§6.2.2.3). Numbers do not wrap here, windows are as wide as the
//! standard's.
//!
//! An SDU comes here only when a block has room for a part of it. So one that has begun to leave is never discarded, and one
//! that has not is still in the queue (§5.4).

mod am;
mod ranges;
mod um;

use jettison_core::Time;

use super::{RlcMode, RlcParameters};
use am::Am;
use um::Um;

/// A segment of an SDU in a block: bytes `from..to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    /// Number of the SDU.
    pub sdu: u32,
    pub from: u32,
    pub to: u32,
    /// Length of the SDU.
    pub of: u32,
    /// The sequence number in unacknowledged mode, of an SDU in segments.
    pub number: Option<u32>,
    /// The poll bit of acknowledged mode (§6.2.3.7).
    pub poll: bool,
    /// Whether RLC sends it again.
    pub again: bool,
}

/// What becomes of an SDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is complete at the receiver.
    Complete(u32),
    /// A part of it is lost for good.
    Lost(u32),
    /// It was sent again as often as may be.
    GivenUp(u32),
}

/// An SDU of which a part is not sent yet.
#[derive(Debug, Clone, Copy)]
struct Partial {
    sdu: u32,
    from: u32,
    of: u32,
    number: Option<u32>,
}

/// Both ends of a bearer's RLC.
#[derive(Debug, Clone)]
pub(super) struct Rlc {
    headers: Headers,
    submitted: u32,
    partial: Option<Partial>,
    mode: Mode,
}

#[derive(Debug, Clone)]
enum Mode {
    Um(Um),
    Am(Am),
}

/// Lengths of headers in bytes.
#[derive(Debug, Clone, Copy)]
struct Headers {
    /// Of an SDU as a whole, of a first segment, and of others, which have a segment offset (§6.2.2.3, §6.2.2.4).
    whole: u32,
    first: u32,
    other: u32,
}

impl Headers {
    fn of(parameters: &RlcParameters) -> Headers {
        let (whole, first) = match (parameters.mode, parameters.sn_length) {
            (RlcMode::Um, 6) => (1, 1),
            (RlcMode::Um, _) => (1, 2),
            (RlcMode::Am, 12) => (2, 2),
            (RlcMode::Am, _) => (3, 3),
        };
        Headers { whole, first, other: first + 2 }
    }

    /// Bytes of a PDU with `piece` bytes in a block, with MAC's subheader (TS 38.321 §6.1.2).
    fn block_bytes(header: u32, piece: u32) -> u32 {
        let pdu = header + piece;
        pdu + if pdu < 256 { 2 } else { 3 }
    }

    /// The most bytes of an SDU that fit in `room` behind a header.
    fn fits(header: u32, room: u32) -> u32 {
        let short = room.saturating_sub(header + 2);
        if header + short < 256 { short } else { room.saturating_sub(header + 3) }
    }
}

impl Rlc {
    pub fn new(parameters: &RlcParameters) -> Rlc {
        let mode = match parameters.mode {
            RlcMode::Um => Mode::Um(Um::new(parameters)),
            RlcMode::Am => Mode::Am(Am::new(parameters)),
        };
        Rlc { headers: Headers::of(parameters), submitted: 0, partial: None, mode }
    }

    /// Whether a block with `room` bytes left can take a new SDU, or a part of it.
    pub fn takes(&self, room: u32) -> bool {
        let in_window = match &self.mode {
            Mode::Um(_) => true,
            Mode::Am(am) => am.is_in_window(self.submitted),
        };
        self.partial.is_none() && in_window && Headers::fits(self.headers.first, room) > 0
    }

    /// Takes the next SDU, whose number it returns.
    pub fn submit(&mut self, bytes: u32) -> u32 {
        let sdu = self.submitted;
        self.submitted += 1;
        self.partial = Some(Partial { sdu, from: 0, of: bytes, number: None });
        if let Mode::Am(am) = &mut self.mode {
            am.submitted(bytes);
        }
        sdu
    }

    /// Whether it has something to send, apart from new SDUs.
    pub fn has_data(&self) -> bool {
        self.partial.is_some() || matches!(&self.mode, Mode::Am(am) if am.has_data())
    }

    /// Bytes that it has to send.
    pub fn bytes(&self) -> u64 {
        let again = match &self.mode {
            Mode::Um(_) => 0,
            Mode::Am(am) => am.bytes(),
        };
        again + self.partial.map_or(0, |partial| u64::from(partial.of - partial.from))
    }

    /// Puts segments into a block with `room` bytes left: first those that are sent again (§5.3.2), then the rest of the SDU.
    /// Returns the room that remains.
    pub fn fill(&mut self, mut room: u32, block: &mut Vec<Segment>) -> u32 {
        let headers = self.headers;
        if let Mode::Am(am) = &mut self.mode {
            am.fill(headers, &mut room, block);
        }
        if let Some(mut partial) = self.partial.take() {
            let is_more = partial.of > partial.from;
            if let Some(segment) = partial.segment(headers, &mut room, &mut self.mode) {
                block.push(segment);
                partial.from = segment.to;
            }
            if is_more && partial.from < partial.of {
                self.partial = Some(partial);
            }
        }
        room
    }

    /// A block is complete; `is_all` says that nothing else waits to be sent. Sets the poll of acknowledged mode.
    pub fn close(&mut self, block: &mut [Segment], is_all: bool, now: Time) {
        let is_all = is_all && self.partial.is_none();
        if let Mode::Am(am) = &mut self.mode {
            am.close(block, is_all || !am.is_in_window(self.submitted), now);
        }
    }

    /// A segment came.
    pub fn receive(&mut self, segment: &Segment, now: Time, verdicts: &mut Vec<Verdict>) {
        match &mut self.mode {
            Mode::Um(um) => um.receive(segment, now, verdicts),
            Mode::Am(am) => am.receive(segment, now, verdicts),
        }
    }

    /// HARQ gave a segment up.
    pub fn missed(&mut self, segment: &Segment, verdicts: &mut Vec<Verdict>) {
        if let Mode::Um(_) = self.mode {
            verdicts.push(Verdict::Lost(segment.sdu));
        }
    }

    /// The next instant at which a timer expires, or a status report comes.
    pub fn next_timer(&self) -> Option<Time> {
        match &self.mode {
            Mode::Um(um) => um.expires(),
            Mode::Am(am) => am.next_timer(),
        }
    }

    /// Does what is due.
    pub fn run_timers(&mut self, now: Time, verdicts: &mut Vec<Verdict>) {
        let is_idle = self.partial.is_none();
        match &mut self.mode {
            Mode::Um(um) => um.expire(now, verdicts),
            Mode::Am(am) => am.run_timers(is_idle, now, verdicts),
        }
    }
}

impl Partial {
    /// The next segment, as long as fits. An SDU that fits as a whole is not segmented (§5.2.2.1, §5.2.3.1).
    fn segment(&mut self, headers: Headers, room: &mut u32, mode: &mut Mode) -> Option<Segment> {
        let rest = self.of - self.from;
        let is_whole = self.from == 0 && Headers::block_bytes(headers.whole, rest) <= *room;
        let header = match (is_whole, self.from) {
            (true, _) => headers.whole,
            (false, 0) => headers.first,
            _ => headers.other,
        };
        let piece = if is_whole { rest } else { Headers::fits(header, *room).min(rest) };
        if piece == 0 && rest > 0 {
            return None;
        }
        if let Mode::Um(um) = mode
            && !is_whole
            && self.number.is_none()
        {
            self.number = Some(um.number(self.sdu, self.of));
        }
        *room -= Headers::block_bytes(header, piece).min(*room);
        let Partial { sdu, from, of, number } = *self;
        Some(Segment { sdu, from, to: from + piece, of, number, poll: false, again: false })
    }
}

#[cfg(test)]
mod tests;
