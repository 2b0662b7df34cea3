//! Network stack of a host: demultiplexing, sockets, and packets to send.

use std::collections::VecDeque;

use jettison_core::{DropReason, RandomStream, Rate, Time};
use jettison_measure::{Place, Provenance, Recorder, StreamId};
use jettison_sockets::{
    CloseReason, Datagram, EchoRequest, SocketEvent, SocketId, SocketTable, TcpOptions, limit_component,
    repair_component,
};
use jettison_tcp::Endpoint;
use jettison_tcp::congestion::Seen;
use jettison_tcp::{self, Connection, ConnectionEvent, Departure, TcpStatistics, TraceEvent};
use jettison_wire::{
    Address, FlowId, Headers, IcmpEcho, InlineBytes, Packet, TcpFlags, TcpHeader, Transport, UdpHeader,
};
use rustc_hash::FxHashMap;

use crate::control::Reply;

/// First dynamic port (RFC 6335 §6).
const FIRST_EPHEMERAL_PORT: u16 = 49_152;

/// A host's network stack.
#[derive(Clone)]
pub(crate) struct Stack {
    pub(crate) address: Address,
    owners: Vec<Owner>,
    sockets: SocketTable<Socket>,
    connections: FxHashMap<FourTuple, u32>,
    listeners: FxHashMap<u16, u32>,
    datagram_ports: FxHashMap<u16, u32>,
    next_port: u16,
    /// Pending socket events with the index of their program.
    pub(crate) events: VecDeque<(u32, SocketEvent)>,
    /// Connections to flush: they may have packets to send or a new wakeup.
    pub(crate) dirty: Vec<u32>,
    /// Packets to send, in order.
    pub(crate) outbox: Vec<Packet>,
    /// Number of the next packet of the world; the host has it while it handles an event.
    pub(crate) next_id: u32,
    /// Echo replies for controllers; `None` without controllers that probe.
    pub(crate) replies: Option<Vec<Reply>>,
    /// The program that waits for a decision from outside.
    pub(crate) suspended_by: Option<u32>,
    /// Hardware address of a host with an Ethernet interface.
    pub(crate) mac: Option<[u8; 6]>,
    /// Programs that take the frames of their flows.
    captures: Vec<u32>,
}

/// State of the stack per program.
#[derive(Clone)]
struct Owner {
    flow: FlowId,
    /// Random stream of initial sequence numbers (RFC 9293 §3.4.1).
    numbers: RandomStream,
    observed: Option<SocketId>,
    /// Totals of removed connections.
    totals: Totals,
    /// Totals of all connections at the end of the warm-up.
    before: Totals,
}

/// Totals over a program's connections.
#[derive(Debug, Default, Clone, Copy)]
struct Totals {
    /// Number of connections that sent data.
    senders: u64,
    retransmits: u64,
    timeouts: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FourTuple {
    local_port: u16,
    remote: Endpoint,
}

#[derive(Clone)]
pub(crate) enum Socket {
    Tcp(Box<TcpSocket>),
    Listener { owner: u32, options: TcpOptions },
    Udp { owner: u32, port: u16 },
}

#[derive(Clone)]
pub(crate) struct TcpSocket {
    connection: Connection,
    owner: u32,
    key: FourTuple,
    dirty: bool,
    /// The listener that accepted it, during the handshake.
    listener: Option<SocketId>,
    /// Bytes already counted as goodput; `None` if what arrives does not count.
    counted: Option<u64>,
    /// The provenance of what it sends; `None` before its first packet, and without provenance.
    stream: Option<StreamId>,
}

impl Stack {
    pub(crate) fn new(address: Address) -> Stack {
        Stack {
            address,
            owners: Vec::new(),
            sockets: SocketTable::default(),
            connections: FxHashMap::default(),
            listeners: FxHashMap::default(),
            datagram_ports: FxHashMap::default(),
            next_port: FIRST_EPHEMERAL_PORT,
            events: VecDeque::new(),
            dirty: Vec::new(),
            outbox: Vec::new(),
            next_id: 0,
            replies: None,
            suspended_by: None,
            mac: None,
            captures: Vec::new(),
        }
    }

    pub(crate) fn add_owner(&mut self, flow: FlowId, numbers: RandomStream) {
        self.owners.push(Owner {
            flow,
            numbers,
            observed: None,
            totals: Totals::default(),
            before: Totals::default(),
        });
    }

    // ---- calls by programs -----------------------------------------------------------------------------------

