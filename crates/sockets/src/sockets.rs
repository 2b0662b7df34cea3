//! The socket interface of applications.

use std::fmt;
use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_measure::{Component, Description, FlowMeter, Metric, Unit};
use jettison_tcp::PathEstimate;
use jettison_tcp::TcpParameters;
use jettison_tcp::congestion::CongestionController;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, InlineBytes};

/// A socket of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u64);

/// Sockets and measures of an application's flow.
pub trait Sockets {
    /// Opens a TCP connection. [`SocketEvent::Connected`] or [`SocketEvent::Closed`] follows.
    fn tcp_connect(&mut self, remote: Endpoint, options: &TcpOptions) -> SocketId;
    /// Listens for TCP connections on a port; [`SocketEvent::Accepted`] follows for each.
    fn tcp_listen(&mut self, port: u16, options: &TcpOptions) -> SocketId;
    /// Appends to a connection's stream. Always succeeds: see [`Sockets::unsent`] for back-pressure.
    fn write(&mut self, socket: SocketId, payload: Payload);
    /// Takes up to `max` bytes that arrived in order; `None` if there are none.
    fn read(&mut self, socket: SocketId, max: u64) -> Option<Payload>;
    /// Counts what a connection receives as goodput of this application's flow, from the connection's first byte on. In a
    /// simulation each byte counts when it arrives for the first time, also behind a gap, so that the repair of a loss
    /// releases no more than the path could carry; a kernel's connection shows only what can be read.
    fn count_goodput(&mut self, socket: SocketId);
    /// Bytes written but not yet sent.
    fn unsent(&self, socket: SocketId) -> u64;
    /// Bytes written but not yet acknowledged, including unsent ones.
    fn unacknowledged(&self, socket: SocketId) -> u64;
    /// The connection's estimate of its path.
    fn path_estimate(&self, _socket: SocketId) -> PathEstimate {
        PathEstimate::default()
    }
    /// Closes: TCP sends the remaining data, then FIN.
    fn close(&mut self, socket: SocketId);
    /// Resets a connection.
    fn abort(&mut self, socket: SocketId);
    /// Selects the connection whose window, RTT and rate the flow's series record.
    fn observe(&mut self, socket: SocketId);

    /// Binds a UDP socket; port 0 selects a free port.
    fn udp_bind(&mut self, port: u16) -> SocketId;
    /// Sends a datagram.
    fn send_to(&mut self, socket: SocketId, remote: Endpoint, datagram: &Datagram);

    /// Says that the next `bytes` bytes that are written to a connection, after those of earlier calls, belong to `unit`. For the
    /// provenance of packets; hosts that record none ignore it.
    fn carries(&mut self, _socket: SocketId, _unit: Unit, _bytes: u64) {}
    /// The unit that the peer of a connection described last: what it asked for, if it sends one request at a time. `None` without
    /// provenance; only other descriptions may depend on it.
    fn asked(&mut self, _socket: SocketId) -> Option<Unit> {
        None
    }
    /// Says what the next datagram or echo request carries. For the provenance of packets, as [`Sockets::carries`].
    fn describes(&mut self, _description: Description) {}

    /// Whether delays are accounted for. Without, the following calls have no effect.
    fn has_accounts(&self) -> bool {
        false
    }
    /// Says that the delay of a unit began at `at`, if that is before its first byte is written.
    fn unit_began(&mut self, _unit: Unit, _at: Time) {}
    /// Says that the datagram which the application is handling completed a unit.
    fn unit_complete(&mut self, _unit: Unit) {}
    /// Says that the datagram which the application is handling is one of the `of` datagrams of a unit, which ends with the last one.
    fn unit_part(&mut self, _unit: Unit, _of: u16) {}
    /// Says what holds back the datagrams of a socket from now on.
    fn limited(&mut self, _socket: SocketId, _by: Component) {}
    /// Says that the sender of a socket's datagrams reduced its window for the loss of the one with this number
    /// ([`Description::number`]).
    fn reduced(&mut self, _socket: SocketId, _lost: u64) {}

