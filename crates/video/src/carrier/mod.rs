//! What carries messages between the two ends of a flow: the Octopus transport, or a byte stream over TCP.

mod octopus;
mod tcp;

use jettison_core::{Duration, Gauges, Time};
use jettison_tcp::{Endpoint, PathEstimate};

use super::{Fate, MessageHead, Outgoing};
use jettison_sockets::FlowTransport;
use jettison_sockets::{SocketEvent, Sockets};

pub use octopus::OctopusSocket;
use octopus::{OctopusReceiver, OctopusSender};
use tcp::{TcpReceiver, TcpSender};

/// The sending end.
pub(super) trait Carrier: Send {
    /// Opens what it needs.
    fn open(&mut self, now: Time, host: &mut dyn Sockets);
    /// Takes a message; false if there is no room for it.
    fn send(&mut self, message: &Outgoing, now: Time, host: &mut dyn Sockets) -> bool;
    /// What is known of the path.
    fn estimate(&self, now: Time, host: &dyn Sockets) -> PathEstimate;
    /// Something happened at its socket.
    fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets);
    /// When it wants to be called by itself.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }
    /// That time has come.
    fn handle_wakeup(&mut self, _now: Time, _host: &mut dyn Sockets) {}
    /// The next message of which is known what became of it.
    fn poll_fate(&mut self) -> Option<(MessageHead, Fate)>;
    /// Nothing more will be sent.
    fn close(&mut self, now: Time, host: &mut dyn Sockets);
    /// Reports the gauges of its transport's controller. A TCP connection is asked itself.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}
    /// The run has ended.
    fn finish(&mut self, _now: Time, _meter: &mut jettison_measure::FlowMeter) {}
}

/// The receiving end.
pub(super) trait Receiver: Send {
    /// Listens.
    fn open(&mut self, now: Time, host: &mut dyn Sockets);
    /// Something happened at its socket.
    fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets);
    /// When it wants to be called by itself.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }
    /// That time has come.
    fn handle_wakeup(&mut self, _now: Time, _host: &mut dyn Sockets) {}
    /// The next message that has arrived whole, with its length.
    fn poll_message(&mut self) -> Option<(MessageHead, u32)>;
}

/// Both ends over a flow's transport; `None` for one that carries no messages.
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

/// Time between two points of a sender's series, at least.
pub const SERIES_INTERVAL: Duration = Duration::from_millis(100);
