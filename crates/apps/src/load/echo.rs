//! Echo requests over UDP: a program sends numbered, timestamped datagrams, another returns them.

use jettison_core::{Duration, Time};
use jettison_measure::{Description, Unit, UnitKind, metrics};

use super::probe::{ProbeHead, ProbeSender};
use jettison_sockets::{Application, Datagram, SocketEvent, Sockets};

/// Sends requests at an interval and records the round-trip times.
#[derive(Debug, Clone)]
pub(crate) struct UdpPing {
    sender: ProbeSender,
    interval: Duration,
    left: u64,
    next: Option<Time>,
}

impl UdpPing {
    pub(crate) fn new(sender: ProbeSender, interval: Duration, count: Option<u64>) -> UdpPing {
        UdpPing { sender: sender.of(UnitKind::Echo), interval, left: count.unwrap_or(u64::MAX), next: None }
    }
}

impl Application for UdpPing {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        host.meter().carries_no_data();
        self.sender.open(host);
        self.next = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        let Some(head) = ProbeHead::parse(datagram.head.as_slice()) else { return };
        if !host.meter().echo_received(head.sequence) {
            return; // a copy
        }
        let rtt = now.since(head.sent_at);
        host.meter().round_trip(rtt);
        host.point(metrics::RTT, now, rtt.as_nanos() as f64 / 1e6);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            if self.left == 0 {
                self.next = None;
                return;
            }
            self.left -= 1;
            self.sender.send(now, host);
            self.next = Some(at + self.interval);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}

/// Returns every datagram to its sender, with the traffic class of the request.
#[derive(Debug, Clone)]
pub(crate) struct UdpEcho {
    port: u16,
}

impl UdpEcho {
    pub(crate) fn new(port: u16) -> UdpEcho {
        UdpEcho { port }
    }
}

impl Application for UdpEcho {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.udp_bind(self.port);
    }

    fn handle_event(&mut self, event: SocketEvent, _: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { socket, from, datagram } = event else { return };
        // The reply is not marked CE: a mark concerns the way of the request.
        let traffic_class = datagram.traffic_class & !3;
        if let Some(head) = ProbeHead::parse(datagram.head.as_slice()) {
            host.describes(Description::new(Unit::new(UnitKind::Echo, head.sequence, 0), 0));
        }
        host.send_to(socket, from, &Datagram { traffic_class, ..datagram });
    }
}
