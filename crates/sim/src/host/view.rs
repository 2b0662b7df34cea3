//! View of a host by one of its programs.

use jettison_core::Time;
use jettison_measure::{FlowMeter, Kind, Metric, ObjectId, Recorder};
use jettison_queue::QueueDiscipline;
use jettison_sockets::{Datagram, EchoRequest, SocketId, Sockets, TcpOptions};
use jettison_tcp::PathEstimate;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, FlowId};
use rustc_hash::FxHashMap;

use super::Stack;

/// The queues of a host's ports, and its routes.
#[derive(Clone, Copy)]
pub(crate) struct Devices<'a> {
    pub(crate) ports: &'a [Box<dyn QueueDiscipline>],
    /// Port by destination address; unused with a single port.
    pub(crate) routes: &'a FxHashMap<Address, u16>,
}

/// Sockets of a program, and the meter of its flow.
pub(crate) struct HostView<'a> {
    pub(crate) stack: &'a mut Stack,
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) devices: Devices<'a>,
    pub(crate) owner: u32,
    pub(crate) flow: FlowId,
    pub(crate) now: Time,
}

impl Sockets for HostView<'_> {
    fn tcp_connect(&mut self, remote: Endpoint, options: &TcpOptions) -> SocketId {
        self.stack.tcp_connect(self.owner, remote, options, self.now)
    }
    fn tcp_listen(&mut self, port: u16, options: &TcpOptions) -> SocketId {
        self.stack.tcp_listen(self.owner, port, options)
    }
    fn write(&mut self, socket: SocketId, payload: Payload) {
        if let Some(connection) = self.stack.connection_mut(socket) {
            connection.write(payload);
        }
    }
    fn read(&mut self, socket: SocketId, max: u64) -> Option<Payload> {
        self.stack.connection_mut(socket)?.read(max)
    }
    fn count_goodput(&mut self, socket: SocketId) {
        self.stack.count_goodput(socket);
    }
    fn unsent(&self, socket: SocketId) -> u64 {
        self.stack.connection(socket).map_or(0, |connection| connection.unsent())
    }
    fn unacknowledged(&self, socket: SocketId) -> u64 {
        self.stack.connection(socket).map_or(0, |connection| connection.unacknowledged())
    }
    fn path_estimate(&self, socket: SocketId) -> PathEstimate {
        self.stack
            .connection(socket)
            .map_or_else(PathEstimate::default, |connection| connection.path_estimate())
    }
    fn close(&mut self, socket: SocketId) {
        match self.stack.connection_mut(socket) {
            Some(connection) => connection.close(),
            None => self.stack.unbind(socket),
        }
    }
    fn abort(&mut self, socket: SocketId) {
        if let Some(connection) = self.stack.connection_mut(socket) {
            connection.abort();
        }
    }
    fn observe(&mut self, socket: SocketId) {
        self.stack.observe(self.owner, socket);
    }
    fn udp_bind(&mut self, port: u16) -> SocketId {
        self.stack.udp_bind(self.owner, port)
    }
    fn send_to(&mut self, socket: SocketId, remote: Endpoint, datagram: &Datagram) {
        self.stack.send_to(self.owner, socket, remote, datagram, self.now);
    }
    fn device_backlog(&self, remote: Address) -> u64 {
        let port = self.devices.routes.get(&remote).map_or(0, |port| usize::from(*port));
        let queued = self.devices.ports.get(port).map_or(0, |queue| queue.backlog().packets);
        // Packets sent during this event are about to enter the queue.
        queued + self.stack.outbox.len() as u64
    }
    fn send_echo(&mut self, remote: Address, request: &EchoRequest) {
        self.stack.send_echo(self.owner, remote, request, self.now);
    }
    fn meter(&mut self) -> &mut FlowMeter {
        self.recorder.flow(self.flow).expect("a program's flow is registered when the world is built")
    }
    fn point(&mut self, metric: Metric, now: Time, value: f64) {
        self.recorder.point(ObjectId { kind: Kind::Flow, index: self.flow.0 }, metric, now, value);
    }
}
