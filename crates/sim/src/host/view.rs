//! View of a host by one of its programs.

use jettison_core::Time;
use jettison_measure::{Component, Description, FlowMeter, Kind, Metric, ObjectId, Recorder, Unit};
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

impl HostView<'_> {
    /// Reports the packet that a datagram became, if the stack had `before` packets to send before.
    #[inline]
    fn sent_datagram(&mut self, before: usize) {
        if let (Some(provenance), Some(packet)) = (self.recorder.provenance(), self.stack.outbox.get(before))
        {
            provenance.datagram(packet, self.now);
        }
    }
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
        let before = self.stack.outbox.len();
        self.stack.send_to(self.owner, socket, remote, datagram, self.now);
        self.sent_datagram(before);
    }
    fn carries(&mut self, socket: SocketId, unit: Unit, bytes: u64) {
        // A unit of the same name that has ended makes room.
        self.recorder.end_units(self.flow, self.now);
        if let Some(provenance) = self.recorder.provenance()
            && let Some((stream, written)) = self.stack.stream(socket, provenance, self.now)
        {
            provenance.carries(stream, unit, bytes, written, self.now);
            if provenance.accounts().is_some() {
                self.stack.trace(socket, self.now);
            }
        }
    }
    fn has_accounts(&self) -> bool {
        self.recorder.has_accounts()
    }
    fn unit_began(&mut self, unit: Unit, at: Time) {
        if let Some(accounts) = self.recorder.accounts() {
            accounts.began(unit.of(self.flow), at);
        }
    }
    fn unit_complete(&mut self, unit: Unit) {
        if let Some(accounts) = self.recorder.accounts() {
            accounts.complete(unit.of(self.flow), self.now);
        }
    }
    fn unit_part(&mut self, unit: Unit, of: u16) {
        if let Some(accounts) = self.recorder.accounts() {
            accounts.part(unit.of(self.flow), of, self.now);
        }
    }
    fn limited(&mut self, socket: SocketId, by: Component) {
        if let (Some(accounts), Some(end)) = (self.recorder.accounts(), self.stack.datagram_end(socket)) {
            accounts.socket_limited(end, by, self.now);
        }
    }
    fn reduced(&mut self, socket: SocketId, lost: u64) {
        let Some(provenance) = self.recorder.provenance() else { return };
        let packet = provenance.numbered(self.flow, lost);
        if let (Some(accounts), Some(end)) = (provenance.accounts(), self.stack.datagram_end(socket)) {
            accounts.socket_reduced(end, packet, self.now);
        }
    }
    fn asked(&mut self, socket: SocketId) -> Option<Unit> {
        let provenance = self.recorder.provenance()?;
        let (stream, _) = self.stack.stream(socket, provenance, self.now)?;
        provenance.asked(stream)
    }
    fn describes(&mut self, description: Description) {
        if let Some(provenance) = self.recorder.provenance() {
            provenance.describe(description);
        }
    }
    fn device_backlog(&self, remote: Address) -> u64 {
        let port = self.devices.routes.get(&remote).map_or(0, |port| usize::from(*port));
        let queued = self.devices.ports.get(port).map_or(0, |queue| queue.backlog().packets);
        // Packets sent during this event are about to enter the queue.
        queued + self.stack.outbox.len() as u64
    }
    fn send_echo(&mut self, remote: Address, request: &EchoRequest) {
        let before = self.stack.outbox.len();
        self.stack.send_echo(self.owner, remote, request, self.now);
        self.sent_datagram(before);
    }
    fn send_frame(&mut self, frame: &[u8]) {
        self.stack.send_frame(self.owner, frame, self.now);
    }
    fn capture_frames(&mut self) {
        self.stack.capture_frames(self.owner);
    }
    fn suspend(&mut self) {
        self.stack.suspended_by = Some(self.owner);
    }
    fn meter(&mut self) -> &mut FlowMeter {
        self.recorder.flow(self.flow).expect("a program's flow is registered when the world is built")
    }
    fn point(&mut self, metric: Metric, now: Time, value: f64) {
        self.recorder.point(ObjectId { kind: Kind::Flow, index: self.flow.0 }, metric, now, value);
    }
}
