//! What the stack knows of a program.

use jettison_sockets::SocketId;
use jettison_wire::FlowId;

use super::tcp_info::TcpInfo;

/// A program, by its place in the list.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) flow: FlowId,
    pub(super) host: usize,
    /// The connection that the flow's series show.
    pub(super) observed: Option<SocketId>,
    /// Its UDP sockets.
    pub(super) udp: Vec<u32>,
    /// Its socket for ICMP echo, once it has one.
    pub(super) echo: Option<u32>,
    /// Of connections that are gone.
    pub(super) totals: Totals,
    /// All of them when measuring began.
    pub(super) before: Totals,
}

impl Owner {
    pub(super) fn new(flow: FlowId, host: usize) -> Owner {
        let (totals, before) = (Totals::default(), Totals::default());
        Owner { flow, host, observed: None, udp: Vec::new(), echo: None, totals, before }
    }
}

/// What connections did, those that are gone included.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Totals {
    /// Connections that sent data.
    pub(super) senders: u64,
    pub(super) retransmits: u64,
    pub(super) timeouts: u64,
}

impl Totals {
    pub(super) fn add(&mut self, connection: &TcpInfo) {
        // A pure receiver's connection says nothing about the network.
        if connection.data_segments_sent > 0 {
            self.senders += 1;
            self.retransmits += connection.retransmits;
            self.timeouts += connection.timeouts;
        }
    }
}
