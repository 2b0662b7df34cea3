//! Socket interface of one program.

use jettison_core::Time;
use jettison_measure::{FlowMeter, Kind, Metric, ObjectId, Recorder};
use jettison_sockets::{Datagram, EchoRequest, SocketId, Sockets, TcpOptions};
use jettison_tcp::PathEstimate;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, FlowId};

use super::stack::Stack;
use super::tcp::TcpSocket;

/// Sockets of one program, and the meter of its flow.
pub(super) struct HostView<'a> {
    pub(super) stack: &'a mut Stack,
    pub(super) recorder: &'a mut Recorder,
    pub(super) owner: u32,
    pub(super) flow: FlowId,
    pub(super) now: Time,
}

impl Sockets for HostView<'_> {
    fn tcp_connect(&mut self, remote: Endpoint, options: &TcpOptions) -> SocketId {
        self.stack.tcp_connect(self.owner, remote, options)
    }
    fn tcp_listen(&mut self, port: u16, options: &TcpOptions) -> SocketId {
        self.stack.tcp_listen(self.owner, port, options)
    }
    fn write(&mut self, socket: SocketId, payload: Payload) {
        self.stack.write(socket, payload);
    }
    fn read(&mut self, socket: SocketId, max: u64) -> Option<Payload> {
        let payload = self.stack.read(socket, max)?;
        // The kernel does not show what waits behind a gap: bytes count when they can be read.
        if self.stack.connection(socket).is_some_and(|connection| connection.counts_goodput) {
            self.meter().delivered(payload.len());
        }
        Some(payload)
    }
    fn count_goodput(&mut self, socket: SocketId) {
        self.stack.count_goodput(socket);
    }
    fn unsent(&self, socket: SocketId) -> u64 {
        self.stack.connection(socket).map_or(0, TcpSocket::unsent)
    }
    fn unacknowledged(&self, socket: SocketId) -> u64 {
        self.stack.connection(socket).map_or(0, TcpSocket::unacknowledged)
    }
    fn path_estimate(&self, socket: SocketId) -> PathEstimate {
        self.stack.connection(socket).map_or_else(PathEstimate::default, TcpSocket::path_estimate)
    }
    fn close(&mut self, socket: SocketId) {
        self.stack.close(socket);
    }
    fn abort(&mut self, socket: SocketId) {
        self.stack.abort(socket);
    }
    fn observe(&mut self, socket: SocketId) {
        self.stack.observe(self.owner, socket);
    }
    fn udp_bind(&mut self, port: u16) -> SocketId {
        self.stack.udp_bind(self.owner, port)
    }
    fn send_to(&mut self, socket: SocketId, remote: Endpoint, datagram: &Datagram) {
        self.stack.send_to(socket, remote, datagram);
    }
    fn device_backlog(&self, _: Address) -> u64 {
        self.stack.device_backlog(self.owner)
    }
    fn send_echo(&mut self, remote: Address, request: &EchoRequest) {
        self.stack.send_echo(self.owner, remote, request, self.now);
    }
    fn meter(&mut self) -> &mut FlowMeter {
        self.recorder.flow(self.flow).expect("a program's flow is registered before the hosts are built")
    }
    fn point(&mut self, metric: Metric, now: Time, value: f64) {
        self.recorder.point(ObjectId { kind: Kind::Flow, index: self.flow.0 }, metric, now, value);
    }
}