    pub(crate) fn tcp_connect(
        &mut self,
        owner: u32,
        remote: Endpoint,
        options: &TcpOptions,
        now: Time,
    ) -> SocketId {
        let key = loop {
            let key = FourTuple { local_port: self.ephemeral_port(), remote };
            if !self.connections.contains_key(&key) {
                break key;
            }
        };
        let local = Endpoint { address: self.address, port: key.local_port };
        let number = self.owners[owner as usize].numbers.uniform(0, u64::from(u32::MAX)) as u32;
        let connection =
            Connection::connect(&options.parameters, options.controller.make(), local, remote, number, now);
        self.add_connection(connection, owner, key, None)
    }

    pub(crate) fn tcp_listen(&mut self, owner: u32, port: u16, options: &TcpOptions) -> SocketId {
        let index = self.sockets.insert(Socket::Listener { owner, options: options.clone() });
        self.listeners.insert(port, index);
        self.sockets.id(index)
    }

    pub(crate) fn udp_bind(&mut self, owner: u32, port: u16) -> SocketId {
        let port = if port == 0 { self.ephemeral_port() } else { port };
        let index = self.sockets.insert(Socket::Udp { owner, port });
        self.datagram_ports.insert(port, index);
        self.sockets.id(index)
    }

    /// Mutable access to a connection, which is flushed afterwards.
    pub(crate) fn connection_mut(&mut self, id: SocketId) -> Option<&mut Connection> {
        let index = self.sockets.index(id)?;
        let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) else { return None };
        if !socket.dirty {
            socket.dirty = true;
            self.dirty.push(index);
        }
        Some(&mut socket.connection)
    }

    pub(crate) fn connection(&self, id: SocketId) -> Option<&Connection> {
        match self.sockets.get(self.sockets.index(id)?) {
            Some(Socket::Tcp(socket)) => Some(&socket.connection),
            _ => None,
        }
    }

