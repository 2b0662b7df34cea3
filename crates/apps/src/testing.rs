//! Test host: records what applications send, and advances the clock.

use jettison_core::Time;
use jettison_measure::{FlowMeter, Metric};
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::Address;

use jettison_sockets::{Application, Datagram, EchoRequest, SocketEvent, SocketId, Sockets, TcpOptions};

/// Destination of all datagrams.
pub(crate) const REMOTE: Endpoint = Endpoint { address: Address::v4(198, 18, 0, 2), port: 9 };
/// The only socket.
pub(crate) const SOCKET: SocketId = SocketId(1);

/// Sockets whose datagrams are recorded and not delivered.
#[derive(Default)]
pub(crate) struct Bench {
    pub(crate) now: Time,
    pub(crate) sent: Vec<(Time, Endpoint, Datagram)>,
    pub(crate) points: Vec<(Metric, Time, f64)>,
    pub(crate) meter: FlowMeter,
}

impl Bench {
    /// Runs a started application until `until`.
    pub(crate) fn run(&mut self, application: &mut dyn Application, until: Time) {
        while let Some(at) = application.next_wakeup().filter(|at| *at < until) {
            self.now = at;
            application.handle_wakeup(at, self);
        }
        self.now = until;
    }

    /// Delivers a datagram now.
    pub(crate) fn deliver(&mut self, application: &mut dyn Application, datagram: Datagram) {
        let event = SocketEvent::Datagram { socket: SOCKET, from: REMOTE, datagram };
        application.handle_event(event, self.now, self);
    }
}

impl Sockets for Bench {
    fn udp_bind(&mut self, _: u16) -> SocketId {
        SOCKET
    }
    fn send_to(&mut self, socket: SocketId, remote: Endpoint, datagram: &Datagram) {
        assert_eq!(socket, SOCKET);
        self.sent.push((self.now, remote, *datagram));
    }
    fn meter(&mut self) -> &mut FlowMeter {
        &mut self.meter
    }
    fn point(&mut self, metric: Metric, now: Time, value: f64) {
        self.points.push((metric, now, value));
    }

    fn tcp_connect(&mut self, _: Endpoint, _: &TcpOptions) -> SocketId {
        unreachable!("only datagrams are tested here")
    }
    fn tcp_listen(&mut self, _: u16, _: &TcpOptions) -> SocketId {
        unreachable!("only datagrams are tested here")
    }
    fn write(&mut self, _: SocketId, _: Payload) {}
    fn read(&mut self, _: SocketId, _: u64) -> Option<Payload> {
        None
    }
    fn count_goodput(&mut self, _: SocketId) {}
    fn unsent(&self, _: SocketId) -> u64 {
        0
    }
    fn unacknowledged(&self, _: SocketId) -> u64 {
        0
    }
    fn close(&mut self, _: SocketId) {}
    fn abort(&mut self, _: SocketId) {}
    fn observe(&mut self, _: SocketId) {}
    fn send_echo(&mut self, _: Address, _: &EchoRequest) {}
}
