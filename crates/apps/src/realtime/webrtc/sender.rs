//! A call's sender: camera and encoder, packets, pacer, and what the receiver's messages make it do.

use std::collections::VecDeque;

use jettison_core::{Duration, Gauges, RandomStream, Rate, Time};
use jettison_measure::{Description, Unit, UnitKind, metrics};
use jettison_messages::gcc::{EncoderTarget, Estimator, Pacer, PacketResult};
use jettison_sockets::{Application, Datagram, SocketEvent, SocketId, Sockets};
use jettison_tcp::Endpoint;

use super::WebrtcParameters;
use super::adjuster::Adjuster;
use super::encoder::{Encoder, Smallest};
use super::feedback::Feedback;
use super::labels::{Labeller, Obsolete};
use super::layers::Layers;
use super::noise::Noise;
use super::packet::{Head, Kind, Part, extend, send_time, timestamp};
use super::parity::{ParityMaker, Run, overhead};
use super::quality::{Picture, QualityScaler};
use super::rtcp::{is_pli, nacked};
use super::send_clock::SendClock;
use super::sent::{History, InFlightPackets, MediaPacket, RepairLimit};
use crate::load::cbr::Gap;

/// Least time between key frames that were asked for (WebRTC's).
const KEY_INTERVAL: Duration = Duration::from_millis(300);
/// Weight of a feedback's losses, and of a round trip.
const LOSS_WEIGHT: f64 = 0.1;
const RTT_WEIGHT: f64 = 0.125;
/// Round-trip time before one was measured.
const FIRST_RTT: Duration = Duration::from_millis(100);
/// Heads of IPv4 and UDP in bytes, which GCC and the pacer count, too (WebRTC's).
const LOWER: u64 = 28;
/// Messages of one report arrive within this time of each other. Ours: a modelled datagram holds a part of a report, and WebRTC takes
/// each report at once.
const ONE_REPORT: Duration = Duration::from_millis(1);
/// Time over which the bitrate of retransmissions is taken.
const REPAIR_WINDOW: f64 = 1.0;

/// A packet that waits for the pacer.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    Media { part: Part, offset: u64, layer: u8 },
    Again(MediaPacket),
    Parity(Run),
}

impl Waiting {
    fn length(&self) -> u16 {
        match self {
            Waiting::Media { part, .. } => part.length,
            // RFC 4588 §4: the original number in two more bytes.
            Waiting::Again(packet) => packet.part.length.saturating_add(2),
            Waiting::Parity(run) => run.longest,
        }
    }
}

/// Bytes of a UDP payload in the network.
fn wire(length: u16) -> u64 {
    u64::from(length) + LOWER
}

/// Packets that wait for the pacer, in their order, with the times since when.
#[derive(Debug, Clone, Default)]
struct PacerQueue {
    /// Retransmissions go first.
    urgent: VecDeque<(Time, Waiting)>,
    others: VecDeque<(Time, Waiting)>,
    bytes: u64,
    /// Sum of the times, in nanoseconds.
    since: u128,
}

impl PacerQueue {
    fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.others.is_empty()
    }

    fn add(&mut self, waiting: &Waiting, now: Time) {
        self.bytes += wire(waiting.length());
        self.since += u128::from(now.as_nanos());
    }

    fn push_urgent(&mut self, waiting: Waiting, now: Time) {
        self.add(&waiting, now);
        self.urgent.push_back((now, waiting));
    }

    fn push(&mut self, waiting: Waiting, now: Time) {
        self.add(&waiting, now);
        self.others.push_back((now, waiting));
    }

    fn push_next(&mut self, waiting: Waiting, now: Time) {
        self.add(&waiting, now);
        self.others.push_front((now, waiting));
    }

    fn pop(&mut self) -> Option<Waiting> {
        let (since, waiting) = self.urgent.pop_front().or_else(|| self.others.pop_front())?;
        self.bytes -= wire(waiting.length());
        self.since -= u128::from(since.as_nanos());
        Some(waiting)
    }

    /// For how long its packets have waited in the mean.
    fn mean_wait(&self, now: Time) -> Duration {
        let count = (self.urgent.len() + self.others.len()) as u128;
        let mean = self.since.checked_div(count).map_or(now.as_nanos(), |mean| mean as u64);
        now.since(Time::from_nanos(mean))
    }
}

