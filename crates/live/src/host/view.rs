//! Socket interface of one program.

use jettison_core::Time;
use jettison_measure::{Component, Description, FlowMeter, Kind, Metric, ObjectId, Recorder, Unit};
use jettison_sockets::{Datagram, EchoRequest, SocketId, Sockets, TcpOptions};
use jettison_tcp::PathEstimate;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, FlowId};

use super::stack::Stack;
use super::tcp::TcpSocket;
use super::witness::end;

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
        if self.stack.witness.is_some() {
            let edge = self.stack.connection(socket).map_or(0, TcpSocket::taken);
            if let Some(witness) = &mut self.stack.witness {
                witness.told.read(socket.0, edge, self.now);
            }
        }
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
        if self.stack.witness.is_some()
            && let Some(local) = self.stack.datagram_end(socket)
            && let Some(witness) = &mut self.stack.witness
        {
            witness.sends(local, remote, datagram, self.flow, self.now);
        }
        self.stack.send_to(socket, remote, datagram);
    }
    fn carries(&mut self, socket: SocketId, unit: Unit, bytes: u64) {
        let Some(mut witness) = self.stack.witness.take() else { return };
        // A unit of the same name that has ended makes room.
        witness.end_units(self.flow, self.recorder, false, self.now);
        if let Some(connection) = self.stack.connection(socket) {
            witness.carries(socket, connection, unit.of(self.flow), bytes, self.now);
        }
        self.stack.witness = Some(witness);
    }
    fn asked(&mut self, socket: SocketId) -> Option<Unit> {
        self.stack.witness.as_ref()?.told.asked(socket.0)
    }
    fn describes(&mut self, description: Description) {
        if let Some(witness) = &mut self.stack.witness {
            witness.told.describe(description);
        }
    }
    fn has_accounts(&self) -> bool {
        self.stack.witness.is_some()
    }
    fn unit_began(&mut self, unit: Unit, at: Time) {
        if let Some(witness) = &mut self.stack.witness {
            witness.told.began(unit.of(self.flow), at, self.now);
        }
    }
    fn unit_complete(&mut self, unit: Unit) {
        if let Some(witness) = &mut self.stack.witness {
            witness.told.complete(unit.of(self.flow), self.now);
        }
    }
    fn unit_part(&mut self, unit: Unit, of: u16) {
        if let Some(witness) = &mut self.stack.witness {
            witness.told.part(unit.of(self.flow), of, self.now);
        }
    }
    fn limited(&mut self, socket: SocketId, by: Component) {
        let local = self.stack.datagram_end(socket);
        if let (Some(witness), Some(local)) = (&mut self.stack.witness, local) {
            witness.told.limited(end(local), by, self.now);
        }
    }
    fn reduced(&mut self, socket: SocketId, lost: u64) {
        let local = self.stack.datagram_end(socket);
        if let (Some(witness), Some(local)) = (&mut self.stack.witness, local) {
            witness.told.reduced(end(local), self.flow, lost, self.now);
        }
    }
    fn device_backlog(&self, _: Address) -> u64 {
        self.stack.device_backlog(self.owner)
    }
    fn send_echo(&mut self, remote: Address, request: &EchoRequest) {
        // The far kernel answers: nobody there tells what it carried.
        if let Some(witness) = &mut self.stack.witness {
            witness.told.passes();
        }
        self.stack.send_echo(self.owner, remote, request, self.now);
    }
    fn meter(&mut self) -> &mut FlowMeter {
        self.recorder.flow(self.flow).expect("a program's flow is registered before the hosts are built")
    }
    fn point(&mut self, metric: Metric, now: Time, value: f64) {
        self.recorder.point(ObjectId { kind: Kind::Flow, index: self.flow.0 }, metric, now, value);
    }
}
