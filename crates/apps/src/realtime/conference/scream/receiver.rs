//! The receiver's half: it reports every packet (*Receiver Requirements on Feedback Intensity*).

use jettison_core::{Duration, Time};
use jettison_measure::{Description, Unit, UnitKind};
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};
use jettison_tcp::Endpoint;
use jettison_wire::Ecn;

use super::super::PacketHead;
use super::feedback::{MOST, Report};
use crate::load::sink::measure;

/// The longest time from a packet to the report of it ("40 ms has been tested with good results").
const INTERVAL: Duration = Duration::from_millis(40);
/// The DSCP of a traffic class, without the ECN field.
const DSCP: u8 = 0xfc;

/// Binds a UDP port, measures packets and frames, and reports.
#[derive(Debug, Clone)]
pub(in super::super) struct ScreamReceiver {
    port: u16,
    peer: Option<Peer>,
    /// Packets not yet reported, from number `first` on.
    first: u64,
    packets: [Option<(Time, Ecn)>; MOST],
    count: usize,
    due: Option<Time>,
    /// Reports sent so far.
    reports: u64,
}

/// Where reports go.
#[derive(Debug, Clone, Copy)]
struct Peer {
    socket: SocketId,
    address: Endpoint,
    traffic_class: u8,
}

impl ScreamReceiver {
    pub(in super::super) fn new(port: u16) -> ScreamReceiver {
        ScreamReceiver { port, peer: None, first: 0, packets: [None; MOST], count: 0, due: None, reports: 0 }
    }

    fn report(&mut self, now: Time, host: &mut dyn Sockets) {
        self.due = None;
        let (Some(peer), 1..) = (self.peer, self.count) else { return };
        let report = Report::new(self.first, &self.packets[..self.count], now);
        let datagram = Datagram {
            head: report.emit(),
            length: report.length() as u16,
            traffic_class: peer.traffic_class,
        };
        host.describes(Description::new(Unit::new(UnitKind::Report, self.reports, 0), 0));
        self.reports += 1;
        host.send_to(peer.socket, peer.address, &datagram);
        (self.packets, self.count) = ([None; MOST], 0);
    }

    /// Adds a packet; what does not fit into the same report goes first.
    fn add(&mut self, number: u64, ecn: Ecn, now: Time, host: &mut dyn Sockets) {
        let place = |first: u64| number.checked_sub(first).map(|place| place as usize);
        if self.count > 0 && place(self.first).is_none_or(|place| place >= MOST) {
            self.report(now, host);
        }
        if self.count == 0 {
            self.first = number;
        }
        let place = place(self.first).unwrap_or(0);
        self.packets[place] = Some((now, ecn));
        self.count = self.count.max(place + 1);
        self.due.get_or_insert(now.saturating_add(INTERVAL));
    }
}

impl Application for ScreamReceiver {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.udp_bind(self.port);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { socket, from, datagram } = event else { return };
        measure(&datagram, now, host.meter());
        let Some(head) = PacketHead::parse(datagram.head.as_slice()) else { return };
        host.meter().frame_part(head.part, head.probe.sent_at, now);
        host.unit_part(head.unit(), head.part.packets);
        let traffic_class = datagram.traffic_class & DSCP;
        self.peer = Some(Peer { socket, address: from, traffic_class });
        let ecn = match datagram.traffic_class & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        };
        self.add(head.probe.sequence, ecn, now, host);
        // A report at the end of each frame, and whenever it is full.
        if head.part.place + 1 == head.part.packets || self.count == MOST {
            self.report(now, host);
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        if self.due.is_some_and(|due| due <= now) {
            self.report(now, host);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.due
    }
}
