//! Endpoints connected by a scripted link: a delay in each direction, an optional bottleneck, and a closure that
//! decides the fate of each packet. Time jumps from one event to the next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_tcp::congestion::{CongestionController, ReduceFrom};
use jettison_tcp::{Connection, ConnectionEvent, Departure, MinRtoBounds, TcpParameters, TcpStatistics};
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{AccEcnOption, Address, Ecn, Headers, Packet, TcpFlags, TcpHeader, Transport};

pub const MSS: u64 = 1000;

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Parameters with round numbers: segments of 1,000 bytes, NewReno, and what RFCs say where Linux differs.
pub fn parameters() -> TcpParameters {
    TcpParameters {
        mss: MSS as u16,
        congestion: "newreno".into(),
        quick_acks: false,
        min_rto_bounds: MinRtoBounds::Timeout,
        lost_syns: 1,
        reduce_again: true,
        reduce_from: ReduceFrom::Flight,
        ..TcpParameters::default()
    }
}

/// One end of a flow. Clients connect, servers accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Client,
    Server,
}
pub use Side::{Client, Server};

/// A packet at its departure.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub at: Time,
    pub flow: usize,
    pub from: Side,
    /// Number of the packet in its direction and flow, from 0.
    pub index: u64,
    /// Stream offset of the first byte (SYN: -1).
    pub seq: i64,
    /// Acknowledged stream offset.
    pub ack: i64,
    pub length: u64,
    pub flags: TcpFlags,
    /// The flags (AE, CWR, ECE).
    pub ace: u8,
    pub option: Option<AccEcnOption>,
    pub window: u16,
    /// SACK blocks as stream offsets.
    pub sack: Vec<(i64, i64)>,
    pub ecn: Ecn,
    pub dropped: bool,
}

impl Seen {
    pub fn is(&self, flag: TcpFlags) -> bool {
        self.flags.contains(flag)
    }
    /// The number of a segment with payload.
    pub fn segment(&self) -> Option<u64> {
        (self.length > 0).then_some(self.seq as u64 / MSS)
    }
}

/// The fate of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// Arrives with an additional delay.
    Late(Duration),
    /// Arrives twice, the second time with an additional delay.
    Twice(Duration),
    /// Marked with Congestion Experienced, if it is ECN-capable.
    Mark,
    /// Arrives with another ECN field.
    Rewrite(Ecn),
    /// Arrives without its AccECN option.
    Strip,
}

pub struct Flow {
    pub client: Connection,
    pub server: Option<Connection>,
    server_parameters: TcpParameters,
    server_controller: Option<Box<dyn CongestionController>>,
    /// Whether applications read immediately (default) or not at all.
    pub reads: bool,
    pub received: [Vec<Payload>; 2],
    pub received_bytes: [u64; 2],
    pub events: Vec<(Time, Side, ConnectionEvent)>,
    pub rtt_samples: Vec<(Time, Duration)>,
    started_at: Time,
    sent: [u64; 2],
    isn: [u32; 2],
    server_payload: u64,
}

struct Bottleneck {
    rate: Rate,
    /// Queue limit in packets, excluding the one in service.
    limit: usize,
    /// Queue length from which ECN-capable packets are marked.
    marks_from: usize,
    queue: VecDeque<(usize, Packet)>,
    busy: bool,
}

#[derive(Debug)]
enum What {
    Arrive(usize, Side, Packet),
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

/// Queue lengths seen by arriving packets at the bottleneck.
#[derive(Debug, Clone, Copy, Default)]
pub struct Found {
    pub packets: u64,
    /// Sum of the queue lengths.
    pub sum: u64,
    /// The maximum queue length.
    pub most: usize,
}

impl Found {
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.packets as f64
    }
}

type Script = Box<dyn FnMut(&Seen) -> Fate>;

pub struct Net {
    pub now: Time,
    pub flows: Vec<Flow>,
    pub log: Vec<Seen>,
    pub keeps_log: bool,
    /// Data packets of traced connections.
    pub departures: Vec<Departure>,
    pub drops: u64,
    /// Queue lengths seen by arriving packets at the bottleneck.
    pub found: Found,
    delay: Duration,
    script: Script,
    bottleneck: Option<Bottleneck>,
    events: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
}

impl Net {
    /// Creates a network without flows, with `delay` in each direction.
    pub fn new(delay: Duration) -> Net {
        Net {
            now: Time::ZERO,
            flows: Vec::new(),
            log: Vec::new(),
            keeps_log: true,
            departures: Vec::new(),
            drops: 0,
            found: Found::default(),
            delay,
            script: Box::new(|_| Fate::Pass),
            bottleneck: None,
            events: BinaryHeap::new(),
            scheduled: 0,
        }
    }