/// The sender.
#[derive(Debug, Clone)]
pub(super) struct WebrtcSender {
    // Parameters.
    remote: Endpoint,
    traffic_class: u8,
    packet: u16,
    rates: (Rate, Rate),
    fec: bool,
    obsolete: Obsolete,
    // State.
    labeller: Labeller,
    adjuster: Option<Adjuster>,
    encoder: Encoder,
    gap: Gap,
    /// Intervals in place of `gap`, in turn.
    gaps: Vec<Duration>,
    estimator: Estimator,
    pacer: Pacer,
    queue: PacerQueue,
    /// Captured frames, for those that the push-back drops.
    captured: u32,
    in_flight: InFlightPackets,
    clock: SendClock,
    history: History,
    repair_limit: RepairLimit,
    parity: ParityMaker,
    /// Next numbers of media, retransmissions, parity, padding.
    numbers: [u64; 4],
    frame: u32,
    loss: f64,
    rtt: Option<Duration>,
    /// Bits sent again lately, decaying; and when that was computed.
    repairs: (f64, Time),
    key_at: Option<Time>,
    has_sent: bool,
    socket: Option<SocketId>,
    next_frame: Option<Time>,
    /// What the messages of a report have told so far, and when it is complete.
    results: Vec<PacketResult>,
    report_at: Option<Time>,
}

impl WebrtcSender {
    /// Creates a sender to `remote`. The parameters are valid.
    pub(super) fn new(
        parameters: &WebrtcParameters,
        remote: Endpoint,
        traffic_class: u8,
        sizes: RandomStream,
        clock: RandomStream,
    ) -> WebrtcSender {
        let layers = Layers::new(parameters.scalability);
        let smallest =
            Smallest { bits: 8.0 * parameters.min_frame.get() as f64, growth: parameters.min_frame_growth };
        let largest = 8.0 * parameters.max_frame.get() as f64;
        let finest = largest.min(parameters.max_rate.as_bits() as f64 / parameters.frame_rate);
        let picture = Picture { pixels: parameters.pixels as f64, power: parameters.pixels_power };
        let adjuster = || Adjuster::new(parameters.scalability, parameters.frame_rate, parameters.min_rate);
        let encoder = Encoder::new(
            parameters.frame_rate,
            parameters.key_ratio,
            Noise::new(parameters.frame_spread, parameters.edge_spread, sizes),
            (smallest, largest),
            QualityScaler::new(parameters.degradation, (smallest.bits, finest), picture),
            layers,
        );
        // ECT(1) makes packets candidates for L4S (RFC 9331 §4.1).
        let responds_to_marks = traffic_class & 3 == 1;
        WebrtcSender {
            remote,
            traffic_class,
            packet: parameters.packet.get() as u16,
            rates: (parameters.min_rate, parameters.max_rate),
            fec: parameters.fec,
            obsolete: parameters.obsolete,
            labeller: Labeller::new(parameters.labels, parameters.scalability),
            adjuster: parameters.bitrate_adjuster.then(adjuster),
            encoder,
            gap: Gap::of_frequency(parameters.frame_rate),
            gaps: parameters.capture_gaps.clone(),
            estimator: Estimator::new(&parameters.estimator(), responds_to_marks),
            pacer: Pacer::new(parameters.pacing_factor, parameters.pacing_burst, parameters.pacer_queue),
            queue: PacerQueue::default(),
            captured: 0,
            in_flight: InFlightPackets::default(),
            clock: SendClock::new(parameters.packet_time, clock),
            history: History::default(),
            repair_limit: RepairLimit::new(parameters.repair_window),
            parity: ParityMaker::default(),
            numbers: [0; 4],
            frame: 0,
            loss: 0.0,
            rtt: None,
            repairs: (0.0, Time::ZERO),
            key_at: None,
            has_sent: false,
            socket: None,
            next_frame: None,
            results: Vec::new(),
            report_at: None,
        }
    }

