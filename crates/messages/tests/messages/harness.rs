//! Two endpoints connected by a scripted link: a delay in each direction, an optional bottleneck from the first to the
//! second, and a closure that decides the fate of each datagram. Time jumps from one event to the next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_messages::{
    Connection, Message, MessageEvent, MessageParams, MessagePayload, OctopusParameters, OctopusStatistics,
    SendError, Transmit,
};
use jettison_tcp::Payload;
use jettison_wire::{MessageNumber, OctopusHeader, PacketKind, SequenceHeader};

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Parameters with round numbers: 980 message bytes make packets of 1,000; a small window of NewReno.
pub fn parameters() -> OctopusParameters {
    OctopusParameters {
        mss: 980,
        congestion: "newreno".into(),
        pacing_gain: 0.0,
        ..OctopusParameters::default()
    }
}

pub fn build(parameters: &OctopusParameters) -> Connection {
    parameters.validate().expect("valid parameters");
    let files = |name: &str| Err(format!("no file {name}"));
    let controller =
        parameters.controller(&parameters.path_context(None, &files)).expect("a known controller");
    Connection::new(&Arc::new(parameters.clone()), controller, Time::ZERO)
}

/// A datagram at its departure.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub at: Time,
    /// 0 sends to 1, or the other way round.
    pub from: usize,
    /// Number of the datagram among those of its kind and direction, from 0.
    pub nth: u64,
    pub header: SequenceHeader,
    /// The label, for data.
    pub label: Option<OctopusHeader>,
    pub bytes: u64,
    pub traffic_class: u8,
    pub dropped: bool,
}

impl Seen {
    pub fn is_data(&self) -> bool {
        self.header.kind == PacketKind::Data
    }
    pub fn is_retransmission(&self) -> bool {
        self.header.flags & SequenceHeader::FLAG_RETRANSMISSION != 0
    }
    /// Number of the message and index of the packet in it.
    pub fn place(&self) -> Option<(u32, u16)> {
        self.label.map(|label| (label.message.get(), self.header.index))
    }
}

/// The fate of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// Arrives with an additional delay.
    Late(Duration),
    /// Arrives twice, the second time with an additional delay.
    Twice(Duration),
    /// Marked with Congestion Experienced.
    Mark,
}

struct Bottleneck {
    rate: Rate,
    /// Queue limit in datagrams, excluding the one in service.
    limit: usize,
    queue: VecDeque<Transmit>,
    is_busy: bool,
}

#[derive(Debug)]
enum What {
    Arrive(usize, Transmit),
    Depart,
}

struct Scheduled(Time, u64, What);
impl PartialEq for Scheduled {
    fn eq(&self, other: &Scheduled) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}