    /// Creates one flow with the same parameters at both ends.
    pub fn pair(delay: Duration, parameters: &TcpParameters) -> Net {
        let mut net = Net::new(delay);
        net.add_flow(parameters, parameters, Time::ZERO, [1_000, 2_000_000]);
        net
    }

    /// Creates one flow, established at `2 * delay`, with an empty log.
    pub fn established(delay: Duration, parameters: &TcpParameters) -> Net {
        let mut net = Net::pair(delay, parameters);
        net.run_until(Time::ZERO + delay * 3);
        assert!(net.flows[0].client.is_established());
        net.log.clear();
        net.flows[0].sent = [0; 2];
        net.flows[0].events.clear();
        net
    }

    pub fn with_bottleneck(mut self, rate: Rate, limit: usize) -> Net {
        self.bottleneck =
            Some(Bottleneck { rate, limit, marks_from: usize::MAX, queue: VecDeque::new(), busy: false });
        self
    }

    /// Adds step marking at the bottleneck, at a queue length of `packets`.
    pub fn with_step_marking(mut self, packets: usize) -> Net {
        self.bottleneck.as_mut().expect("with_bottleneck comes first").marks_from = packets;
        self
    }

    pub fn script(&mut self, script: impl FnMut(&Seen) -> Fate + 'static) {
        self.script = Box::new(script);
    }

    pub fn add_flow(
        &mut self,
        client: &TcpParameters,
        server: &TcpParameters,
        start: Time,
        isn: [u32; 2],
    ) -> usize {
        let controllers = [client, server].map(|end| end.controller(None).expect("valid parameters"));
        self.add_flow_with([client, server], controllers, start, isn)
    }

    /// Adds a flow with the given congestion controllers.
    pub fn add_flow_with(
        &mut self,
        parameters: [&TcpParameters; 2],
        controllers: [Box<dyn CongestionController>; 2],
        start: Time,
        isn: [u32; 2],
    ) -> usize {
        let flow = self.flows.len();
        let (local, remote) = endpoints(flow);
        let [client, server] = controllers;
        self.flows.push(Flow {
            client: Connection::connect(parameters[0], client, local, remote, isn[0], start),
            server: None,
            server_parameters: parameters[1].clone(),
            server_controller: Some(server),
            reads: true,
            received: [Vec::new(), Vec::new()],
            received_bytes: [0; 2],
            events: Vec::new(),
            rtt_samples: Vec::new(),
            started_at: start,
            sent: [0; 2],
            isn,
            server_payload: 0,
        });
        flow
    }

    pub fn client(&mut self) -> &mut Connection {
        &mut self.flows[0].client
    }

    pub fn server(&mut self) -> &mut Connection {
        self.flows[0].server.as_mut().expect("the SYN has arrived")
    }

    pub fn statistics(&mut self) -> TcpStatistics {
        self.client().statistics()
    }

    /// Writes zeros at the client, and sends what may leave.
    pub fn send(&mut self, bytes: u64) {
        self.client().write(Payload::Zeros(bytes));
        self.pump(0);
    }

    /// Writes zeros at the server as soon as it is there.
    pub fn server_writes(&mut self, bytes: u64) {
        self.flows[0].server_payload = bytes;
    }

    /// Delivers a copy of the client's SYN with other flags (AE, CWR, ECE) to the server now.
    pub fn inject_syn(&mut self, flags: u8) {
        let (client, server) = endpoints(0);
        let mut header = TcpHeader::new(client.port, server.port);
        header.flags = TcpFlags::SYN;
        header.seq = self.flows[0].isn[0];
        header.set_ace(flags);
        let (src, dst) = (client.address, server.address);
        let packet = Packet::model(Headers { src, dst, transport: Transport::Tcp(header) }, 0);
        self.arrive(0, Server, &packet);
    }

    /// Numbers of the data segments that the client sent, in order.
    pub fn segments(&self) -> Vec<u64> {
        self.log.iter().filter(|seen| seen.from == Client).filter_map(Seen::segment).collect()
    }

    /// Packets sent by one side.
    pub fn sent_by(&self, side: Side) -> Vec<Seen> {
        self.log.iter().filter(|seen| seen.from == side).cloned().collect()
    }