    /// What the encoder may use of `target`, in bit/s, whatever its own bounds: not what parity, retransmissions and the heads of
    /// full packets need.
    fn media_rate(&self, target: f64, now: Time) -> Rate {
        let parity = if self.fec { overhead(self.loss) } else { 0.0 };
        let repairs = self.repairs.0 / REPAIR_WINDOW * decay(now.since(self.repairs.1));
        let packets = (target / (8.0 * wire(self.packet) as f64)).ceil();
        let payload = target - 8.0 * packets * (Head::LENGTH as u64 + LOWER) as f64;
        // Half of the target is left to media, whatever is sent again.
        let media = (payload / (1.0 + parity) - repairs).max(payload / 2.0);
        Rate::from_bits(media.max(0.0) as u64)
    }

    /// Asks the encoder for its share of `target`, in bit/s.
    fn set_encoder_rate(&mut self, target: f64, now: Time, host: &mut dyn Sockets) {
        let available = self.media_rate(target, now);
        let (least, most) = self.rates;
        let media = available.min(most).max(least);
        let adjusted = match &mut self.adjuster {
            Some(adjuster) => adjuster.adjust(media, available, now),
            None => media,
        };
        host.point(metrics::SEND_RATE, now, adjusted.as_mbit_f64());
        self.encoder.set_rate(adjusted);
    }

    /// The interval to the next captured frame.
    fn advance(&mut self) -> Duration {
        match self.gaps.first() {
            None => self.gap.advance(),
            Some(next) => {
                let next = *next;
                self.gaps.rotate_left(1);
                next
            }
        }
    }

    fn capture(&mut self, now: Time, host: &mut dyn Sockets) {
        self.estimator.tick(now);
        self.pacer.expire(now);
        host.point(metrics::BANDWIDTH_ESTIMATE, now, self.estimator.target().as_mbit_f64());
        let EncoderTarget { rate, drop_one_of } = self.estimator.encoder_target();
        let is_pushed_out = drop_one_of.is_some_and(|one_of| self.captured.is_multiple_of(one_of));
        if drop_one_of.is_some() {
            self.captured = self.captured.wrapping_add(1);
        }
        if is_pushed_out || self.pacer.is_overfull(self.queue.bytes) {
            host.meter().count(metrics::ENCODER_DROPS, 1);
            return;
        }
        self.set_encoder_rate(rate, now, host);
        let pixels = self.encoder.share();
        let encoded = self.encoder.encode(self.frame, now);
        if let Some(adjuster) = &mut self.adjuster {
            if let Some(encoded) = &encoded {
                adjuster.encoded(encoded.size, encoded.layer, now);
            }
            if self.encoder.share() != pixels {
                adjuster.reset();
            }
        }
        let Some(encoded) = encoded else {
            host.meter().count(metrics::ENCODER_DROPS, 1);
            return;
        };
        let room = u64::from(self.packet) - Head::LENGTH as u64;
        let packets = encoded.size.div_ceil(room);
        let (each, over) = (encoded.size / packets, encoded.size % packets);
        let unit = Unit::new(UnitKind::Frame, u64::from(self.frame), 0);
        host.meter().video().frame_sent(self.frame, now);
        host.meter().video().message_sent();
        host.unit_began(unit, now);
        self.labeller.began(self.frame, encoded.layer, encoded.back == 0);
        let mut offset = 0;
        for place in 0..packets {
            let length = (each + u64::from(place < over)) as u16 + Head::LENGTH as u16;
            let part = Part {
                frame: self.frame,
                back: encoded.back,
                place: place as u16,
                packets: packets as u16,
                timestamp: timestamp(now),
                length,
            };
            self.queue.push(Waiting::Media { part, offset, layer: encoded.layer }, now);
            offset += u64::from(length);
        }
        self.frame = self.frame.wrapping_add(1);
        if !self.has_sent {
            self.has_sent = true;
            self.estimator.start(now);
        }
        self.set_pace(now);
    }