    /// Sets window and rate of the steered connections of a flow's programs. Returns what they saw, if there are any, and whether
    /// any had other values before; these are then flushed.
    pub(crate) fn steer_connections(
        &mut self,
        flow: FlowId,
        window: u64,
        rate: Option<Rate>,
    ) -> (Option<Seen>, bool) {
        let (mut sum, mut changed): (Option<Seen>, bool) = (None, false);
        for index in 0..self.sockets.end() {
            let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) else { continue };
            if self.owners[socket.owner as usize].flow != flow {
                continue;
            }
            let taken = socket.connection.steer(|steered| {
                let before = (steered.window, steered.rate);
                (steered.window, steered.rate) = (window, rate);
                (steered.seen.take(), before != (window, rate))
            });
            let Some((seen, differs)) = taken else { continue };
            sum.get_or_insert_default().add(&seen);
            changed |= differs;
            if differs && !socket.dirty {
                socket.dirty = true;
                self.dirty.push(index);
            }
        }
        (sum, changed)
    }

    /// The provenance of what a connection sends, and the bytes that its program has written.
    pub(crate) fn stream(
        &mut self,
        id: SocketId,
        provenance: &mut Provenance,
        now: Time,
    ) -> Option<(StreamId, u64)> {
        let index = self.sockets.index(id)?;
        let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) else { return None };
        let stream = socket.stream(self.owners[socket.owner as usize].flow, provenance, now);
        Some((stream, socket.connection.written()))
    }

    /// Traces a connection from now on, for accounts of delays.
    pub(crate) fn trace(&mut self, id: SocketId, now: Time) {
        if let Some(connection) = self.connection_mut(id) {
            connection.trace(now);
        }
    }

    /// Address and port of a UDP socket.
    pub(crate) fn datagram_end(&self, id: SocketId) -> Option<(Address, u16)> {
        match self.sockets.get(self.sockets.index(id)?) {
            Some(Socket::Udp { port, .. }) => Some((self.address, *port)),
            _ => None,
        }
    }

    /// Counts what a connection receives as goodput of its program's flow.
    pub(crate) fn count_goodput(&mut self, id: SocketId) {
        let Some(index) = self.sockets.index(id) else { return };
        if let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) {
            socket.counted.get_or_insert(0);
        }
    }

    pub(crate) fn observe(&mut self, owner: u32, socket: SocketId) {
        self.owners[owner as usize].observed = Some(socket);
    }

    /// Closes a listener or a UDP socket.
    pub(crate) fn unbind(&mut self, id: SocketId) {
        let Some(index) = self.sockets.index(id) else { return };
        match self.sockets.get(index) {
            Some(Socket::Udp { port, .. }) => {
                let port = *port;
                self.datagram_ports.remove(&port);
            }
            Some(Socket::Listener { .. }) => self.listeners.retain(|_, listener| *listener != index),
            _ => return,
        }
        self.sockets.remove(index);
    }

    pub(crate) fn send_to(
        &mut self,
        owner: u32,
        id: SocketId,
        remote: Endpoint,
        datagram: &Datagram,
        now: Time,
    ) {
        let Some(Socket::Udp { port, .. }) = self.sockets.index(id).and_then(|index| self.sockets.get(index))
        else {
            return;
        };
        let transport =
            Transport::Udp(UdpHeader { src_port: *port, dst_port: remote.port, inline: datagram.head });
        let headers = Headers { src: self.address, dst: remote.address, transport };
        let mut packet = Packet::model(headers, usize::from(datagram.length));
        packet.meta.traffic_class = datagram.traffic_class;
        self.send(packet, self.owners[owner as usize].flow, now);
    }

    pub(crate) fn send_echo(&mut self, owner: u32, remote: Address, request: &EchoRequest, now: Time) {
        let stamp = now.as_nanos().to_be_bytes();
        let inline = InlineBytes::new(&stamp[..stamp.len().min(usize::from(request.length))])
            .expect("eight bytes fit in forty");
        // The identifier is the index of the program, in place of a process id.
        let echo = IcmpEcho { reply: false, identifier: owner as u16, sequence: request.sequence, inline };
        let headers = Headers { src: self.address, dst: remote, transport: Transport::Icmp(echo) };
        let mut packet = Packet::model(headers, usize::from(request.length));
        packet.meta.traffic_class = request.traffic_class;
        self.send(packet, self.owners[owner as usize].flow, now);
    }

    /// Sends a frame; without an Ethernet interface it has no effect.
    pub(crate) fn send_frame(&mut self, owner: u32, frame: &[u8], now: Time) {
        let Some(mac) = self.mac else { return };
        let mut frame = frame.to_vec();
        if let Some(source) = frame.get_mut(6..12).filter(|source| source.iter().all(|byte| *byte == 0)) {
            source.copy_from_slice(&mac);
        }
        self.send(Packet::from_frame(frame), self.owners[owner as usize].flow, now);
    }

    /// Lets a program take the frames of its flow.
    pub(crate) fn capture_frames(&mut self, owner: u32) {
        if !self.captures.contains(&owner) {
            self.captures.push(owner);
        }
    }

    // ---- calls by the world ----------------------------------------------------------------------------------

    /// The program that takes the frames of a flow.
    pub(crate) fn captures(&self, flow: FlowId) -> Option<u32> {
        self.captures.iter().copied().find(|owner| self.owners[*owner as usize].flow == flow)
    }

    /// Numbers the packets of the outbox that no socket sent.
    pub(crate) fn number_frames(&mut self, from: usize, now: Time) {
        for packet in self.outbox.iter_mut().skip(from).filter(|packet| packet.meta.flow == FlowId::NONE) {
            packet.meta.sent_at = now;
            packet.meta.id = self.next_id;
            self.next_id = self.next_id.wrapping_add(1);
        }
    }

    /// Handles an arriving packet. Returns its direct event, if any; events of connections are queued in `events`.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        packet: &Packet,
        now: Time,
        recorder: &mut Recorder,
    ) -> Option<(u32, SocketEvent)> {
        let Some(headers) = packet.headers() else {
            let reason = if packet.is_corrupted() { DropReason::Corrupted } else { DropReason::Malformed };
            dropped(recorder, packet, reason, now);
            return None;
        };
        if packet.is_corrupted() {
            dropped(recorder, packet, DropReason::Corrupted, now);
            return None;
        }
        if headers.dst != self.address {
            dropped(recorder, packet, DropReason::NoRoute, now);
            return None;
        }
        match headers.transport {
            Transport::Tcp(ref tcp) => {
                let remote = Endpoint { address: headers.src, port: tcp.src_port };
                let key = FourTuple { local_port: tcp.dst_port, remote };
                match self.connections.get(&key) {
                    Some(&index) => self.segment(index, packet, now, recorder),
                    None => self.first_segment(key, *tcp, packet, now, recorder),
                }
            }
            Transport::Udp(ref udp) => {
                let found = self.datagram_ports.get(&udp.dst_port).copied();
                let Some((index, Some(Socket::Udp { owner, .. }))) = found.map(|i| (i, self.sockets.get(i)))
                else {
                    dropped(recorder, packet, DropReason::NoSocket, now);
                    return None;
                };
                let datagram = Datagram {
                    head: udp.inline,
                    length: packet.payload_length() as u16,
                    traffic_class: packet.meta.traffic_class,
                };
                let from = Endpoint { address: headers.src, port: udp.src_port };
                let socket = self.sockets.id(index);
                return Some((*owner, SocketEvent::Datagram { socket, from, datagram }));
            }
            Transport::Icmp(echo) if echo.reply => {
                let stamp = echo.inline.as_slice().first_chunk::<8>()?;
                let sent_at = Time::from_nanos(u64::from_be_bytes(*stamp));
                if let Some(replies) = &mut self.replies {
                    let back = now.since(packet.meta.sent_at);
                    let out = now.since(sent_at).saturating_sub(back);
                    replies.push(Reply { flow: packet.meta.flow, at: now, out, back });
                }
                if usize::from(echo.identifier) < self.owners.len() {
                    let event = SocketEvent::EchoReply { sequence: echo.sequence, rtt: now.since(sent_at) };
                    return Some((u32::from(echo.identifier), event));
                }
            }
            Transport::Icmp(echo) => {
                // RFC 792: the reply returns the data of the request; its traffic class too, as hosts do.
                let transport = Transport::Icmp(IcmpEcho { reply: true, ..echo });
                let headers = Headers { src: self.address, dst: headers.src, transport };
                let mut reply = Packet::model(headers, packet.payload_length());
                reply.meta.traffic_class = packet.meta.traffic_class;
                self.send(reply, packet.meta.flow, now);
                if let (Some(provenance), Some(reply)) = (recorder.provenance(), self.outbox.last()) {
                    provenance.reply(packet, reply, now);
                }
            }
        }
        None
    }

    #[inline]
    fn segment(&mut self, index: u32, packet: &Packet, now: Time, recorder: &mut Recorder) {
        let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) else { return };
        let before = socket.connection.in_order();
        socket.connection.handle_packet(packet, now);
        if let Some(accounts) = recorder.accounts() {
            accounts.received(packet.meta.id, before, socket.connection.in_order(), now);
        }
        if !socket.dirty {
            socket.dirty = true;
            self.dirty.push(index);
        }
        self.collect_events(index);
    }

    /// Handles a segment without a connection: a SYN for a listener, or else a reset in response (RFC 9293 §3.10.7.1).
    fn first_segment(
        &mut self,
        key: FourTuple,
        header: TcpHeader,
        packet: &Packet,
        now: Time,
        recorder: &mut Recorder,
    ) {
        let listener = self.listeners.get(&key.local_port).copied();
        if let Some(index) = listener
            && let Some(Socket::Listener { owner, options }) = self.sockets.get(index)
            && header.flags.contains(TcpFlags::SYN)
            && !header.flags.contains(TcpFlags::ACK)
        {
            let owner = *owner;
            let number = self.owners[owner as usize].numbers.uniform(0, u64::from(u32::MAX)) as u32;
            let local = Endpoint { address: self.address, port: key.local_port };
            let controller = options.controller.make();
            let accepted =
                Connection::accept(&options.parameters, controller, local, key.remote, number, packet, now);
            if let Some(connection) = accepted {
                let listener = self.sockets.id(index);
                self.add_connection(connection, owner, key, Some(listener));
            }
            return;
        }
        dropped(recorder, packet, DropReason::NoSocket, now);
        if let Some(reset) = reset_for(packet) {
            self.send(reset, packet.meta.flow, now);
        }
    }

    pub(crate) fn wake_socket(&mut self, index: usize, now: Time) {
        let index = index as u32;
        if let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) {
            socket.connection.handle_wakeup(now);
            if !socket.dirty {
                socket.dirty = true;
                self.dirty.push(index);
            }
            self.collect_events(index);
        }
    }

    /// Lets a connection send, and returns its next wakeup.
    #[inline]
    pub(crate) fn flush(&mut self, index: u32, now: Time, recorder: &mut Recorder) -> Time {
        let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) else { return Time::MAX };
        socket.dirty = false;
        let flow = self.owners[socket.owner as usize].flow;
        let mut provenance = recorder.provenance();
        while let Some(mut packet) = socket.connection.poll_transmit(now) {
            packet.meta.sent_at = now;
            packet.meta.flow = flow;
            packet.meta.id = self.next_id;
            self.next_id = self.next_id.wrapping_add(1);
            if let Some(provenance) = &mut provenance {
                let stream = socket.stream(flow, provenance, now);
                provenance.segment(stream, &packet, socket.connection.acknowledged());
                socket.account_departure(stream, packet.meta.id, provenance, now);
            }
            self.outbox.push(packet);
        }
        if let (Some(stream), Some(provenance)) = (socket.stream, provenance) {
            socket.account_events(stream, provenance);
        }
        if let Some(meter) = recorder.flow(flow) {
            while let Some(rtt) = socket.connection.poll_rtt_sample() {
                meter.round_trip(rtt);
            }
            if let Some(counted) = &mut socket.counted {
                let arrived = socket.connection.arrived();
                meter.delivered(arrived - *counted);
                *counted = arrived;
                if socket.connection.is_closed() {
                    meter.undelivered(socket.connection.waiting());
                }
            }
        }
        if socket.connection.is_closed() {
            if let (Some(stream), Some(provenance)) = (socket.stream, recorder.provenance()) {
                provenance.closed(stream, now);
            }
            self.collect_events(index);
            self.remove_connection(index);
            return Time::MAX;
        }
        socket.connection.next_wakeup().unwrap_or(Time::MAX)
    }

    /// The observed connections with their flows.
    pub(crate) fn observed(&self) -> impl Iterator<Item = (FlowId, &Connection)> + '_ {
        self.owners.iter().filter_map(|owner| Some((owner.flow, self.connection(owner.observed?)?)))
    }

    /// Ends the warm-up: earlier activity of connections is excluded from the summary.
    pub(crate) fn start_measuring(&mut self) {
        for (owner, now) in self.totals().into_iter().enumerate() {
            self.owners[owner].before = now;
        }
    }

    /// Adds retransmissions and timeouts since the warm-up to the meter of each sender's flow. Both ends of a flow may send.
    /// What still waits behind a gap was not delivered.
    pub(crate) fn summarise(&self, recorder: &mut Recorder) {
        for index in 0..self.sockets.end() {
            if let Some(Socket::Tcp(socket)) = self.sockets.get(index)
                && socket.counted.is_some()
                && let Some(meter) = recorder.flow(self.owners[socket.owner as usize].flow)
            {
                meter.undelivered(socket.connection.waiting());
            }
        }
        for (owner, totals) in self.owners.iter().zip(self.totals()) {
            if let Some(meter) = recorder.flow(owner.flow).filter(|_| totals.senders > 0) {
                let retransmits = totals.retransmits - owner.before.retransmits;
                meter.sender_ended(retransmits, totals.timeouts - owner.before.timeouts);
            }
        }
    }

    /// Totals of each program's connections so far, including removed ones.
    fn totals(&self) -> Vec<Totals> {
        let mut totals: Vec<Totals> = self.owners.iter().map(|owner| owner.totals).collect();
        for index in 0..self.sockets.end() {
            if let Some(Socket::Tcp(socket)) = self.sockets.get(index) {
                totals[socket.owner as usize].add(&socket.connection.statistics());
            }
        }
        totals
    }

    // ---- internals -------------------------------------------------------------------------------------------

    fn send(&mut self, mut packet: Packet, flow: FlowId, now: Time) {
        packet.meta.sent_at = now;
        packet.meta.flow = flow;
        // Before the move, as the others: a narrow store between two moves would stall the second.
        packet.meta.id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        self.outbox.push(packet);
    }

    fn ephemeral_port(&mut self) -> u16 {
        // Round-robin over the dynamic range (RFC 6056 §3.3.1's simplest form).
        loop {
            let port = self.next_port;
            self.next_port = if port == u16::MAX { FIRST_EPHEMERAL_PORT } else { port + 1 };
            if !self.datagram_ports.contains_key(&port) {
                return port;
            }
        }
    }

    fn add_connection(
        &mut self,
        connection: Connection,
        owner: u32,
        key: FourTuple,
        listener: Option<SocketId>,
    ) -> SocketId {
        let socket = TcpSocket { connection, owner, key, dirty: true, listener, counted: None, stream: None };
        let index = self.sockets.insert(Socket::Tcp(Box::new(socket)));
        self.connections.insert(key, index);
        self.dirty.push(index);
        self.sockets.id(index)
    }

    #[inline]
    fn collect_events(&mut self, index: u32) {
        let id = self.sockets.id(index);
        let Some(Socket::Tcp(socket)) = self.sockets.get_mut(index) else { return };
        while let Some(event) = socket.connection.poll_event() {
            let event = match event {
                ConnectionEvent::Connected => match socket.listener.take() {
                    Some(listener) => SocketEvent::Accepted { listener, socket: id },
                    None => SocketEvent::Connected(id),
                },
                ConnectionEvent::Readable => SocketEvent::Readable(id),
                ConnectionEvent::Acknowledged => SocketEvent::Acknowledged(id),
                ConnectionEvent::PeerClosed => SocketEvent::PeerClosed(id),
                ConnectionEvent::Closed { reason } => SocketEvent::Closed(id, close_reason(reason)),
            };
            self.events.push_back((socket.owner, event));
        }
    }

    fn remove_connection(&mut self, index: u32) {
        if let Some(Socket::Tcp(socket)) = self.sockets.remove(index) {
            self.owners[socket.owner as usize].totals.add(&socket.connection.statistics());
            self.connections.remove(&socket.key);
        }
    }
}

