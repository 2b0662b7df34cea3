//! What the applications tell of their units, for the accounts of delays.

use jettison_core::Time;
use jettison_measure::wire::{DatagramKey, Told};
use jettison_measure::{Recorder, Unit};
use jettison_sockets::{Datagram, SocketId};
use jettison_tcp::Endpoint;
use jettison_wire::{Address, FlowId};

use super::tcp::TcpSocket;
use crate::LiveClock;

/// Takes what applications tell. It exists only in runs with accounts.
#[derive(Debug)]
pub(super) struct Witness {
    pub(super) told: Told,
    clock: LiveClock,
}

impl Witness {
    pub(super) fn new(told: Told, clock: LiveClock) -> Witness {
        Witness { told, clock }
    }

    /// A connection has its ends.
    pub(super) fn opened(&mut self, id: SocketId, connection: &TcpSocket, connects: bool) {
        if let Some([own, peer]) = connection.ends() {
            self.told.opened(id.0, end(own), end(peer), connects, self.clock.now());
        }
    }

    pub(super) fn connected(&mut self, id: SocketId) {
        self.told.connected(id.0, self.clock.now());
    }

    pub(super) fn closed(&mut self, id: SocketId) {
        self.told.closed(id.0, self.clock.now());
    }

    /// The next bytes of a connection belong to a unit.
    pub(super) fn carries(
        &mut self,
        id: SocketId,
        connection: &TcpSocket,
        unit: Unit,
        bytes: u64,
        now: Time,
    ) {
        self.told.carries(id.0, unit, bytes, connection.written(), now);
    }

    /// A program sends a datagram.
    pub(super) fn sends(
        &mut self,
        local: Endpoint,
        remote: Endpoint,
        datagram: &Datagram,
        flow: FlowId,
        now: Time,
    ) {
        self.told.sends(key(local, remote, datagram), end(local), flow, now);
    }

    /// A program handles a datagram.
    pub(super) fn receives(&mut self, from: Endpoint, local: Endpoint, datagram: &Datagram, now: Time) {
        self.told.receives(key(from, local, datagram), now);
    }

    /// Takes the ends of units that a flow's programs have told since the last call.
    #[inline]
    pub(super) fn end_units(&mut self, flow: FlowId, recorder: &mut Recorder, is_over: bool, now: Time) {
        let ended = recorder.take_ended(flow);
        self.told.ended(flow, ended, is_over, now);
    }
}

/// An endpoint, as packets have it.
pub(super) fn end(endpoint: Endpoint) -> (Address, u16) {
    (endpoint.address, endpoint.port)
}

fn key(from: Endpoint, to: Endpoint, datagram: &Datagram) -> DatagramKey {
    DatagramKey::of(end(from), end(to), datagram.head.as_slice(), datagram.length)
}
