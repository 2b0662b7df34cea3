#![forbid(unsafe_code)]
//! Media sent as messages: sources, sinks, and the carriers between them.
//!
//! A [`Source`] is an encoder with its adaptation: for each frame it returns the messages to send. A [`Sink`] is the
//! viewer: it receives complete messages and measures what can be shown. Both are independent of the transport.

pub mod carrier;
pub mod content;
mod head;
mod receiver;
mod sender;
pub mod sink;
pub mod source;
pub mod video;

use dyn_clone::DynClone;
use jettison_core::{DropReason, Time};
use jettison_measure::FlowMeter;
use jettison_messages::MessageParams;
use jettison_tcp::Endpoint;
use jettison_tcp::PathEstimate;

use self::receiver::MessageReceiver;
use self::sender::MessageSender;
use jettison_sockets::{FlowApplications, FlowTransport};

pub use head::MessageHead;

/// A source of frames.
pub trait Source: DynClone + Send {
    /// Returns the capture time of the next frame; `None` after the last. The clock starts at `start`.
    fn next_frame(&self) -> Option<Time>;

    /// Starts the source: the first frame is due at `now`.
    fn start(&mut self, now: Time);

    /// Encodes the frame due at `now` and appends its messages to `out` in sending order; none if the frame is
    /// skipped.
    fn make_frame(&mut self, now: Time, path: &PathEstimate, out: &mut Vec<Outgoing>);

    /// Handles the fate of a message.
    fn handle_fate(&mut self, _head: &MessageHead, _fate: Fate, _now: Time) {}
}

dyn_clone::clone_trait_object!(Source);

/// A message to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outgoing {
    /// Stream of the message.
    pub stream: u16,
    /// Head with the message's position in the video.
    pub head: MessageHead,
    /// Length in bytes with the head (at least [`MessageHead::LENGTH`]).
    pub length: u32,
    /// Dropping rules of the message.
    pub params: MessageParams,
}

/// Fate of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Completely acknowledged.
    Acknowledged,
    /// Dropped by the send buffer.
    Dropped(DropReason),
    /// Refused by a full send buffer.
    Refused,
    /// Partly lost, and not retransmitted.
    Lost,
}

/// Receiver of complete messages.
pub trait Sink: DynClone + Send {
    /// Handles a complete message.
    fn handle_message(&mut self, head: &MessageHead, length: u32, now: Time, meter: &mut FlowMeter);

    /// Finishes the measurement at the end of the run.
    fn finish(&mut self, _now: Time, _meter: &mut FlowMeter) {}
}

dyn_clone::clone_trait_object!(Sink);

/// Creates the applications of a flow that sends a source's messages to a sink; `None` if the transport carries no
/// messages.
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
