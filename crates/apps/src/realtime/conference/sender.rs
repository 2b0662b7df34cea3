//! Conference sender: generates frames and sends them.

use core::f64::consts::TAU;

use jettison_core::{RandomStream, Rate, Time};
use jettison_measure::{Description, FramePart, Unit, UnitKind, metrics};
use jettison_tcp::Endpoint;

use super::adaptation::RateControl;
use super::{CUT, ConferenceParameters, PacketHead, ReceiverReport};
use crate::load::cbr::Gap;
use crate::load::probe::ProbeHead;
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};

/// Sends one frame at a time, its packets back to back.
#[derive(Debug, Clone)]
pub struct ConferenceSender {
    // Parameters.
    remote: Endpoint,
    traffic_class: u8,
    packet: u64,
    rate: Rate,
    // State.
    sizes: FrameSizes,
    control: Option<RateControl>,
    gap: Gap,
    socket: Option<SocketId>,
    sequence: u64,
    frame: u32,
    next: Option<Time>,
}

impl ConferenceSender {
    /// Creates a sender to `remote`. The registry has validated the parameters.
    pub fn new(
        parameters: &ConferenceParameters,
        remote: Endpoint,
        traffic_class: u8,
        sizes: RandomStream,
    ) -> ConferenceSender {
        let (sizes, gap) = FrameSizes::new(parameters, sizes);
        ConferenceSender {
            remote,
            traffic_class,
            packet: parameters.packet.get(),
            rate: parameters.rate,
            sizes,
            control: RateControl::new(parameters),
            gap,
            socket: None,
            sequence: 0,
            frame: 0,
            next: None,
        }
    }

    fn send_frame(&mut self, socket: SocketId, now: Time, host: &mut dyn Sockets) {
        let rate = self.control.as_ref().map_or(self.rate, RateControl::rate);
        let size = self.sizes.draw(rate);
        let packets = size.div_ceil(self.packet);
        // Divide evenly: the first packets get the remainder.
        let (each, over) = (size / packets, size % packets);
        let (unit, mut offset) = (Unit::new(UnitKind::Frame, u64::from(self.frame), 0), 0);
        host.meter().frame_sent(self.frame, now);
        for place in 0..packets {
            let probe = ProbeHead { sequence: self.sequence, sent_at: now };
            let part = FramePart { frame: self.frame, place: place as u16, packets: packets as u16 };
            self.sequence += 1;
            let datagram = Datagram {
                head: PacketHead { probe, part }.emit(),
                length: (each + u64::from(place < over)) as u16,
                traffic_class: self.traffic_class,
            };
            host.meter().sent();
            host.describes(Description::new(unit, offset));
            offset += u64::from(datagram.length);
            host.send_to(socket, self.remote, &datagram);
        }
        self.frame = self.frame.wrapping_add(1);
    }
}

impl Application for ConferenceSender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(0));
        self.next = Some(now);
        if let Some(control) = &mut self.control {
            control.start(now);
            host.point(metrics::SEND_RATE, now, control.rate().as_mbit_f64());
        }
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        let Some(control) = self.control.as_mut().filter(|_| self.next.is_some()) else { return };
        let Some(report) = ReceiverReport::parse(datagram.head.as_slice()) else { return };
        control.handle_report(&report, now);
        host.point(metrics::SEND_RATE, now, control.rate().as_mbit_f64());
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let (Some(socket), Some(at)) = (self.socket, self.next.filter(|at| *at <= now)) {
            self.send_frame(socket, now, host);
            self.next = Some(at + self.gap.advance());
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}

/// Draws frame sizes in whole bytes. Rounding errors are carried over, so that the rate is exact on average.
#[derive(Debug, Clone)]
pub(super) struct FrameSizes {
    frame_rate: f64,
    spread: f64,
    random: RandomStream,
    owed: f64,
}

impl FrameSizes {
    /// The sizes of frames, and the interval between them.
    pub(super) fn new(parameters: &ConferenceParameters, random: RandomStream) -> (FrameSizes, Gap) {
        // Frame rates have a resolution of a thousandth, in sizes and in intervals.
        let frame_rate = libm::round(parameters.frame_rate * 1e3) / 1e3;
        let sizes = FrameSizes { frame_rate, spread: parameters.frame_spread, random, owed: 0.0 };
        (sizes, Gap::of_frequency(frame_rate))
    }

    /// The size of the next frame at a bitrate.
    pub(super) fn draw(&mut self, rate: Rate) -> u64 {
        let mean = rate.as_bits() as f64 / 8.0 / self.frame_rate;
        let size = mean * (1.0 + self.spread * self.deviation()) + self.owed;
        let whole = libm::floor(size).max(PacketHead::LENGTH as f64);
        // A frame at its minimum size carries no rounding error over.
        self.owed = (size - whole).max(0.0);
        whole as u64
    }

    /// Draws a standard normal number (Box & Muller 1958), truncated at [`CUT`] by rejection.
    fn deviation(&mut self) -> f64 {
        if self.spread == 0.0 {
            return 0.0;
        }
        loop {
            let radius = libm::sqrt(-2.0 * libm::log1p(-self.random.unit()));
            let deviation = radius * libm::cos(TAU * self.random.unit());
            if deviation.abs() <= CUT {
                return deviation;
            }
        }
    }
}
