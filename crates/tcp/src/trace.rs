//! What holds a connection back, and why it sends data again: kept if asked for, so that delays can be accounted for.

use jettison_core::Time;

use super::scoreboard::LossCause;
use super::sender::Sender;

/// What holds a sender back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// The connection is not established yet.
    Handshake,
    /// The application has written nothing that was not sent.
    Application,
    /// The congestion window, or what regulates sending in recovery in its place.
    Window,
    /// The peer's receive window.
    ReceiveWindow,
    /// The pacer.
    Pacing,
}

/// How a loss was detected whose repair is a retransmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// By a number of later packets that arrived: duplicate or selective acknowledgements.
    Fast,
    /// By the time since its departure, after a later packet had arrived (RACK).
    Rack,
    /// Not at all: a tail loss probe.
    Probe,
    /// By a retransmission timeout.
    Timeout,
}

/// An event of a traced connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceEvent {
    /// From this instant on, what held the sender back was something else.
    Limited(Time, Limit),
    /// The window was reduced for the loss of the byte at a stream offset.
    ReducedForLoss(Time, u64),
    /// The window was reduced for ECN marks.
    ReducedForMarks(Time),
}

/// A data packet that left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    /// Stream offset of its first byte.
    pub offset: u64,
    /// Length in bytes, without FIN.
    pub length: u64,
    /// Why these bytes were sent again; `None` for the first time.
    pub repair: Option<Repair>,
}

/// Trace of a connection's sending half.
#[derive(Debug, Clone)]
pub(super) struct Trace {
    limit: Limit,
    pub events: Vec<TraceEvent>,
    /// The retransmission that is being made.
    pub repair: Option<Repair>,
    /// The data packet that left last.
    pub departure: Option<Departure>,
}

impl Trace {
    /// Starts a trace.
    pub fn new(limit: Limit, now: Time) -> Box<Trace> {
        let events = vec![TraceEvent::Limited(now, limit)];
        Box::new(Trace { limit, events, repair: None, departure: None })
    }

    fn limited(&mut self, limit: Limit, now: Time) {
        if self.limit != limit {
            self.limit = limit;
            self.events.push(TraceEvent::Limited(now, limit));
        }
    }
}

impl From<LossCause> for Repair {
    fn from(cause: LossCause) -> Repair {
        match cause {
            LossCause::Count => Repair::Fast,
            LossCause::Time => Repair::Rack,
            LossCause::Timeout => Repair::Timeout,
        }
    }
}

impl Sender {
    /// Notes what holds the sender back, after it had nothing to send.
    #[cold]
    pub(super) fn trace_limit(&mut self, now: Time) {
        let limit = self.limit();
        if let Some(trace) = &mut self.trace {
            trace.limited(limit, now);
        }
    }

    /// What holds the sender back, by the order in which it looks for something to send.
    fn limit(&mut self) -> Limit {
        let held = |sender: &Sender, length: u64| {
            let fits = sender.flight() + length <= sender.window;
            if fits && sender.is_paced() { Limit::Pacing } else { Limit::Window }
        };
        if self.board.lost() > 0
            && let Some((_, segment)) = self.board.next_lost()
        {
            return held(self, u64::from(segment.length));
        }
        if self.buffer.end() <= self.board.next() {
            return Limit::Application;
        }
        match self.next_new(false) {
            Some((length, fin)) => held(self, length + u64::from(fin)),
            None => Limit::ReceiveWindow,
        }
    }

    /// Notes a reduction of the window for the loss of the segment at this offset.
    pub(super) fn trace_loss(&mut self, offset: u64, now: Time) {
        if let Some(trace) = &mut self.trace {
            trace.events.push(TraceEvent::ReducedForLoss(now, offset));
        }
    }

    /// Notes a reduction of the window for marks.
    pub(super) fn trace_marks(&mut self, now: Time) {
        if let Some(trace) = &mut self.trace {
            trace.events.push(TraceEvent::ReducedForMarks(now));
        }
    }

    /// Notes why the next segment is sent again.
    #[inline]
    pub(super) fn trace_repair(&mut self, repair: Repair) {
        if let Some(trace) = &mut self.trace {
            trace.repair = Some(repair);
        }
    }
}
