//! The sockets an application sees.

use std::fmt;
use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_measure::{FlowMeter, Metric};
use jettison_tcp::PathEstimate;
use jettison_tcp::TcpParameters;
use jettison_tcp::congestion::CongestionController;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, InlineBytes};

/// A socket of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u64);

/// Sockets and measures of the flow that an application belongs to.
pub trait Sockets {
    /// Opens a TCP connection. [`SocketEvent::Connected`] or [`SocketEvent::Closed`] follows.
    fn tcp_connect(&mut self, remote: Endpoint, options: &TcpOptions) -> SocketId;
    /// Listens for TCP connections on a port; each gives [`SocketEvent::Accepted`].
    fn tcp_listen(&mut self, port: u16, options: &TcpOptions) -> SocketId;
    /// Appends to a connection's stream. Never refuses: see [`Sockets::unsent`] for back-pressure.
    fn write(&mut self, socket: SocketId, payload: Payload);
    /// Takes up to `max` bytes that arrived in order. Never `Some` of nothing.
    fn read(&mut self, socket: SocketId, max: u64) -> Option<Payload>;
    /// Bytes written that have not yet been sent once.
    fn unsent(&self, socket: SocketId) -> u64;
    /// Bytes written that have not yet been acknowledged, the unsent ones included.
    fn unacknowledged(&self, socket: SocketId) -> u64;
    /// What a connection knows of its path.
    fn path_estimate(&self, _socket: SocketId) -> PathEstimate {
        PathEstimate::default()
    }
    /// Closes: TCP sends what is written, then FIN.
    fn close(&mut self, socket: SocketId);
    /// Resets a connection.
    fn abort(&mut self, socket: SocketId);
    /// Makes this connection the one whose window, RTT and rate the flow's series show.
    fn observe(&mut self, socket: SocketId);

    /// Binds a UDP socket, to a free port if `port` is 0. Its port is known to the caller or of no interest.
    fn udp_bind(&mut self, port: u16) -> SocketId;
    /// Sends a datagram.
    fn send_to(&mut self, socket: SocketId, remote: Endpoint, datagram: &Datagram);

    /// Packets that wait in the queue of this host's own device towards `remote`: back-pressure, for senders that heed it.
    fn device_backlog(&self, _remote: Address) -> u64 {
        0
    }

    /// Sends an ICMP echo request; the peer's host answers by itself and [`SocketEvent::EchoReply`] follows.
    fn send_echo(&mut self, remote: Address, request: &EchoRequest);

    /// The meter of this application's flow.
    fn meter(&mut self) -> &mut FlowMeter;
    /// Adds a point to a series of this application's flow.
    fn point(&mut self, metric: Metric, now: Time, value: f64);
}

/// How a TCP connection behaves.
#[derive(Debug, Clone)]
pub struct TcpOptions {
    /// The parameters, shared by all connections of a flow.
    pub parameters: Arc<TcpParameters>,
    /// Makes a connection's congestion controller.
    pub controller: ControllerFactory,
}

/// Makes congestion controllers.
#[derive(Clone)]
pub struct ControllerFactory(Arc<dyn Fn() -> Box<dyn CongestionController> + Send + Sync>);

impl ControllerFactory {
    /// A factory of that closure.
    pub fn new(
        make: impl Fn() -> Box<dyn CongestionController> + Send + Sync + 'static,
    ) -> ControllerFactory {
        ControllerFactory(Arc::new(make))
    }
    /// A new controller.
    pub fn make(&self) -> Box<dyn CongestionController> {
        (self.0)()
    }
}

impl fmt::Debug for ControllerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControllerFactory")
    }
}

/// A datagram to send, or one that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// Its first bytes; the rest is zeros.
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

/// Something that happened at a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketEvent {
    /// A connection is established.
    Connected(SocketId),
    /// A listener got a connection.
    Accepted {
        /// The listener.
        listener: SocketId,
        /// The new connection.
        socket: SocketId,
    },
    /// In-order data waits.
    Readable(SocketId),
    /// Written data was acknowledged.
    Acknowledged(SocketId),
    /// The peer has sent all it will send, and it has been read.
    PeerClosed(SocketId),
    /// The connection is gone.
    Closed(SocketId, CloseReason),
    /// A datagram arrived.
    Datagram {
        /// The socket it arrived at.
        socket: SocketId,
        /// Who sent it.
        from: Endpoint,
        /// What it holds.
        datagram: Datagram,
    },
    /// An echo came back.
    EchoReply {
        /// Its sequence number.
        sequence: u16,
        /// How long it took, where the host knows.
        rtt: Duration,
    },
}

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends closed it.
    Finished,
    /// The peer reset or refused it.
    Reset,
    /// Nothing was heard for too long.
    TimedOut,
}
