//! Carriers of messages between the two ends of a flow: the Octopus transport, or a TCP byte stream.

mod octopus;
mod tcp;

use dyn_clone::DynClone;
use jettison_core::{Duration, Gauges, Time};
use jettison_tcp::{Endpoint, PathEstimate};

use super::{Fate, MessageHead, Outgoing};
use jettison_sockets::FlowTransport;
use jettison_sockets::{SocketEvent, Sockets};

pub use octopus::OctopusSocket;
use octopus::{OctopusReceiver, OctopusSender};
use tcp::{TcpReceiver, TcpSender};

/// The sending end of a carrier.
pub(super) trait Carrier: DynClone + Send {
    /// Opens the carrier's socket.
    fn open(&mut self, now: Time, host: &mut dyn Sockets);
    /// Sends a message; returns false if the send buffer has no room for it.
    fn send(&mut self, message: &Outgoing, now: Time, host: &mut dyn Sockets) -> bool;
    /// Returns the path estimate of the transport.
    fn estimate(&self, now: Time, host: &dyn Sockets) -> PathEstimate;
    /// Handles an event of the carrier's socket.
    fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets);
    /// Returns the time of the next wakeup.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }
    /// Processes due timers.
    fn handle_wakeup(&mut self, _now: Time, _host: &mut dyn Sockets) {}
    /// Returns the next message with a known fate.
    fn poll_fate(&mut self) -> Option<(MessageHead, Fate)>;
    /// Closes the carrier: no more messages follow.
    fn close(&mut self, now: Time, host: &mut dyn Sockets);
    /// Reports the gauges of the transport's controller. A TCP connection reports its own.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}
    /// Finishes the measurement at the end of the run.
    fn finish(&mut self, _now: Time, _meter: &mut jettison_measure::FlowMeter) {}
}

dyn_clone::clone_trait_object!(Carrier);

/// The receiving end of a carrier.
pub(super) trait Receiver: DynClone + Send {
    /// Starts listening.
    fn open(&mut self, now: Time, host: &mut dyn Sockets);
    /// Handles an event of the carrier's socket.
    fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets);
    /// Returns the time of the next wakeup.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }
    /// Processes due timers.
    fn handle_wakeup(&mut self, _now: Time, _host: &mut dyn Sockets) {}
    /// Whether the bytes that arrive count as goodput already, so that complete messages must not.
    fn counts_goodput(&self) -> bool {
        false
    }
    /// Returns the next complete message and its length.
    fn poll_message(&mut self) -> Option<(MessageHead, u32)>;
}

dyn_clone::clone_trait_object!(Receiver);

/// Creates both ends for a flow's transport; `None` if it carries no messages.
pub(super) fn carriers(
    transport: &FlowTransport,
    remote: Endpoint,
) -> Option<(Box<dyn Carrier>, Box<dyn Receiver>)> {
    match transport {
        FlowTransport::Octopus(options) => Some((
            Box::new(OctopusSender::new(options, remote)),
            Box::new(OctopusReceiver::new(options, remote.port)),
        )),
        FlowTransport::Tcp(options) => Some((
            Box::new(TcpSender::new(options, remote)),
            Box::new(TcpReceiver::new(options, remote.port)),
        )),
        FlowTransport::Udp { .. } => None,
    }
}

/// Minimum time between two points of a sender's series.
pub const SERIES_INTERVAL: Duration = Duration::from_millis(100);