    /// Tells the pacer of the target, and of the probes that are to be made.
    fn set_pace(&mut self, now: Time) {
        let target = self.estimator.target().as_bits() as f64;
        self.pacer.set_target(target, self.queue.bytes, self.queue.mean_wait(now), now);
        let pacer = &mut self.pacer;
        self.estimator.take_probes(|cluster| pacer.probe(cluster, now));
    }

    /// When the next packet leaves, if one waits or a probe needs padding.
    fn next_packet(&self) -> Option<Time> {
        let has_any = !self.queue.is_empty();
        let needs_padding = self.has_sent && self.pacer.cluster().is_some();
        if has_any || needs_padding { self.pacer.next() } else { None }
    }

    fn send(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(socket) = self.socket else { return };
        while self.next_packet().is_some_and(|at| at <= now) {
            let next = self.queue.pop();
            self.send_packet(next, socket, now, host);
        }
    }

    fn send_packet(&mut self, packet: Option<Waiting>, socket: SocketId, now: Time, host: &mut dyn Sockets) {
        let length = packet.map_or(self.packet, |packet| packet.length());
        let (kind, part, original, count) = match &packet {
            None => (Kind::Padding, Part { length, ..Part::default() }, 0, 0),
            Some(Waiting::Media { part, .. }) => (Kind::Media, *part, 0, 0),
            Some(Waiting::Again(packet)) => (Kind::Retransmission, packet.part, packet.number, 0),
            Some(Waiting::Parity(run)) => (Kind::Parity, run.sum, run.first, run.count),
        };
        let labelled = match &packet {
            Some(Waiting::Media { part, layer, .. }) if !self.labeller.is_silent() => {
                Some((part.frame, *layer))
            }
            _ => None,
        };
        let label = labelled.map_or_else(Default::default, |(_, layer)| self.labeller.label(part, layer));
        let number = self.numbers[kind as usize];
        self.numbers[kind as usize] += 1;
        let head = Head {
            kind,
            sequence: number as u16,
            transport: self.in_flight.next() as u16,
            sent: send_time(now),
            original: original as u16,
            count,
            part,
            label,
        };
        // Parity and padding are of no frame.
        let place = match &packet {
            Some(Waiting::Media { part, offset, .. }) => Some((part.frame, *offset)),
            Some(Waiting::Again(packet)) => Some((packet.part.frame, packet.offset)),
            _ => None,
        };
        let bytes = wire(length);
        let cluster = self.pacer.sent(bytes, now);
        self.in_flight.sent(bytes, cluster, labelled, self.clock.date(now));
        self.estimator.on_sent(bytes, self.in_flight.outstanding(), now);
        host.meter().sent();
        if let Some((frame, offset)) = place {
            host.describes(Description::new(Unit::new(UnitKind::Frame, frame.into(), 0), offset));
        }
        let datagram = Datagram { head: head.emit(), length, traffic_class: self.traffic_class };
        host.send_to(socket, self.remote, &datagram);
        match packet {
            Some(Waiting::Media { part, offset, layer }) => {
                self.history.sent(number, part, offset, layer, now);
                let ratio = if self.fec { overhead(self.loss) } else { 0.0 };
                if let Some(run) = self.parity.add(number, part, ratio) {
                    self.queue.push_next(Waiting::Parity(run), now);
                }
            }
            Some(Waiting::Again(packet)) => {
                self.history.sent_again(packet.number, now);
                let (bits, at) = self.repairs;
                self.repairs = (bits * decay(now.since(at)) + 8.0 * f64::from(length), now);
                host.meter().count(metrics::RETRANSMITS, 1);
            }
            _ => {}
        }
    }