    /// Packets in the queue of this host's own device towards `remote`: back-pressure, for senders that use it.
    fn device_backlog(&self, _remote: Address) -> u64 {
        0
    }

    /// Sends an ICMP echo request; the peer's host replies and [`SocketEvent::EchoReply`] follows.
    fn send_echo(&mut self, remote: Address, request: &EchoRequest);

    /// Sends an Ethernet frame as it is, except that a source address of zeros becomes the host's own. Only simulated hosts with
    /// `layer = 2` can; others ignore it.
    fn send_frame(&mut self, _frame: &[u8]) {}

    /// Takes all frames of this application's flow that reach the host, whatever they carry and to whomever they are addressed, as
    /// [`SocketEvent::Frame`]. The host's stack sees none of them.
    fn capture_frames(&mut self) {}

    /// Stops the world right after the call in progress, before anything that the call wrote is sent: the program waits for
    /// [`crate::Application::decide`]. Only simulated hosts can; only steered programs ask.
    fn suspend(&mut self) {}

    /// The meter of this application's flow.
    fn meter(&mut self) -> &mut FlowMeter;
    /// Adds a point to a series of this application's flow.
    fn point(&mut self, metric: Metric, now: Time, value: f64);
}

/// Options of a TCP connection.
#[derive(Debug, Clone)]
pub struct TcpOptions {
    /// The parameters, shared by all connections of a flow.
    pub parameters: Arc<TcpParameters>,
    /// Creates the congestion controller of a connection.
    pub controller: ControllerFactory,
}

/// A factory of congestion controllers.
#[derive(Clone)]
pub struct ControllerFactory(Arc<dyn Fn() -> Box<dyn CongestionController> + Send + Sync>);

impl ControllerFactory {
    /// Creates a factory from a closure.
    pub fn new(
        make: impl Fn() -> Box<dyn CongestionController> + Send + Sync + 'static,
    ) -> ControllerFactory {
        ControllerFactory(Arc::new(make))
    }
    /// Creates a controller.
    pub fn make(&self) -> Box<dyn CongestionController> {
        (self.0)()
    }
}

impl fmt::Debug for ControllerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControllerFactory")
    }
}

/// A datagram to send, or a received one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// The first bytes; the rest is zeros.
    pub head: InlineBytes,
    /// Payload length in bytes, `head` included.
    pub length: u16,
    /// IPv4 TOS or IPv6 traffic class.
    pub traffic_class: u8,
}

/// An ICMP echo request to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoRequest {
    /// Sequence number.
    pub sequence: u16,
    /// Payload length in bytes (56 in `ping`).
    pub length: u16,
    /// IPv4 TOS or IPv6 traffic class.
    pub traffic_class: u8,
}

/// An event at a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketEvent {
    /// A connection is established.
    Connected(SocketId),
    /// A listener accepted a connection.
    Accepted {
        /// The listener.
        listener: SocketId,
        /// The new connection.
        socket: SocketId,
    },
    /// In-order data is available.
    Readable(SocketId),
    /// Written data was acknowledged.
    Acknowledged(SocketId),
    /// The peer closed its direction, and all of its data has been read.
    PeerClosed(SocketId),
    /// The connection has ended.
    Closed(SocketId, CloseReason),
    /// A datagram arrived.
    Datagram {
        /// The receiving socket.
        socket: SocketId,
        /// The sender.
        from: Endpoint,
        /// The contents.
        datagram: Datagram,
    },
    /// An echo reply arrived.
    EchoReply {
        /// Its sequence number.
        sequence: u16,
        /// Round-trip time.
        rtt: Duration,
    },
    /// A frame of the flow arrived ([`Sockets::capture_frames`]).
    Frame {
        /// When it was sent.
        sent_at: Time,
        /// Its length in bytes, without frame check sequence.
        length: u32,
    },
}

/// The reason for the end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends closed it.
    Finished,
    /// The peer reset or refused the connection.
    Reset,
    /// The peer did not respond in time.
    TimedOut,
}
