//! A call's receiver: feedback, requests for what is missing, frames, and the screen.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_measure::{Description, FlowMeter, FrameFate, FrameScore, Unit, UnitKind};
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};
use jettison_tcp::Endpoint;
use jettison_wire::{Ecn, InlineBytes};

use super::WebrtcParameters;
use super::frames::Frames;
use super::nack::NackList;
use super::packet::{Head, Kind, Part, captured_at, sent_at};
use super::parity::{ParityStore, Run};
use super::playout::Playout;
use super::reporter::Reporter;
use super::rtcp::{nack, pli};

/// Time between requests for retransmissions (WebRTC's).
const NACK_INTERVAL: Duration = Duration::from_millis(20);
/// A key frame is asked for if nothing could be decoded for the first time, of the first frame for the second (WebRTC's).
const LONGEST_WAIT: Duration = Duration::from_secs(3);
const LONGEST_FIRST_WAIT: Duration = Duration::from_millis(200);
/// Time between requests for key frames. Ours: the sender answers one per 300 ms.
const PLI_INTERVAL: Duration = Duration::from_millis(300);
/// Deadlines at which frames in time are counted, from capture to decoding; those of videos in messages.
const DEADLINES: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(300),
    Duration::from_millis(400),
];
/// The DSCP of a traffic class, without the ECN field.
const DSCP: u8 = 0xfc;

/// Where messages go.
#[derive(Debug, Clone, Copy)]
struct Peer {
    socket: SocketId,
    address: Endpoint,
    traffic_class: u8,
}

/// A frame that is to be rendered.
#[derive(Debug, Clone, Copy)]
struct Scheduled {
    at: Time,
    captured_at: Time,
    decoded_at: Time,
    first_packet: u64,
}

/// The receiver.
#[derive(Debug, Clone)]
pub(super) struct WebrtcReceiver {
    // Parameters.
    port: u16,
    interval: Duration,
    nacks: bool,
    // State.
    peer: Option<Peer>,
    reporter: Reporter,
    feedback_at: Option<Time>,
    missing: NackList,
    nack_at: Option<Time>,
    due: Vec<u64>,
    parity: ParityStore,
    frames: Frames,
    playout: Playout,
    scheduled: BTreeMap<u32, Scheduled>,
    /// The newest frame on the screen, and its time of capture.
    shown: Option<(u32, Time)>,
    /// First frame without a score.
    unscored: u32,
    decoded_at: Option<Time>,
    pli_at: Option<Time>,
    /// Messages sent so far.
    reports: u64,
}

impl WebrtcReceiver {
    /// Creates a receiver on a port.
    pub(super) fn new(parameters: &WebrtcParameters, port: u16) -> WebrtcReceiver {
        WebrtcReceiver {
            port,
            interval: parameters.feedback,
            nacks: parameters.nack,
            peer: None,
            reporter: Reporter::default(),
            feedback_at: None,
            missing: NackList::new(),
            nack_at: None,
            due: Vec::new(),
            parity: ParityStore::default(),
            frames: Frames::default(),
            playout: Playout::default(),
            scheduled: BTreeMap::new(),
            shown: None,
            unscored: 0,
            decoded_at: None,
            pli_at: None,
            reports: 0,
        }
    }

    fn send(&mut self, message: InlineBytes, host: &mut dyn Sockets) {
        let Some(peer) = self.peer else { return };
        let length = message.as_slice().len() as u16;
        host.describes(Description::new(Unit::new(UnitKind::Report, self.reports, 0), 0));
        self.reports += 1;
        let datagram = Datagram { head: message, length, traffic_class: peer.traffic_class };
        host.send_to(peer.socket, peer.address, &datagram);
    }

    /// Asks for a key frame, unless that was done just now.
    fn request_key(&mut self, now: Time, host: &mut dyn Sockets) {
        if self.pli_at.is_none_or(|at| now.since(at) >= PLI_INTERVAL) {
            self.pli_at = Some(now);
            self.send(pli(), host);
        }
    }

    /// A media packet, by whatever way: as sent, sent again, or rebuilt.
    fn take_part(&mut self, number: u64, part: Part, kind: Kind, now: Time, host: &mut dyn Sockets) {
        if kind == Kind::Media {
            if !self.missing.arrived(number, now) {
                self.request_key(now, host);
            }
        } else {
            self.missing.repaired(number, now, kind == Kind::Retransmission);
        }
        self.parity.media(number, part);
        let captured = captured_at(part.timestamp, now);
        if self.frames.add(number, part, captured, kind == Kind::Retransmission).is_some() {
            host.meter().delivered(u64::from(part.length));
            host.unit_part(Unit::new(UnitKind::Frame, u64::from(part.frame), 0), part.packets);
        }
    }

    fn handle_packet(&mut self, head: &Head, now: Time, host: &mut dyn Sockets) {
        match head.kind {
            Kind::Media => {
                let number = self.missing.extend(head.sequence);
                self.take_part(number, head.part, head.kind, now, host);
            }
            Kind::Retransmission => {
                let number = self.missing.extend(head.original);
                self.take_part(number, head.part, head.kind, now, host);
            }
            Kind::Parity => {
                let first = self.missing.extend(head.original);
                self.parity.parity(Run {
                    first,
                    count: head.count,
                    sum: head.part,
                    longest: head.part.length,
                });
            }
            Kind::Padding => {}
        }
        while let Some((number, part)) = self.parity.rebuilt() {
            self.take_part(number, part, Kind::Parity, now, host);
        }
        self.decode(now, host);
        if !self.nacks && self.frames.is_stuck() {
            self.request_key(now, host); // the reference cannot come any more
        }
        if self.nacks && !self.missing.is_empty() {
            self.nack_at.get_or_insert(now);
        }
    }