impl Eq for Scheduled {}
impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Scheduled) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Scheduled {
    fn cmp(&self, other: &Scheduled) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

pub struct Net {
    pub now: Time,
    pub ends: [Connection; 2],
    pub log: Vec<Seen>,
    pub keeps_log: bool,
    /// Messages received by each end, with their times.
    pub received: [Vec<(Time, Message)>; 2],
    pub events: [Vec<(Time, MessageEvent)>; 2],
    /// Maximum number of datagrams waiting at the bottleneck.
    pub most_waiting: usize,
    delay: Duration,
    script: Box<dyn FnMut(&Seen) -> Fate>,
    bottleneck: Option<Bottleneck>,
    agenda: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
    counts: [[u64; 2]; 2],
}

impl Net {
    pub fn new(delay: Duration, parameters: &OctopusParameters) -> Net {
        Net {
            now: Time::ZERO,
            ends: [build(parameters), build(parameters)],
            log: Vec::new(),
            keeps_log: true,
            received: [Vec::new(), Vec::new()],
            events: [Vec::new(), Vec::new()],
            most_waiting: 0,
            delay,
            script: Box::new(|_| Fate::Pass),
            bottleneck: None,
            agenda: BinaryHeap::new(),
            scheduled: 0,
            counts: [[0; 2]; 2],
        }
    }

    pub fn with_bottleneck(mut self, rate: Rate, limit: usize) -> Net {
        self.bottleneck = Some(Bottleneck { rate, limit, queue: VecDeque::new(), is_busy: false });
        self
    }

    pub fn script(&mut self, script: impl FnMut(&Seen) -> Fate + 'static) {
        self.script = Box::new(script);
    }

    /// Sends zeros from the first end on stream 1, and transmits what may leave.
    pub fn send(&mut self, bytes: u64) -> MessageNumber {
        self.send_with(1, Payload::Zeros(bytes).into(), MessageParams::default()).expect("there is room")
    }

    pub fn send_with(
        &mut self,
        stream: u16,
        payload: MessagePayload,
        params: MessageParams,
    ) -> Result<MessageNumber, SendError> {
        let number = self.ends[0].send(stream, payload, params, self.now);
        self.pump(0);
        number
    }

    pub fn statistics(&self, end: usize) -> OctopusStatistics {
        self.ends[end].statistics()
    }

    /// Data packets of the first end, in order.
    pub fn data(&self) -> Vec<Seen> {
        self.log.iter().filter(|seen| seen.from == 0 && seen.is_data()).cloned().collect()
    }

    /// Numbers of the messages that the second end received, in order.
    pub fn delivered(&self) -> Vec<u32> {
        self.received[1].iter().map(|(_, message)| message.number.get()).collect()
    }

    /// Runs all events up to and including `until`.
    pub fn run_until(&mut self, until: Time) {
        self.pump(0);
        self.pump(1);
        while let Some(next) = self.next_event().filter(|next| *next <= until) {
            self.now = next;
            self.step();
        }
        self.now = self.now.max(until);
    }

    /// Runs until no event is left, at most to `limit`.
    pub fn run_to_end(&mut self, limit: Time) {
        self.pump(0);
        self.pump(1);
        while let Some(next) = self.next_event() {
            assert!(next <= limit, "still busy at {limit}: {:?}", self.statistics(0));
            self.now = next;
            self.step();
        }
    }

    fn next_event(&self) -> Option<Time> {
        let datagrams = self.agenda.peek().map(|Reverse(event)| event.0);
        let wakeups = self.ends.iter().filter_map(Connection::next_wakeup);
        datagrams.into_iter().chain(wakeups).map(|at| at.max(self.now)).min()
    }

    fn step(&mut self) {
        if let Some(Reverse(event)) = self.agenda.peek()
            && event.0 <= self.now
        {
            let Some(Reverse(Scheduled(_, _, what))) = self.agenda.pop() else { return };
            match what {
                What::Arrive(to, datagram) => {
                    let Transmit { head, rest, traffic_class, .. } = datagram;
                    self.ends[to].handle_datagram(head.as_slice(), rest, traffic_class, self.now);
                    self.pump(to);
                }
                What::Depart => self.depart(),
            }
            return;
        }
        for end in 0..2 {
            if self.ends[end].next_wakeup().is_some_and(|at| at <= self.now) {
                self.ends[end].handle_wakeup(self.now);
                self.pump(end);
            }
        }
    }

    fn pump(&mut self, end: usize) {
        while let Some(datagram) = self.ends[end].poll_transmit(self.now) {
            self.launch(end, datagram);
        }
        while let Some(message) = self.ends[end].poll_message() {
            self.received[end].push((self.now, message));
        }
        while let Some(event) = self.ends[end].poll_event() {
            self.events[end].push((self.now, event));
        }
    }

    fn launch(&mut self, from: usize, mut datagram: Transmit) {
        let head = datagram.head.as_slice();
        let header = SequenceHeader::parse(head).expect("each datagram begins with a sequence header");
        let label = (header.kind == PacketKind::Data)
            .then(|| OctopusHeader::parse(&head[OctopusHeader::OFFSET..]).expect("data has a label"));
        let count = &mut self.counts[from][usize::from(header.kind == PacketKind::Ack)];
        let mut seen = Seen {
            at: self.now,
            from,
            nth: *count,
            header,
            label,
            bytes: datagram.bytes(),
            traffic_class: datagram.traffic_class,
            dropped: false,
        };
        *count += 1;
        let fate = (self.script)(&seen);
        seen.dropped = fate == Fate::Drop;
        if self.keeps_log {
            self.log.push(seen);
        }
        match fate {
            Fate::Drop => {}
            Fate::Pass => self.enter(from, datagram, Duration::ZERO),
            Fate::Late(by) => self.enter(from, datagram, by),
            Fate::Twice(by) => {
                self.enter(from, datagram.clone(), Duration::ZERO);
                self.enter(from, datagram, by);
            }
            Fate::Mark => {
                datagram.traffic_class |= 3;
                self.enter(from, datagram, Duration::ZERO);
            }
        }
    }

    fn enter(&mut self, from: usize, datagram: Transmit, late: Duration) {
        let to = 1 - from;
        match &mut self.bottleneck {
            Some(link) if from == 0 => {
                if link.is_busy {
                    if link.queue.len() < link.limit {
                        link.queue.push_back(datagram);
                        self.most_waiting = self.most_waiting.max(link.queue.len());
                    }
                } else {
                    link.is_busy = true;
                    link.queue.push_front(datagram);
                    self.serve();
                }
            }
            _ => self.schedule(self.now + self.delay + late, What::Arrive(to, datagram)),
        }
    }

    /// Puts the first datagram of the queue on the wire.
    fn serve(&mut self) {
        let Some(link) = &self.bottleneck else { return };
        let Some(first) = link.queue.front() else { return };
        // 28 bytes of IP and UDP.
        let done = self.now + link.rate.time_for(Bytes::new(first.bytes() + 28));
        self.schedule(done, What::Depart);
    }

    fn depart(&mut self) {
        let Some(link) = &mut self.bottleneck else { return };
        let Some(datagram) = link.queue.pop_front() else { return };
        link.is_busy = !link.queue.is_empty();
        self.schedule(self.now + self.delay, What::Arrive(1, datagram));
        self.serve();
    }

    fn schedule(&mut self, at: Time, what: What) {
        self.scheduled += 1;
        self.agenda.push(Reverse(Scheduled(at, self.scheduled, what)));
    }
}
