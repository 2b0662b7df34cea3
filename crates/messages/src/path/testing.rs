//! A toy path for the controllers' closed-loop tests: a source, one bottleneck with a queue, and one ACK per packet.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use jettison_core::{Bytes, Duration, RandomStream, Rate, Time};
use jettison_registry::Entry;
use jettison_wire::Ecn;
use serde_json::Value;

use super::entry::MessageController;
use super::{ArrivedPacket, LostPacket, PathAck, PathContext, PathController, PathSent};
use jettison_tcp::congestion::{AckSample, Phase, RateSample};

/// Bytes of a full packet.
pub(super) const PACKET: u64 = 1500;

fn no_file(name: &str) -> Result<Arc<[u8]>, String> {
    Err(format!("there is no file `{name}`"))
}

/// A context without files.
pub(super) fn context() -> PathContext<'static> {
    PathContext {
        packet: PACKET,
        initial_window: 10 * PACKET,
        initial_rtt: Duration::from_millis(100),
        random: None,
        files: &no_file,
    }
}

/// A context with one file.
pub(super) fn with_trace<R>(name: &str, text: &str, run: impl FnOnce(&PathContext<'_>) -> R) -> R {
    let files = |asked: &str| if asked == name { Ok(Arc::from(text.as_bytes())) } else { no_file(asked) };
    run(&PathContext { files: &files, ..context() })
}

/// The controller of an entry, with these parameters.
pub(super) fn build(entry: &Entry<MessageController>, parameters: Value) -> Box<dyn PathController> {
    entry.build(&parameters, &context()).expect("the test's parameters are good")
}

/// The totals of an ACK, as a template.
pub(super) fn sample(now: Time, delivered: u64, in_flight: u64) -> AckSample {
    AckSample {
        now,
        acked: delivered,
        delivered,
        lost: 0,
        ecn_echo: false,
        ce_bytes: 0,
        delivered_total: delivered,
        lost_total: 0,
        rate: RateSample::default(),
        in_flight_before: in_flight + delivered,
        in_flight,
        acknowledged: delivered,
        next_offset: in_flight + delivered,
        rtt: Some(Duration::from_millis(40)),
        min_rtt: Duration::from_millis(40),
        smoothed_rtt: Duration::from_millis(40),
        is_window_limited: true,
        phase: Phase::Open,
        is_round_start: false,
    }
}

/// Service of the bottleneck.
pub(super) enum Link {
    /// At a rate that changes at these instants.
    Rates(Vec<(Time, Rate)>),
    /// One packet per event of a Poisson process with this number of packets per second.
    Poisson(f64, Box<RandomStream>),
    /// One packet at each of these instants.
    Opportunities(VecDeque<Time>),
}

impl Link {
    pub(super) fn fixed(mbit: u64) -> Link {
        Link::Rates(vec![(Time::ZERO, Rate::from_mbit(mbit))])
    }

    fn rate(&self, now: Time) -> Rate {
        match self {
            Link::Rates(rates) => rates.iter().rev().find(|(at, _)| *at <= now).map_or(Rate::ZERO, |r| r.1),
            Link::Poisson(packets, _) => Rate::from_bits((packets * PACKET as f64 * 8.0) as u64),
            Link::Opportunities(_) => Rate::ZERO,
        }
    }

    /// Departure time of a packet that is first in the queue from `now` on.
    fn leaves(&mut self, now: Time, bytes: u64) -> Time {
        match self {
            Link::Rates(_) => now + self.rate(now).time_for(Bytes::new(bytes)),
            Link::Poisson(packets, random) => {
                now + Duration::from_secs_f64(random.exponential(1.0 / *packets))
            }
            Link::Opportunities(instants) => {
                while instants.front().is_some_and(|at| *at < now) {
                    instants.pop_front();
                }
                instants.pop_front().unwrap_or(Time::MAX)
            }
        }
    }
}

/// The traffic source.
pub(super) enum Source {
    /// Unlimited data.
    Bulk,
    /// Frames at an interval, as large as the controller's bandwidth allows.
    Frames(Duration),
    /// Frames of a fixed size, at an interval.
    Fixed(Duration, u64),
}

/// Rewrites the ECN field of a packet that leaves the bottleneck after the given waiting time.
pub(super) type Marker = Box<dyn FnMut(Time, Ecn, Duration, u64) -> Ecn>;

/// The toy path and its parameters.
pub(super) struct Toy {
    pub(super) link: Link,
    pub(super) source: Source,
    /// Round-trip propagation delay.
    pub(super) rtt: Duration,
    /// The part of it before the bottleneck.
    pub(super) lead: Duration,
    pub(super) buffer: u64,
    pub(super) marker: Option<Marker>,
    /// Offset of the receiver's clock.
    pub(super) clock_ahead: Duration,
}

impl Toy {
    /// A path with a deep buffer, 40 ms, and a bulk source.
    pub(super) fn new(link: Link) -> Toy {
        Toy {
            link,
            source: Source::Bulk,
            rtt: Duration::from_millis(40),
            lead: Duration::ZERO,
            buffer: 1_000_000,
            marker: None,
            clock_ahead: Duration::from_secs(7),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Packet {
    sequence: u64,
    bytes: u64,
    sent_at: Time,
    queued_at: Time,
    ecn: Ecn,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    AtQueue(Packet),
    Left(Packet),
    Acked(Packet, Time),
    Frame,
    ProbeTimeout(u64),
    Pace,
}

/// A packet that the bottleneck carried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    pub(super) left_at: Time,
    pub(super) bytes: u64,
    pub(super) waited: Duration,
}

/// Results of a run.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) carried: Vec<Carried>,
    pub(super) dropped: u64,
}

impl Run {
    /// Mean rate of the bottleneck in Mbit/s between two instants, in seconds.
    pub(super) fn mbit(&self, from: u64, to: u64) -> f64 {
        let bytes: u64 = self.between(from, to).map(|packet| packet.bytes).sum();
        bytes as f64 * 8e-6 / (to - from) as f64
    }

    /// A percentile of the queueing delay in milliseconds.
    pub(super) fn delay(&self, from: u64, to: u64, percent: usize) -> f64 {
        let mut delays: Vec<Duration> = self.between(from, to).map(|packet| packet.waited).collect();
        delays.sort_unstable();
        delays.get((delays.len().saturating_sub(1)) * percent / 100).map_or(0.0, |d| d.as_secs_f64() * 1e3)
    }

    fn between(&self, from: u64, to: u64) -> impl Iterator<Item = &Carried> {
        self.carried.iter().filter(move |p| (Time::from_secs(from)..Time::from_secs(to)).contains(&p.left_at))
    }
}

/// State of sender and path during a run.
struct World<'a> {
    toy: Toy,
    controller: &'a mut dyn PathController,
    now: Time,
    events: BTreeMap<(Time, u64), Event>,
    order: u64,
    queue: VecDeque<Packet>,
    queued: u64,
    is_serving: bool,
    under_way: Vec<Packet>,
    in_flight: u64,
    next_sequence: u64,
    backlog: u64,
    probes: u64,
    last_heard: Time,
    timeouts: u32,
    pace_from: Time,
    pace_armed: bool,
    delivered: u64,
    lost: u64,
    smoothed: Option<Duration>,
    min_rtt: Duration,
    run: Run,
}

/// Runs a controller over a path for a number of seconds.
pub(super) fn run(controller: &mut dyn PathController, toy: Toy, seconds: u64) -> Run {
    let mut world = World {
        toy,
        controller,
        now: Time::ZERO,
        events: BTreeMap::new(),
        order: 0,
        queue: VecDeque::new(),
        queued: 0,
        is_serving: false,
        under_way: Vec::new(),
        in_flight: 0,
        next_sequence: 0,
        backlog: 0,
        probes: 0,
        last_heard: Time::ZERO,
        timeouts: 0,
        pace_from: Time::ZERO,
        pace_armed: false,
        delivered: 0,
        lost: 0,
        smoothed: None,
        min_rtt: Duration::MAX,
        run: Run::default(),
    };
    world.at(Time::ZERO, Event::Frame);
    world.go(Time::from_secs(seconds));
    world.run
}

impl World<'_> {
    fn at(&mut self, time: Time, event: Event) {
        self.order += 1;
        self.events.insert((time, self.order), event);
    }

    fn go(&mut self, until: Time) {
        loop {
            let event = self.events.keys().next().map_or(Time::MAX, |key| key.0);
            let wakeup = self.controller.next_wakeup().map_or(Time::MAX, |at| at.max(self.now));
            let next = event.min(wakeup);
            if next >= until {
                return;
            }
            self.now = next;
            if wakeup <= event {
                self.controller.handle_wakeup(self.now, self.in_flight);
            } else if let Some((_, event)) = self.events.pop_first() {
                self.handle(event);
            }
            self.send();
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::AtQueue(packet) if self.queued + packet.bytes > self.toy.buffer => {
                self.run.dropped += 1;
            }
            Event::AtQueue(packet) => {
                self.queued += packet.bytes;
                self.queue.push_back(Packet { queued_at: self.now, ..packet });
                self.serve();
            }
            Event::Left(packet) => {
                self.is_serving = false;
                self.queued -= packet.bytes;
                self.left(packet);
                self.serve();
            }
            Event::Acked(packet, arrived_at) => self.acked(packet, arrived_at),
            Event::Frame => self.frame(),
            Event::ProbeTimeout(heard) if heard == self.last_heard.as_nanos() && self.in_flight > 0 => {
                self.timeouts += 1;
                self.controller.on_timeout(self.now, self.in_flight);
                self.probes += 1;
                self.arm_probe();
            }
            Event::ProbeTimeout(_) => {}
            Event::Pace => self.pace_armed = false,
        }
    }

    fn serve(&mut self) {
        if self.is_serving {
            return;
        }
        if let Some(packet) = self.queue.pop_front() {
            self.is_serving = true;
            let leaves = self.toy.link.leaves(self.now, packet.bytes);
            if leaves < Time::MAX {
                self.at(leaves, Event::Left(packet));
            }
        }
    }

    fn left(&mut self, mut packet: Packet) {
        let waited = self.now.since(packet.queued_at);
        self.run.carried.push(Carried { left_at: self.now, bytes: packet.bytes, waited });
        let rate = self.toy.link.rate(self.now).as_bits();
        if let Some(marker) = &mut self.toy.marker {
            packet.ecn = marker(self.now, packet.ecn, waited, rate);
        }
        let rest = self.toy.rtt.saturating_sub(self.toy.lead);
        let arrives = self.now + rest / 2;
        let by_receiver = Time::from_micros((arrives + self.toy.clock_ahead).as_micros());
        self.at(arrives + rest / 2, Event::Acked(packet, by_receiver));
    }

    fn acked(&mut self, packet: Packet, arrived_at: Time) {
        self.last_heard = self.now;
        self.timeouts = 0;
        self.arm_probe();
        let before = self.in_flight;
        // The path preserves order: a packet sent three packets before this one is lost.
        let (lost, rest): (Vec<Packet>, Vec<Packet>) =
            self.under_way.iter().partition(|p| p.sequence + 3 <= packet.sequence);
        self.under_way = rest;
        self.under_way.retain(|p| p.sequence != packet.sequence);
        self.in_flight = self.under_way.iter().map(|p| p.bytes).sum();
        let rtt = self.now.since(packet.sent_at);
        self.min_rtt = self.min_rtt.min(rtt);
        self.smoothed = Some(self.smoothed.map_or(rtt, |smoothed| (smoothed * 7 + rtt) / 8));
        self.delivered += packet.bytes;
        let lost_bytes: u64 = lost.iter().map(|p| p.bytes).sum();
        self.lost += lost_bytes;
        let sample = AckSample {
            lost: lost_bytes,
            delivered_total: self.delivered,
            lost_total: self.lost,
            in_flight_before: before,
            in_flight: self.in_flight,
            acknowledged: self.delivered,
            next_offset: self.delivered + self.in_flight,
            rtt: Some(rtt),
            min_rtt: self.min_rtt,
            smoothed_rtt: self.smoothed.unwrap_or(rtt),
            is_window_limited: before + PACKET > self.controller.window(),
            ..sample(self.now, packet.bytes, self.in_flight)
        };
        let arrived = [ArrivedPacket {
            sequence: packet.sequence,
            bytes: packet.bytes,
            sent_at: packet.sent_at,
            arrived_at: Some(arrived_at),
            ecn: packet.ecn,
        }];
        let lost: Vec<LostPacket> = lost
            .iter()
            .map(|p| LostPacket { sequence: p.sequence, bytes: p.bytes, sent_at: p.sent_at })
            .collect();
        self.controller.on_ack(&PathAck { sample: &sample, arrived: &arrived, lost: &lost });
    }

    fn frame(&mut self) {
        let (interval, bytes) = match self.toy.source {
            Source::Bulk => return,
            Source::Frames(interval) => {
                let rate = self.controller.bandwidth().unwrap_or(Rate::from_kbit(300));
                (interval, rate.bytes_in(interval).get())
            }
            Source::Fixed(interval, bytes) => (interval, bytes),
        };
        // The encoder stops when the backlog reaches a second of frames.
        if self.backlog < bytes.saturating_mul(30) {
            self.backlog += bytes.max(1);
        }
        self.at(self.now + interval, Event::Frame);
    }

    fn send(&mut self) {
        loop {
            let bytes = match self.toy.source {
                Source::Bulk => PACKET,
                _ => PACKET.min(self.backlog),
            };
            let allowed = self.in_flight + bytes <= self.controller.window() || self.probes > 0;
            if bytes == 0 || !allowed {
                return;
            }
            if let Some(rate) = self.controller.pacing_rate() {
                if self.pace_from > self.now {
                    if !self.pace_armed {
                        self.pace_armed = true;
                        self.at(self.pace_from, Event::Pace);
                    }
                    return;
                }
                let step = rate.time_for(Bytes::new(bytes)).as_nanos().min(1_000_000_000);
                let quantum = self.controller.pacing_quantum().unwrap_or(PACKET).max(PACKET);
                let burst = rate.time_for(Bytes::new(quantum - PACKET)).as_nanos().min(1_000_000_000);
                let oldest = Time::from_nanos(self.now.as_nanos().saturating_sub(burst));
                self.pace_from = self.pace_from.max(oldest) + Duration::from_nanos(step);
            }
            self.emit(bytes);
        }
    }

    fn emit(&mut self, bytes: u64) {
        self.probes = self.probes.saturating_sub(1);
        if !matches!(self.toy.source, Source::Bulk) {
            self.backlog -= bytes;
        }
        let packet = Packet {
            sequence: self.next_sequence,
            bytes,
            sent_at: self.now,
            queued_at: self.now,
            ecn: self.controller.ecn(),
        };
        self.next_sequence += 1;
        if self.in_flight == 0 {
            self.last_heard = self.now;
            self.arm_probe();
        }
        self.in_flight += bytes;
        self.under_way.push(packet);
        let backlog = if matches!(self.toy.source, Source::Bulk) { 100_000 } else { self.backlog };
        self.controller.on_sent(&PathSent {
            now: self.now,
            sequence: packet.sequence,
            bytes,
            in_flight: self.in_flight,
            is_app_limited: backlog == 0,
            backlog,
        });
        self.at(self.now + self.toy.lead, Event::AtQueue(packet));
    }

    fn arm_probe(&mut self) {
        let base = self.smoothed.map_or(Duration::from_secs(1), |smoothed| smoothed * 3);
        let wait = (base + Duration::from_millis(20)).saturating_mul(1 << self.timeouts.min(6));
        self.at(self.now + wait, Event::ProbeTimeout(self.last_heard.as_nanos()));
    }
}
