//! What applications at both ends tell of their units, with the times of their own calls.

use jettison_core::Time;
use jettison_wire::{Address, FlowId};
use rustc_hash::FxHashMap;

use super::{DatagramKey, Tells};
use crate::accounts::Ending;
use crate::{Component, Description, Endings, Unit};

/// Entries of a piece. Pieces are never copied: that would hold up the applications.
const PIECE: usize = 1 << 12;

/// Address and port.
type End = (Address, u16);

/// What an application tells. Sockets are those of the hosts, by numbers that are not used again.
#[derive(Debug, Clone)]
pub(super) enum Tale {
    /// A connection has its ends: its own and its peer's. It `connects`, or was accepted.
    Opened { socket: u64, connects: bool },
    /// A connection is established.
    Connected(u64),
    /// The next bytes that are written to a connection, beyond the `written` ones, belong to a unit.
    Carries { socket: u64, unit: Unit, bytes: u64, written: u64 },
    /// All bytes before `edge` have been read from a connection.
    Read { socket: u64, edge: u64 },
    /// A connection has ended for its application.
    Closed(u64),
    /// An application sends a datagram from a socket.
    Sends { key: DatagramKey, sender: End, flow: FlowId, description: Description },
    /// An application handles a datagram.
    Receives(DatagramKey),
    /// It has handled the datagram.
    Handled,
    /// The delay of a unit began at an instant.
    Began(Unit, Time),
    /// The datagram in hand completed a unit.
    Complete(Unit),
    /// The datagram in hand is one of so many of a unit.
    Part(Unit, u16),
    /// What holds back the datagrams of a socket from now on.
    Limited(End, Component),
    /// The sender of a socket's datagrams reduced its window for the loss of the one with this number.
    Reduced(End, FlowId, u64),
    /// Units of a flow ended; at the end of the run, if `is_over`.
    Ended { flow: FlowId, endings: Vec<Ending>, is_over: bool },
}

/// What applications tell of their units during a run.
#[derive(Debug, Default)]
pub struct Told {
    pieces: Vec<Vec<(Time, Tale)>>,
    /// Ends of connections: their own and their peers'.
    pub(super) ends: FxHashMap<u64, [End; 2]>,
    /// The newest connection with these ends.
    sockets: FxHashMap<[End; 2], u64>,
    /// What each connection's application described last.
    described: FxHashMap<u64, Unit>,
    next: Option<Description>,
    tells: Tells,
}

impl Told {
    /// Nothing so far, of a run with so many flows.
    pub(crate) fn of(flows: usize) -> Told {
        Told { tells: Tells::of(flows), ..Told::default() }
    }

    /// The flows that tell, for the router.
    pub fn tells(&self) -> Tells {
        self.tells.clone()
    }

    fn push(&mut self, now: Time, tale: Tale) {
        if self.pieces.last().is_none_or(|piece| piece.len() == PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push((now, tale));
        }
    }

    /// All entries, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Time, Tale)> {
        self.pieces.iter().flatten()
    }

    // ---- connections -----------------------------------------------------------------------------------------

    /// A connection has its ends. It `connects`, or was accepted.
    pub fn opened(&mut self, socket: u64, own: End, peer: End, connects: bool, now: Time) {
        self.ends.insert(socket, [own, peer]);
        self.sockets.insert([own, peer], socket);
        self.push(now, Tale::Opened { socket, connects });
    }

    /// A connection is established.
    pub fn connected(&mut self, socket: u64, now: Time) {
        self.push(now, Tale::Connected(socket));
    }

    /// The next `bytes` bytes of a connection, beyond the `written` ones and those described before, belong to `unit`.
    pub fn carries(&mut self, socket: u64, unit: Unit, bytes: u64, written: u64, now: Time) {
        self.tells.set(unit.flow);
        self.described.insert(socket, unit);
        self.push(now, Tale::Carries { socket, unit, bytes, written });
    }

    /// What the application at the other end of a connection described last, if it is one of this run.
    pub fn asked(&self, socket: u64) -> Option<Unit> {
        let [own, peer] = *self.ends.get(&socket)?;
        self.described.get(self.sockets.get(&[peer, own])?).copied()
    }

    /// All bytes before `edge` have been read from a connection.
    pub fn read(&mut self, socket: u64, edge: u64, now: Time) {
        self.push(now, Tale::Read { socket, edge });
    }

    /// A connection has ended for its application.
    pub fn closed(&mut self, socket: u64, now: Time) {
        self.push(now, Tale::Closed(socket));
    }

    // ---- datagrams -------------------------------------------------------------------------------------------

    /// The next datagram carries this.
    pub fn describe(&mut self, description: Description) {
        self.next = Some(description);
    }

    /// The next datagram, if it was described, is this one.
    pub fn sends(&mut self, key: DatagramKey, sender: End, flow: FlowId, now: Time) {
        if let Some(description) = self.next.take() {
            self.tells.set(flow);
            self.push(now, Tale::Sends { key, sender, flow, description });
        }
    }

    /// The next datagram has no account.
    pub fn passes(&mut self) {
        self.next = None;
    }

    /// An application handles a datagram.
    pub fn receives(&mut self, key: DatagramKey, now: Time) {
        self.push(now, Tale::Receives(key));
    }

    /// It has handled the datagram.
    pub fn handled(&mut self, now: Time) {
        self.push(now, Tale::Handled);
    }

    /// What holds back the datagrams of a socket from now on.
    pub fn limited(&mut self, sender: End, by: Component, now: Time) {
        self.push(now, Tale::Limited(sender, by));
    }

    /// The sender of a socket's datagrams reduced its window for the loss of the one with this number.
    pub fn reduced(&mut self, sender: End, flow: FlowId, lost: u64, now: Time) {
        self.push(now, Tale::Reduced(sender, flow, lost));
    }

    // ---- units -----------------------------------------------------------------------------------------------

    /// The delay of a unit began at `at`.
    pub fn began(&mut self, unit: Unit, at: Time, now: Time) {
        self.push(now, Tale::Began(unit, at));
    }

    /// The datagram in hand completed a unit.
    pub fn complete(&mut self, unit: Unit, now: Time) {
        self.push(now, Tale::Complete(unit));
    }

    /// The datagram in hand is one of the `of` datagrams of a unit.
    pub fn part(&mut self, unit: Unit, of: u16, now: Time) {
        self.push(now, Tale::Part(unit, of));
    }

    /// Units of a flow ended; at the end of the run, if `is_over`.
    pub fn ended(&mut self, flow: FlowId, endings: Endings, is_over: bool, now: Time) {
        if !endings.0.is_empty() || is_over {
            self.push(now, Tale::Ended { flow, endings: endings.0, is_over });
        }
    }
}