    /// Runs all events up to and including `until`.
    pub fn run_until(&mut self, until: Time) {
        for flow in 0..self.flows.len() {
            self.pump(flow);
        }
        while let Some(next) = self.next_event().filter(|next| *next <= until) {
            assert!(next >= self.now, "time goes forward");
            self.now = next;
            self.step();
        }
        self.now = self.now.max(until);
    }

    /// Runs until no event is left, at most to `limit`.
    pub fn run_to_end(&mut self, limit: Time) {
        for flow in 0..self.flows.len() {
            self.pump(flow);
        }
        while let Some(next) = self.next_event() {
            assert!(next <= limit, "still busy at {limit}");
            self.now = next.max(self.now);
            self.step();
        }
    }

    fn next_event(&self) -> Option<Time> {
        let packets = self.events.peek().map(|Reverse(event)| event.0);
        let starts = self.flows.iter().filter(|f| f.started_at > self.now).map(|f| f.started_at);
        let wakeups = self.flows.iter().filter(|f| f.started_at <= self.now).flat_map(|flow| {
            flow.client
                .next_wakeup()
                .into_iter()
                .chain(flow.server.as_ref().and_then(Connection::next_wakeup))
        });
        packets.into_iter().chain(wakeups.map(|at| at.max(self.now))).chain(starts).min()
    }

    fn step(&mut self) {
        if let Some(Reverse(event)) = self.events.peek()
            && event.0 <= self.now
        {
            let Some(Reverse(Scheduled(_, _, what))) = self.events.pop() else { return };
            match what {
                What::Arrive(flow, to, packet) => self.arrive(flow, to, &packet),
                What::Depart => self.depart(),
            }
            return;
        }
        for index in 0..self.flows.len() {
            let now = self.now;
            let flow = &mut self.flows[index];
            if flow.started_at > now {
                continue;
            }
            for connection in [Some(&mut flow.client), flow.server.as_mut()].into_iter().flatten() {
                if connection.next_wakeup().is_some_and(|at| at <= now) {
                    connection.handle_wakeup(now);
                }
            }
            self.pump(index);
            let flow = &self.flows[index];
            for connection in [Some(&flow.client), flow.server.as_ref()].into_iter().flatten() {
                assert!(connection.next_wakeup() != Some(now), "what was due is done");
            }
        }
    }

    fn arrive(&mut self, index: usize, to: Side, packet: &Packet) {
        let now = self.now;
        let flow = &mut self.flows[index];
        let (client, server) = endpoints(index);
        match to {
            Client => flow.client.handle_packet(packet, now),
            Server => match &mut flow.server {
                Some(connection) => connection.handle_packet(packet, now),
                None => {
                    let controller = flow.server_controller.take().expect("the first packet is a SYN");
                    let (parameters, isn) = (&flow.server_parameters, flow.isn[1]);
                    flow.server =
                        Connection::accept(parameters, controller, server, client, isn, packet, now);
                    if let Some(server) = &mut flow.server
                        && flow.server_payload > 0
                    {
                        server.write(Payload::Zeros(flow.server_payload));
                    }
                }
            },
        }
        if let Some(rtt) = flow.client.poll_rtt_sample() {
            flow.rtt_samples.push((now, rtt));
        }
        self.pump(index);
    }

    /// Lets both ends of a flow read and send.
    pub fn pump(&mut self, index: usize) {
        let now = self.now;
        if self.flows[index].started_at > now {
            return;
        }
        for side in [Client, Server] {
            let flow = &mut self.flows[index];
            let connection = match side {
                Client => Some(&mut flow.client),
                Server => flow.server.as_mut(),
            };
            let Some(connection) = connection else { continue };
            while let Some(event) = connection.poll_event() {
                flow.events.push((now, side, event));
            }
            while flow.reads
                && let Some(payload) = connection.read(u64::MAX)
            {
                flow.received_bytes[side as usize] += payload.len();
                match (flow.received[side as usize].last_mut(), payload) {
                    (Some(Payload::Zeros(count)), Payload::Zeros(more)) => *count += more,
                    (_, payload) => flow.received[side as usize].push(payload),
                }
            }
            let mut packets = Vec::new();
            while let Some(packet) = connection.poll_transmit(now) {
                self.departures.extend(connection.departure());
                packets.push(packet);
                assert!(packets.len() < 100_000, "endless");
            }
            for packet in packets {
                self.transmit(index, side, packet);
            }
        }
    }