impl TcpSocket {
    /// Accounts for the data in the packet that the connection made last, if it is traced.
    #[inline]
    fn account_departure(&mut self, stream: StreamId, packet: u32, provenance: &mut Provenance, now: Time) {
        if self.connection.is_traced()
            && let Some(Departure { offset, length, repair }) = self.connection.departure()
            && let Some(accounts) = provenance.accounts()
        {
            accounts.departed(stream, packet, offset..offset + length, repair.map(repair_component), now);
        }
    }

    /// Accounts for what held the connection back, if it is traced.
    #[inline]
    fn account_events(&mut self, stream: StreamId, provenance: &mut Provenance) {
        if !self.connection.is_traced() {
            return;
        }
        let Some(accounts) = provenance.accounts() else { return };
        for event in self.connection.trace_events() {
            match event {
                TraceEvent::Limited(at, limit) => accounts.limited(stream, limit_component(limit), at),
                TraceEvent::ReducedForLoss(at, offset) => accounts.reduced_for_loss(stream, offset, at),
                TraceEvent::ReducedForMarks(at) => accounts.reduced_for_marks(stream, at),
            }
        }
    }

    /// The provenance of what the socket sends.
    #[inline]
    fn stream(&mut self, flow: FlowId, provenance: &mut Provenance, now: Time) -> StreamId {
        let own = &self.connection;
        *self.stream.get_or_insert_with(|| {
            let end = |end: Endpoint| (end.address, end.port);
            provenance.opened(end(own.local()), end(own.remote()), flow, own.first_sequence_number(), now)
        })
    }
}