    fn decode(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(frame) = self.frames.take_decodable() {
            self.decoded_at = Some(now);
            host.meter().video().delivered(frame.frame, frame.captured_at, now);
            let at = self.playout.render_at(frame.captured_at, frame.is_repaired, now);
            let scheduled = Scheduled {
                at,
                captured_at: frame.captured_at,
                decoded_at: now,
                first_packet: frame.first_packet,
            };
            self.scheduled.insert(frame.frame, scheduled);
        }
    }

    fn render(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some((number, frame)) = self.scheduled.first_key_value().map(|(n, f)| (*n, *f))
            && frame.at <= now
        {
            self.scheduled.pop_first();
            if self.shown.is_some_and(|(shown, _)| number <= shown) {
                continue; // a newer one is on the screen
            }
            self.frames.forget_before(number);
            self.missing.forget_before(frame.first_packet);
            self.score(number, Some(frame), host.meter());
            self.shown = Some((number, frame.captured_at));
        }
    }

    /// Scores the frames up to `number`, of which the last one was rendered, if a time is given.
    fn score(&mut self, number: u32, rendered: Option<Scheduled>, meter: &mut FlowMeter) {
        let captured = rendered.map(|frame| frame.captured_at);
        let Some(last_captured) = captured.or(self.shown.map(|(_, at)| at)) else { return };
        // Frames that never came were captured at even distances between those that were shown.
        let (before, since) = self.shown.unwrap_or((0, last_captured));
        let steps = u64::from(number.saturating_sub(before)).max(1);
        let step = last_captured.since(since).as_nanos() / steps;
        for frame in self.unscored..=number {
            let captured_at = match rendered {
                Some(rendered) if frame == number => rendered.captured_at,
                _ => since.saturating_add(Duration::from_nanos(
                    step.saturating_mul(u64::from(frame.saturating_sub(before))),
                )),
            };
            let rendered = rendered.filter(|_| frame == number);
            let latency = rendered.map(|rendered| rendered.at.since(captured_at));
            let layers = u8::from(latency.is_some());
            // Nothing is known of the pictures.
            let (ssim_db, ssim) = (f64::NAN, f64::NAN);
            let score = FrameScore { frame, captured_at, layers, latency, ssim_db, ssim };
            meter.video().scored(score);
            // What playout adds is no part of it: a viewer with that deadline would not wait longer.
            let decoded = rendered.map(|rendered| rendered.decoded_at.since(captured_at));
            for deadline in DEADLINES {
                let layers = u8::from(decoded.is_some_and(|latency| latency <= deadline));
                meter.video().scored_at(deadline, &FrameScore { layers, ..score });
            }
            if let Some(events) = meter.events() {
                let deadline = events.limits().late_frame;
                let is_shown = latency.is_some();
                let fate =
                    FrameFate { frame, captured_at, deadline, decoded: latency, is_shown, layers, of: 1 };
                events.frame(fate);
            }
        }
        self.unscored = self.unscored.max(number.saturating_add(1));
    }

    fn report(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(message) = self.reporter.take(now) {
            self.send(message, host);
        }
        // Nothing decoded for long, although packets come.
        let wait = if self.frames.has_decoded() { LONGEST_WAIT } else { LONGEST_FIRST_WAIT };
        if self.decoded_at.is_some_and(|at| now.since(at) >= wait) {
            self.request_key(now, host);
        }
    }

    fn ask(&mut self, now: Time, host: &mut dyn Sockets) {
        let mut due = std::mem::take(&mut self.due);
        due.clear();
        self.missing.due(now, &mut due);
        let mut rest = due.as_slice();
        while !rest.is_empty() {
            let (message, asked) = nack(rest);
            self.send(message, host);
            rest = &rest[asked..];
        }
        self.due = due;
    }
}

impl Application for WebrtcReceiver {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.udp_bind(self.port);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { socket, from, datagram } = event else { return };
        let Some(head) = Head::parse(datagram.head.as_slice(), datagram.length) else { return };
        let ecn = match datagram.traffic_class & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        };
        self.peer = Some(Peer { socket, address: from, traffic_class: datagram.traffic_class & DSCP });
        self.decoded_at.get_or_insert(now);
        let number = self.reporter.arrived(head.transport, ecn, now);
        self.feedback_at.get_or_insert(now.saturating_add(self.interval));
        if host.meter().received(number, sent_at(head.sent, now), now) {
            self.handle_packet(&head, now, host);
        }
        self.render(now, host);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.render(now, host);
        if self.feedback_at.is_some_and(|at| at <= now) {
            self.report(now, host);
            self.feedback_at = None;
        }
        if self.nack_at.is_some_and(|at| at <= now) {
            self.ask(now, host);
            let again = now.saturating_add(NACK_INTERVAL);
            self.nack_at = (!self.missing.is_empty()).then_some(again);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        let render = self.scheduled.first_key_value().map(|(_, frame)| frame.at);
        [render, self.feedback_at, self.nack_at].into_iter().flatten().min()
    }

    fn finish(&mut self, _: Time, meter: &mut FlowMeter) {
        // What waits for its rendering was decoded: it is shown as it was to be. What came after it is not.
        while let Some((number, frame)) = self.scheduled.pop_first() {
            if self.shown.is_none_or(|(shown, _)| number > shown) {
                self.score(number, Some(frame), meter);
                self.shown = Some((number, frame.captured_at));
            }
        }
    }
}