    fn transmit(&mut self, index: usize, from: Side, mut packet: Packet) {
        let mut seen = self.describe(index, from, &packet);
        let fate = (self.script)(&seen);
        seen.dropped = fate == Fate::Drop;
        if self.keeps_log {
            self.log.push(seen);
        }
        let mut delay = self.delay;
        match fate {
            Fate::Pass => {}
            Fate::Drop => return,
            Fate::Late(more) => delay += more,
            Fate::Twice(more) => self.deliver(index, from, packet.clone(), delay + more),
            Fate::Mark => {
                packet.mark_ce();
            }
            Fate::Rewrite(ecn) => {
                packet.meta.traffic_class = packet.meta.traffic_class & !3 | ecn as u8;
            }
            Fate::Strip => strip(&mut packet),
        }
        match &mut self.bottleneck {
            Some(bottleneck) if from == Client => {
                if bottleneck.queue.len() > bottleneck.limit {
                    self.drops += 1;
                    return;
                }
                let waiting = bottleneck.queue.len();
                self.found.packets += 1;
                self.found.sum += waiting as u64;
                self.found.most = self.found.most.max(waiting);
                if waiting >= bottleneck.marks_from {
                    packet.mark_ce();
                }
                bottleneck.queue.push_back((index, packet));
                if !bottleneck.busy {
                    bottleneck.busy = true;
                    self.serve();
                }
            }
            _ => self.deliver(index, from, packet, delay),
        }
    }

    fn serve(&mut self) {
        let Some(bottleneck) = &self.bottleneck else { return };
        let Some((_, packet)) = bottleneck.queue.front() else { return };
        let time = bottleneck.rate.time_for(Bytes::new(u64::from(packet.meta.length)));
        self.schedule(self.now + time, What::Depart);
    }

    fn depart(&mut self) {
        let Some(bottleneck) = &mut self.bottleneck else { return };
        let Some((index, packet)) = bottleneck.queue.pop_front() else { return };
        bottleneck.busy = !bottleneck.queue.is_empty();
        self.deliver(index, Client, packet, self.delay);
        self.serve();
    }

    fn deliver(&mut self, index: usize, from: Side, packet: Packet, delay: Duration) {
        let to = if from == Client { Server } else { Client };
        self.schedule(self.now + delay, What::Arrive(index, to, packet));
    }

    fn schedule(&mut self, at: Time, what: What) {
        self.scheduled += 1;
        self.events.push(Reverse(Scheduled(at, self.scheduled, what)));
    }

    fn describe(&mut self, index: usize, from: Side, packet: &Packet) -> Seen {
        let flow = &mut self.flows[index];
        let Some(Transport::Tcp(header)) = packet.headers().map(|headers| headers.transport) else {
            panic!("only TCP leaves a TCP endpoint");
        };
        let (own, other) = (flow.isn[from as usize], flow.isn[1 - from as usize]);
        let offset = |wire: u32, isn: u32| i64::from(wire.wrapping_sub(isn.wrapping_add(1)) as i32);
        let number = flow.sent[from as usize];
        flow.sent[from as usize] += 1;
        Seen {
            at: self.now,
            flow: index,
            from,
            index: number,
            seq: offset(header.seq, own),
            ack: offset(header.ack, other),
            length: packet.payload_length() as u64,
            flags: header.flags,
            ace: header.ace(),
            option: header.acc_ecn(),
            window: header.window,
            sack: if header.flags.contains(TcpFlags::SYN) {
                Vec::new()
            } else {
                header.sack.iter().map(|(start, end)| (offset(start, other), offset(end, other))).collect()
            },
            ecn: packet.ecn(),
            dropped: false,
        }
    }
}

fn endpoints(flow: usize) -> (Endpoint, Endpoint) {
    let port = 10_000 + flow as u16;
    (Endpoint::new(Address::v4(10, 0, 0, 1), port), Endpoint::new(Address::v4(10, 0, 0, 2), 80))
}

/// Drops the first transmission of the given data segments of the client.
pub fn lose(segments: &[u64]) -> impl FnMut(&Seen) -> Fate + 'static {
    let mut left: Vec<u64> = segments.to_vec();
    move |seen| {
        let position =
            seen.segment().filter(|_| seen.from == Client).and_then(|n| left.iter().position(|l| *l == n));
        match position {
            Some(position) => {
                left.remove(position);
                Fate::Drop
            }
            None => Fate::Pass,
        }
    }
}

/// Takes the AccECN option from a packet: what a middlebox does that clears options.
fn strip(packet: &mut Packet) {
    let Some(headers) = packet.headers_mut() else { return };
    let before = headers.header_length();
    let Transport::Tcp(tcp) = &mut headers.transport else { return };
    tcp.clear_acc_ecn();
    let cut = before - headers.header_length();
    packet.meta.length -= cut as u16;
}
