//! Receivers: accept all data and measure it.

use jettison_core::Time;
use jettison_measure::FlowMeter;

use crate::load::probe::ProbeHead;
use jettison_sockets::{Application, Datagram, SocketEvent, Sockets, TcpOptions};

/// Listens on a TCP port, reads everything and counts it as goodput.
#[derive(Debug, Clone)]
pub struct TcpSink {
    port: u16,
    options: TcpOptions,
}

impl TcpSink {
    /// Creates a sink on a port.
    pub fn new(port: u16, options: TcpOptions) -> TcpSink {
        TcpSink { port, options }
    }
}

impl Application for TcpSink {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.tcp_listen(self.port, &self.options);
    }

    fn handle_event(&mut self, event: SocketEvent, _: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Accepted { socket, .. } => host.count_goodput(socket),
            SocketEvent::Readable(socket) => while host.read(socket, u64::MAX).is_some() {},
            SocketEvent::PeerClosed(socket) => host.close(socket),
            _ => {}
        }
    }
}

/// Binds a UDP port; measures goodput, loss, one-way delay and jitter of probes.
#[derive(Debug, Clone)]
pub struct UdpSink {
    port: u16,
}

impl UdpSink {
    /// Creates a sink on a port.
    pub fn new(port: u16) -> UdpSink {
        UdpSink { port }
    }
}

impl Application for UdpSink {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.udp_bind(self.port);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        measure(&datagram, now, host.meter());
    }
}

/// Counts a datagram as goodput, and as a probe if it has a probe's head; returns the head. A copy of a probe that has
/// arrived is counted as one, and its head is not returned.
#[inline]
pub(crate) fn measure(datagram: &Datagram, now: Time, meter: &mut FlowMeter) -> Option<ProbeHead> {
    let head = ProbeHead::parse(datagram.head.as_slice());
    if head.is_some_and(|head| !meter.received(head.sequence, head.sent_at, now)) {
        return None;
    }
    meter.delivered(u64::from(datagram.length));
    head
}
