//! State of a program in the stack.

use jettison_sockets::SocketId;
use jettison_wire::FlowId;

use super::tcp_info::TcpInfo;

/// State of one program, with the program's index.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) flow: FlowId,
    pub(super) host: usize,
    /// Connection that the flow's series show.
    pub(super) observed: Option<SocketId>,
    /// Indices of its UDP sockets.
    pub(super) udp: Vec<u32>,
    /// Index of its ICMP echo socket, once opened.
    pub(super) echo: Option<u32>,
    /// Totals of closed connections.
    pub(super) totals: Totals,
    /// Totals at the start of the measurement.
    pub(super) before: Totals,
}

impl Owner {
    pub(super) fn new(flow: FlowId, host: usize) -> Owner {
        let (totals, before) = (Totals::default(), Totals::default());
        Owner { flow, host, observed: None, udp: Vec::new(), echo: None, totals, before }
    }
}

/// Totals over connections, closed ones included.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Totals {
    /// Connections that sent data.
    pub(super) senders: u64,
    pub(super) retransmits: u64,
    pub(super) timeouts: u64,
}

impl Totals {
    pub(super) fn add(&mut self, connection: &TcpInfo) {
        // A connection that only receives says nothing about the network.
        if connection.data_segments_sent > 0 {
            self.senders += 1;
            self.retransmits += connection.retransmits;
            self.timeouts += connection.timeouts;
        }
    }
}
