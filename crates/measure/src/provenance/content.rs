//! What a packet carries.

use super::Unit;
use crate::Component;

/// What a packet carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Content {
    /// The unit of its first byte; `None` if its application names none.
    pub unit: Option<Unit>,
    /// Place of its first byte: in the connection's stream for TCP, in the unit for datagrams.
    pub offset: u64,
    /// Bytes of the stream or of the unit.
    pub length: u32,
    /// Whether these bytes have been sent before.
    pub retransmission: bool,
    /// Id of the packet that carried them before, if this is a retransmission and that packet is known.
    pub previous: Option<u32>,
}

/// What the next datagram carries, as its application describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// The unit.
    pub unit: Unit,
    /// Place of the datagram's first byte in the unit.
    pub offset: u64,
    /// The packet that carried these bytes before, by the number that its transport gave it
    /// ([`Description::number`]); `None` for the first transmission.
    pub repeats: Option<u64>,
    /// The transport's number of this packet; `None` if the transport repeats nothing.
    pub number: Option<u64>,
    /// Why these bytes are sent again; `None` for the first transmission.
    pub repair: Option<Component>,
}

impl Description {
    /// A datagram that carries the unit from `offset` on, of a transport that repeats nothing.
    pub const fn new(unit: Unit, offset: u64) -> Description {
        Description { unit, offset, repeats: None, number: None, repair: None }
    }
}