impl Totals {
    fn add(&mut self, connection: &TcpStatistics) {
        // A pure receiver has no retransmissions to report.
        if connection.delivered > 0 {
            self.senders += 1;
            self.retransmits += connection.segments_retransmitted;
            self.timeouts += connection.timeouts;
        }
    }
}

/// The reset in response to a segment without a connection (RFC 9293 §3.10.7.1); `None` for a reset.
fn reset_for(packet: &Packet) -> Option<Packet> {
    let headers = packet.headers()?;
    let Transport::Tcp(segment) = headers.transport else { return None };
    if segment.flags.contains(TcpFlags::RST) {
        return None;
    }
    let mut reset = TcpHeader::new(segment.dst_port, segment.src_port);
    if segment.flags.contains(TcpFlags::ACK) {
        reset.seq = segment.ack;
        reset.flags = TcpFlags::RST;
    } else {
        let controls = [TcpFlags::SYN, TcpFlags::FIN].iter().filter(|flag| segment.flags.contains(**flag));
        let length = packet.payload_length() as u32 + controls.count() as u32;
        reset.ack = segment.seq.wrapping_add(length);
        reset.flags = TcpFlags::RST.with(TcpFlags::ACK);
    }
    let headers = Headers { src: headers.dst, dst: headers.src, transport: Transport::Tcp(reset) };
    Some(Packet::model(headers, 0))
}

fn close_reason(reason: jettison_tcp::CloseReason) -> CloseReason {
    match reason {
        jettison_tcp::CloseReason::Finished | jettison_tcp::CloseReason::Aborted => CloseReason::Finished,
        jettison_tcp::CloseReason::Reset => CloseReason::Reset,
        jettison_tcp::CloseReason::TimedOut => CloseReason::TimedOut,
    }
}

fn dropped(recorder: &mut Recorder, packet: &Packet, reason: DropReason, now: Time) {
    recorder.packet_dropped(Place::Node, packet, reason, now);
}