    /// Takes a message of a report; false if it is none.
    fn handle_feedback(&mut self, feedback: &[u8], now: Time) -> bool {
        let near = self.in_flight.oldest();
        let (in_flight, labeller, counts) = (&mut self.in_flight, &self.labeller, self.obsolete.is_counted());
        let results = &mut self.results;
        let is_feedback = Feedback::read(feedback, near, |number, arrived_at, is_marked| {
            let Some((result, labelled)) = in_flight.resolve(number, arrived_at, is_marked) else { return };
            let is_obsolete = || labelled.is_some_and(|(frame, layer)| labeller.is_obsolete(frame, layer));
            if counts || arrived_at.is_some() || !is_obsolete() {
                results.push(result);
            }
        });
        if !self.results.is_empty() {
            self.report_at = Some(now.saturating_add(ONE_REPORT));
        }
        is_feedback
    }

    /// Takes a report whose messages are all there.
    fn finish_report(&mut self, now: Time) {
        let results = &self.results;
        let lost = results.iter().filter(|packet| packet.arrived_at.is_none()).count();
        let share = lost as f64 / results.len() as f64;
        self.loss += LOSS_WEIGHT * (share - self.loss);
        if let Some(newest) = results.iter().rfind(|packet| packet.arrived_at.is_some()) {
            let sample = now.since(newest.sent_at);
            self.rtt = Some(self.rtt.map_or(sample, |rtt| {
                let nanos = rtt.as_nanos() as f64;
                Duration::from_nanos((nanos + RTT_WEIGHT * (sample.as_nanos() as f64 - nanos)) as u64)
            }));
        }
        let rtt = self.rtt.unwrap_or(FIRST_RTT);
        self.estimator.on_feedback(results, self.in_flight.outstanding(), now, rtt);
        self.results.clear();
        self.set_pace(now);
    }

    fn handle_nack(&mut self, message: &[u8], now: Time) {
        let Some(newest) = self.history.newest() else { return };
        let rtt = self.rtt.unwrap_or(FIRST_RTT);
        for low in nacked(message) {
            let number = extend(low, newest);
            let is_obsolete =
                |packet: &MediaPacket| self.labeller.is_obsolete(packet.part.frame, packet.priority);
            if !self.obsolete.is_repaired() && self.history.get(number).is_some_and(is_obsolete) {
                continue;
            }
            let (limit, target) = (&mut self.repair_limit, self.estimator.target());
            let is_permitted = |length| limit.permits(length, target, now);
            if let Some(packet) = self.history.take_again(number, now, rtt, is_permitted) {
                self.queue.push_urgent(Waiting::Again(packet), now);
            }
        }
    }
}

/// What is left of a decaying sum after a time.
fn decay(elapsed: Duration) -> f64 {
    libm::exp(-elapsed.as_secs_f64() / REPAIR_WINDOW)
}

impl Application for WebrtcSender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(0));
        self.next_frame = Some(now);
        self.repairs.1 = now;
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        if self.next_frame.is_none() {
            return;
        }
        let message = datagram.head.as_slice();
        if is_pli(message) {
            if self.key_at.is_none_or(|at| now.since(at) >= KEY_INTERVAL) {
                self.key_at = Some(now);
                self.encoder.request_key();
                host.meter().count(metrics::KEY_FRAME_REQUESTS, 1);
            }
        } else if !self.handle_feedback(message, now) {
            self.handle_nack(message, now);
        }
        self.send(now, host);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next_frame.filter(|at| *at <= now) {
            self.capture(now, host);
            self.next_frame = Some(at + self.advance());
        }
        if self.report_at.take_if(|at| *at <= now).is_some() {
            self.finish_report(now);
        }
        self.send(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        let next = self.next_frame?.min(self.report_at.unwrap_or(Time::MAX));
        Some(self.next_packet().map_or(next, |packet| packet.min(next)))
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next_frame = None;
        self.queue = PacerQueue::default();
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let queues = (self.queue.bytes, self.in_flight.outstanding());
        super::gauges::report(&self.estimator, queues, self.encoder.share(), out);
    }
}
