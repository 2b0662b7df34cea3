#![forbid(unsafe_code)]
//! Media sent as messages: what makes them, what takes them, and what each carries.
//!
//! A [`Source`] is an encoder and its adaptation: asked at each frame, it says which messages to send. A [`Sink`] is the
//! viewer: it gets whole messages and measures what can be shown. Neither knows what carries them.

pub mod carrier;
pub mod content;
mod head;
mod receiver;
mod sender;
pub mod sink;
pub mod source;
pub mod video;

use jettison_core::{DropReason, Time};
use jettison_measure::FlowMeter;
use jettison_messages::MessageParams;
use jettison_tcp::Endpoint;
use jettison_tcp::PathEstimate;

use self::receiver::MessageReceiver;
use self::sender::MessageSender;
use jettison_sockets::{FlowApplications, FlowTransport};

pub use head::MessageHead;

/// Makes frames.
pub trait Source: Send {
    /// When the next frame is due, by the application's clock that starts at `start`; `None` after the last.
    fn next_frame(&self) -> Option<Time>;

    /// The first frame is due at `now`.
    fn start(&mut self, now: Time);

    /// The frame that is due at `now`: its messages go to `out`, in the order of sending, or none if it is skipped.
    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>);

    /// What became of a message.
    fn handle_fate(&mut self, _head: &MessageHead, _fate: Fate, _now: Time) {}
}

/// A message to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outgoing {
    /// The stream it belongs to.
    pub stream: u16,
    /// What it says of itself.
    pub head: MessageHead,
    /// Bytes, the head included (at least [`MessageHead::LENGTH`]).
    pub length: u32,
    /// How it may be dropped.
    pub params: MessageParams,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// All of it was acknowledged.
    Acknowledged,
    /// The send buffer dropped it for a reason of its own.
    Dropped(DropReason),
    /// The send buffer was full, and it was not taken.
    Refused,
    /// A part of it was lost, and it is not sent again.
    Lost,
}

/// Takes messages that arrived whole.
pub trait Sink: Send {
    /// A message has arrived whole.
    fn handle_message(&mut self, head: &MessageHead, length: u32, now: Time, meter: &mut FlowMeter);

    /// The run has ended.
    fn finish(&mut self, _now: Time, _meter: &mut FlowMeter) {}
}

/// The programs of a flow that sends a source's messages to a sink; `None` over a transport that carries none.
pub fn applications(
    source: Box<dyn Source>,
    sink: Box<dyn Sink>,
    transport: &FlowTransport,
    remote: Endpoint,
) -> Option<FlowApplications> {
    let (carrier, receiver) = carrier::carriers(transport, remote)?;
    Some(FlowApplications {
        from: Box::new(MessageSender::new(source, carrier)),
        to: Some(Box::new(MessageReceiver::new(sink, receiver))),
    })
}
