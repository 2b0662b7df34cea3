//! The sender: an encoder that follows the target bitrate, a queue, and the pacer (*Sender Transmission Control*).

use std::collections::VecDeque;

use jettison_core::{Duration, RandomStream, Time};
use jettison_measure::{Component, Description, FramePart, Unit, UnitKind, metrics};
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};
use jettison_tcp::Endpoint;

use super::super::sender::FrameSizes;
use super::super::{ConferenceParameters, PacketHead};
use super::feedback::Report;
use super::{Marking, Scream};
use crate::load::cbr::Gap;
use crate::load::probe::ProbeHead;

/// Frames are skipped while a packet has waited for longer than this in the sender's queue. The draft leaves it to the application
/// what to do there (*Media Rate Control*); the time is our choice.
const PATIENCE: Duration = Duration::from_millis(200);

/// A packet of a frame, which was made at an instant.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    part: FramePart,
    /// Place of its first byte in the frame.
    offset: u64,
    length: u16,
    made_at: Time,
}

/// Makes frames of the size that the target bitrate allows, and sends their packets as window and pacer permit.
#[derive(Debug, Clone)]
pub(in super::super) struct ScreamSender {
    // Parameters.
    remote: Endpoint,
    traffic_class: u8,
    packet: u64,
    // State.
    sizes: FrameSizes,
    gap: Gap,
    scream: Scream,
    queue: VecDeque<Waiting>,
    socket: Option<SocketId>,
    sequence: u64,
    frame: u32,
    next_frame: Option<Time>,
    /// When the pacer lets the next packet go.
    next_packet: Time,
}

impl ScreamSender {
    /// Creates a sender to `remote`. The registry has validated the parameters.
    pub(in super::super) fn new(
        parameters: &ConferenceParameters,
        remote: Endpoint,
        traffic_class: u8,
        sizes: RandomStream,
    ) -> ScreamSender {
        let (sizes, gap) = FrameSizes::new(parameters, sizes);
        ScreamSender {
            remote,
            traffic_class,
            packet: parameters.packet.get(),
            sizes,
            gap,
            scream: Scream::new(parameters, Marking::of(traffic_class)),
            queue: VecDeque::new(),
            socket: None,
            sequence: 0,
            frame: 0,
            next_frame: None,
            next_packet: Time::ZERO,
        }
    }

    fn make_frame(&mut self, now: Time, host: &mut dyn Sockets) {
        let target = self.scream.target();
        host.point(metrics::SEND_RATE, now, target.as_mbit_f64());
        let size = self.sizes.draw(target);
        let waiting = self.queue.front().map_or(Duration::ZERO, |oldest| now.since(oldest.made_at));
        self.scream.on_frame(waiting, size);
        if waiting > PATIENCE {
            return;
        }
        let packets = size.div_ceil(self.packet);
        let (each, over) = (size / packets, size % packets);
        host.meter().frame_sent(self.frame, now);
        host.unit_began(Unit::new(UnitKind::Frame, u64::from(self.frame), 0), now);
        for place in 0..packets {
            let part = FramePart { frame: self.frame, place: place as u16, packets: packets as u16 };
            let length = (each + u64::from(place < over)) as u16;
            let offset = each * place + place.min(over);
            self.queue.push_back(Waiting { part, offset, length, made_at: now });
        }
        self.frame = self.frame.wrapping_add(1);
    }

    fn send(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(socket) = self.socket else { return };
        while self.next_packet <= now
            && let Some(next) = self.queue.front().copied()
            && self.scream.may_send(next.length.into())
        {
            self.queue.pop_front();
            let probe = ProbeHead { sequence: self.sequence, sent_at: next.made_at };
            self.scream.on_sent(self.sequence, next.length.into(), now);
            self.sequence += 1;
            let datagram = Datagram {
                head: PacketHead { probe, part: next.part }.emit(),
                length: next.length,
                traffic_class: self.traffic_class,
            };
            host.meter().sent();
            let unit = Unit::new(UnitKind::Frame, u64::from(next.part.frame), 0);
            host.describes(Description::new(unit, next.offset));
            host.send_to(socket, self.remote, &datagram);
            self.next_packet = now.saturating_add(self.scream.gap(next.length.into()));
        }
        if host.has_accounts() {
            let limit = match self.queue.front() {
                None => Component::Application,
                Some(next) if self.scream.may_send(next.length.into()) => Component::Pacing,
                Some(_) => Component::Window,
            };
            host.limited(socket, limit);
        }
    }
}

impl Application for ScreamSender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(0));
        self.next_frame = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        let Some(report) = Report::parse(datagram.head.as_slice()).filter(|_| self.next_frame.is_some())
        else {
            return;
        };
        self.scream.on_report(&report, now);
        self.send(now, host);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next_frame.filter(|at| *at <= now) {
            self.make_frame(now, host);
            self.next_frame = Some(at + self.gap.advance());
        }
        if self.scream.deadline().is_some_and(|deadline| deadline <= now) {
            self.scream.on_silence(now);
        }
        self.send(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        let frame = self.next_frame?;
        // A packet that the window holds back waits for a report.
        let is_ready = self.queue.front().is_some_and(|next| self.scream.may_send(next.length.into()));
        let packet = is_ready.then_some(self.next_packet);
        [Some(frame), packet, self.scream.deadline()].into_iter().flatten().min()
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next_frame = None;
        self.queue.clear();
    }
}
