//! Conference receiver: measures frames, and reports to a sender that adapts.

use jettison_core::{Duration, Time};
use jettison_measure::{Description, Unit, UnitKind};
use jettison_tcp::Endpoint;

use super::report::Reception;
use super::{Adapt, ConferenceParameters, PacketHead, ReceiverReport};
use crate::load::sink::measure;
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};

/// The DSCP of a traffic class, without the ECN field.
const DSCP: u8 = 0xfc;

/// Binds a UDP port; measures probes as a sink does, and frames.
#[derive(Debug, Clone)]
pub struct ConferenceReceiver {
    port: u16,
    /// Interval of reports, if the sender adapts.
    interval: Option<Duration>,
    reporter: Option<Reporter>,
}

/// Sends reports at a fixed interval, from the first packet on.
#[derive(Debug, Clone)]
struct Reporter {
    socket: SocketId,
    /// Source of the packets.
    to: Endpoint,
    traffic_class: u8,
    reception: Reception,
    next: Time,
    /// Reports sent so far.
    reports: u64,
}

impl ConferenceReceiver {
    /// Creates a receiver on a port.
    pub fn new(parameters: &ConferenceParameters, port: u16) -> ConferenceReceiver {
        let interval = (parameters.adapt != Adapt::None).then_some(parameters.report);
        ConferenceReceiver { port, interval, reporter: None }
    }
}

impl Application for ConferenceReceiver {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.udp_bind(self.port);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { socket, from, datagram } = event else { return };
        let meter = host.meter();
        if measure(&datagram, now, meter).is_none() {
            return; // a copy
        }
        let Some(head) = PacketHead::parse(datagram.head.as_slice()) else { return };
        meter.frame_part(head.part, head.probe.sent_at, now);
        host.unit_part(head.unit(), head.part.packets);
        if let Some(interval) = self.interval {
            let sequence = head.probe.sequence;
            let reporter = self.reporter.get_or_insert_with(|| Reporter {
                socket,
                to: from,
                traffic_class: datagram.traffic_class & DSCP,
                reception: Reception::begin(sequence),
                next: now + interval,
                reports: 0,
            });
            reporter.reception.count(sequence);
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        let (Some(interval), Some(reporter)) = (self.interval, &mut self.reporter) else { return };
        while reporter.next <= now {
            reporter.next += interval;
            let Some(report) = reporter.reception.report(host.meter().jitter()) else { continue };
            let datagram = Datagram {
                head: report.emit(),
                length: ReceiverReport::LENGTH as u16,
                traffic_class: reporter.traffic_class,
            };
            host.describes(Description::new(Unit::new(UnitKind::Report, reporter.reports, 0), 0));
            reporter.reports += 1;
            host.send_to(reporter.socket, reporter.to, &datagram);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.reporter.as_ref().map(|reporter| reporter.next)
    }
}
