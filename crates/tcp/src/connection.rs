//! One end of a TCP connection.

use jettison_core::{Bytes, Duration, Gauges, Rate, Time};
use jettison_wire::{Body, Ecn, Headers, Packet, TcpFlags, TcpHeader, Transport};

use super::acc_ecn::Feedback;
use super::acknowledge::IncomingAck;
use super::events::{CloseReason, ConnectionEvent, Events};
use super::handshake::Handshake;
use super::parameters::{Settings, TcpParameters};
use super::receiver::{IncomingData, Receiver};
use super::sender::{Outgoing, Sender, timestamp};
use super::statistics::{TcpSample, TcpStatistics};
use super::trace::{Departure, Limit, Trace, TraceEvent};
use crate::PathEstimate;
use crate::congestion::{CongestionController, Steered};
use crate::{Endpoint, Payload};

/// One end of a TCP connection: a state machine that receives the time as an argument.
///
/// The host calls [`Connection::handle_packet`] for each arriving packet and [`Connection::handle_wakeup`] at
/// [`Connection::next_wakeup`]. After either, and after the application wrote, read or closed, it takes packets from
/// [`Connection::poll_transmit`] and events from [`Connection::poll_event`] until there are none.
#[derive(Debug, Clone)]
pub struct Connection {
    pub(super) settings: Settings,
    pub(super) local: Endpoint,
    pub(super) remote: Endpoint,
    pub(super) state: State,
    /// Our initial sequence number.
    pub(super) isn: u32,
    pub(super) handshake: Handshake,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Window scale shift of the peer.
    pub(super) peer_scale: u8,
    pub(super) events: Events,
    /// Whether the peer had closed before our FIN left: then there is no TIME-WAIT.
    closed_last: bool,
    /// End of TIME-WAIT.
    close_at: Time,
    finished: bool,
    reset_due: bool,
}

/// Connection state. FIN-WAIT to TIME-WAIT are [`State::Established`] with the flags of the two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    SynSent,
    SynReceived,
    Established,
    Closed,
}

impl Connection {
    /// An active open: the SYN leaves with the first [`Connection::poll_transmit`].
    ///
    /// `controller` comes from [`TcpParameters::controller`]; `isn` is the initial sequence number.
    pub fn connect(
        parameters: &TcpParameters,
        controller: Box<dyn CongestionController>,
        local: Endpoint,
        remote: Endpoint,
        isn: u32,
        now: Time,
    ) -> Connection {
        Connection::new(parameters, controller, local, remote, isn, State::SynSent, now)
    }

    /// A passive open for a received SYN: the SYN-ACK leaves with the first [`Connection::poll_transmit`].
    ///
    /// Returns `None` if `syn` is not a SYN from `remote` to `local`'s port.
    pub fn accept(
        parameters: &TcpParameters,
        controller: Box<dyn CongestionController>,
        local: Endpoint,
        remote: Endpoint,
        isn: u32,
        syn: &Packet,
        now: Time,
    ) -> Option<Connection> {
        let Headers { transport: Transport::Tcp(header), .. } = syn.headers()? else {
            return None;
        };
        let is_syn = header.flags.contains(TcpFlags::SYN)
            && !header.flags.contains(TcpFlags::ACK)
            && !header.flags.contains(TcpFlags::RST);
        if !is_syn || header.dst_port != local.port || header.src_port != remote.port {
            return None;
        }
        let mut connection =
            Connection::new(parameters, controller, local, remote, isn, State::SynReceived, now);
        connection.negotiate(header);
        connection.handshake.peer_ecn = syn.ecn();
        Some(connection)
    }

    fn new(
        parameters: &TcpParameters,
        controller: Box<dyn CongestionController>,
        local: Endpoint,
        remote: Endpoint,
        isn: u32,
        state: State,
        now: Time,
    ) -> Connection {
        let settings =
            Settings { ecn: parameters.ecn.mode(controller.ecn().feedback), ..Settings::from(parameters) };
        Connection {
            settings,
            local,
            remote,
            state,
            isn,
            handshake: Handshake::new(),
            sender: Sender::new(settings, controller, now),
            receiver: Receiver::new(settings, 0, None),
            peer_scale: 0,
            events: Events::default(),
            closed_last: false,
            close_at: Time::MAX,
            finished: false,
            reset_due: false,
        }
    }

    /// Processes a packet addressed to this connection.
    pub fn handle_packet(&mut self, packet: &Packet, now: Time) {
        let Some(Headers { transport: Transport::Tcp(header), .. }) = packet.headers() else {
            return;
        };
        match self.state {
            State::Established => self.handle_established(packet, header, true, now),
            State::SynSent | State::SynReceived => {
                if self.handle_handshake(packet, header, now) {
                    // RFC 9768 §3.2.2.1: a pure ACK of the SYN-ACK has no counter.
                    let has_counter = packet.payload_length() > 0 || !header.sack.is_empty();
                    self.handle_established(packet, header, has_counter, now);
                }
            }
            State::Closed => {}
        }
    }

    /// Returns the next packet to send now, if any. The caller fills in `meta.sent_at`, `meta.id` and `meta.flow`.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        match self.state {
            State::Established => {
                if self.receiver.is_accurate() && self.receiver.reflector.owes_handshake() {
                    return Some(self.pure_ack(now));
                }
                if let Some(outgoing) = self.sender.next_segment(now) {
                    return Some(self.data_packet(&outgoing, now));
                }
                self.receiver.is_ack_due().then(|| self.pure_ack(now))
            }
            State::SynSent | State::SynReceived => self.poll_handshake(now),
            State::Closed => std::mem::take(&mut self.reset_due).then(|| self.reset()),
        }
    }

    /// The time at which [`Connection::handle_wakeup`] must be called next; `None` for never.
    #[inline]
    pub fn next_wakeup(&self) -> Option<Time> {
        let at = match self.state {
            State::Established => {
                self.sender.deadlines.earliest().min(self.receiver.deadline).min(self.close_at)
            }
            State::SynSent | State::SynReceived => self.handshake.deadline,
            State::Closed => Time::MAX,
        };
        (at != Time::MAX).then_some(at)
    }

    /// Processes expired timers. A premature call does nothing.
    pub fn handle_wakeup(&mut self, now: Time) {
        match self.state {
            State::Established => {
                self.receiver.handle_wakeup(now);
                if self.sender.deadlines.earliest() <= now {
                    self.sender.handle_wakeup(now);
                    if self.sender.is_dead {
                        self.end(CloseReason::TimedOut);
                    }
                }
                if self.close_at <= now {
                    self.state = State::Closed;
                }
            }
            State::SynSent | State::SynReceived => self.handshake_timer(now),
            State::Closed => {}
        }
    }

    /// Starts to keep [`TraceEvent`]s and [`Departure`]s; no change if it does already.
    pub fn trace(&mut self, now: Time) {
        let limit = match self.state {
            State::SynSent | State::SynReceived => Limit::Handshake,
            State::Established | State::Closed => Limit::Application,
        };
        self.sender.trace.get_or_insert_with(|| Trace::new(limit, now));
    }

    /// Whether [`Connection::trace`] was called.
    #[inline]
    pub fn is_traced(&self) -> bool {
        self.sender.trace.is_some()
    }

    /// Takes the events of the trace since the last call.
    pub fn trace_events(&mut self) -> impl Iterator<Item = TraceEvent> + '_ {
        self.sender.trace.iter_mut().flat_map(|trace| trace.events.drain(..))
    }

    /// Takes the data in the packet that [`Connection::poll_transmit`] gave last, if it had any and the connection is traced.
    pub fn departure(&mut self) -> Option<Departure> {
        self.sender.trace.as_mut()?.departure.take()
    }

    /// Bytes of the peer's stream that have arrived in order: the stream offset of the first one that is missing.
    #[inline]
    pub fn in_order(&self) -> u64 {
        self.receiver.received()
    }

    /// Appends to the stream. There is no limit: virtual zeros cost no memory, so an endless source writes
    /// `Payload::Zeros(u64::MAX / 2)` once. Ignored after [`Connection::close`].
    pub fn write(&mut self, payload: Payload) {
        self.sender.write(payload);
    }

    /// Bytes written but never sent.
    pub fn unsent(&self) -> u64 {
        self.sender.unsent()
    }

    /// Bytes written but not yet acknowledged.
    pub fn unacknowledged(&self) -> u64 {
        self.sender.unacknowledged()
    }

    /// Bytes written, each by its place in the stream: the offset after the last one.
    pub fn written(&self) -> u64 {
        self.sender.written()
    }

    /// Offset of the first byte that is not acknowledged.
    #[inline]
    pub fn acknowledged(&self) -> u64 {
        self.sender.acknowledged()
    }

    /// Sequence number of the first byte that it writes.
    pub fn first_sequence_number(&self) -> u32 {
        self.isn.wrapping_add(1)
    }

    /// Discards written but unsent bytes, to stop an endless source.
    pub fn discard_unsent(&mut self) {
        self.sender.discard_unsent();
    }

    /// In-order bytes available to the application.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Bytes of the peer's stream that have arrived, each counted once: those in order, and those that wait behind a gap.
    #[inline]
    pub fn arrived(&self) -> u64 {
        self.receiver.received() + self.receiver.waiting()
    }

    /// Bytes that have arrived and wait behind a gap, so that the application cannot read them.
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.receiver.waiting()
    }

    /// Reads the next piece of in-order data, at most `max` bytes. Reading opens the window, which may require an ACK.
    pub fn read(&mut self, max: u64) -> Option<Payload> {
        self.receiver.read(max)
    }

    /// Closes the sending direction after all written data; the other direction stays open until the peer closes it.
    pub fn close(&mut self) {
        self.sender.close();
    }

    /// Aborts the connection and resets the peer.
    pub fn abort(&mut self) {
        if self.state == State::Closed {
            return;
        }
        self.reset_due = self.state != State::SynSent && !self.finished;
        self.end(CloseReason::Aborted);
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<ConnectionEvent> {
        self.events.pop()
    }

    /// Whether the host may remove it: closed in both directions, TIME-WAIT over, no reset to send. Remaining data can
    /// still be read.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed && !self.reset_due
    }

    /// Whether the handshake is complete and the connection has not ended.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// The last RTT sample since the previous call. Call it after every [`Connection::handle_packet`] to get each
    /// sample once.
    #[inline]
    pub fn poll_rtt_sample(&mut self) -> Option<Duration> {
        self.sender.rtt_sample.take()
    }

    /// The local endpoint.
    pub fn local(&self) -> Endpoint {
        self.local
    }

    /// The remote endpoint.
    pub fn remote(&self) -> Endpoint {
        self.remote
    }

    /// Reports the gauges of its congestion controller.
    pub fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        self.sender.controller.gauges(now, out);
    }

    /// Lets someone outside see and set what its controller leaves to them; `None` if that is nothing. Flush the connection
    /// afterwards.
    pub fn steer<T>(&mut self, with: impl FnOnce(&mut Steered) -> T) -> Option<T> {
        let result = with(self.sender.controller.steered()?);
        self.sender.refresh_window();
        Some(result)
    }

    /// The part of the state that is sampled as series. [`Connection::statistics`] has more, and reads more memory: with many
    /// connections that is what a sample costs.
    pub fn sample(&self) -> TcpSample {
        let sender = &self.sender;
        TcpSample {
            congestion_window: sender.window,
            ssthresh: sender.ssthresh,
            smoothed_rtt: sender.rtt.smoothed(),
            in_flight: sender.flight(),
            pacing_rate: sender.pacing_rate(),
        }
    }

    /// State and counters.
    pub fn statistics(&self) -> TcpStatistics {
        let sender = &self.sender;
        let minimum = sender.rtt.minimum();
        TcpStatistics {
            congestion_window: sender.window,
            ssthresh: sender.ssthresh,
            phase: sender.phase,
            smoothed_rtt: sender.rtt.smoothed(),
            latest_rtt: sender.rtt.latest(),
            rtt_variation: sender.rtt.variation(),
            min_rtt: if minimum == Duration::MAX { Duration::ZERO } else { minimum },
            rto: sender.rtt.rto(),
            in_flight: sender.flight(),
            flight_size: sender.board.flight_size(),
            delivered: sender.sampler.delivered().min(sender.buffer.end()),
            lost: sender.board.lost_total(),
            received: self.receiver.received(),
            segments_sent: sender.counters.segments_sent,
            segments_retransmitted: sender.counters.segments_retransmitted,
            bytes_retransmitted: sender.counters.bytes_retransmitted,
            segments_received: self.receiver.segments,
            duplicates_received: self.receiver.duplicates,
            acks_sent: self.receiver.acks_sent,
            timeouts: sender.counters.timeouts,
            recoveries: sender.counters.recoveries,
            spurious_recoveries: sender.counters.spurious_recoveries,
            tail_loss_probes: sender.counters.tail_loss_probes,
            ecn_reductions: sender.counters.ecn_reductions,
            ce_received: self.receiver.ce_segments,
            ce_reported: sender.acc_ecn.marked_packets(),
            pacing_rate: sender.pacing_rate(),
            delivery_rate: sender.last_rate.rate(),
            is_app_limited: sender.sampler.is_app_limited(),
            is_receive_limited: sender.peer_edge.saturating_sub(sender.board.next())
                < sender.mss.min(sender.unsent()),
            peer_window: sender.peer_edge.saturating_sub(sender.board.next()),
        }
    }

    /// The estimate of the path: the controller's bandwidth if it estimates one, otherwise the window over the
    /// smoothed RTT.
    pub fn path_estimate(&self) -> PathEstimate {
        let sender = &self.sender;
        let (smoothed, minimum) = (sender.rtt.smoothed(), sender.rtt.minimum());
        let rtt = Some(smoothed).filter(|rtt| !rtt.is_zero());
        let by_window = || Some(Rate::of(Bytes::new(sender.window), rtt?));
        PathEstimate {
            bandwidth: sender.controller.bandwidth().or_else(by_window),
            rtt,
            min_rtt: Some(minimum).filter(|rtt| *rtt != Duration::MAX),
            is_app_limited: sender.sampler.is_app_limited(),
            budget: None,
            backlog: sender.unsent(),
            in_flight: sender.flight(),
        }
    }

    /// Processes a packet of an established connection; `has_counter` says whether its ACE field is one, if accurate ECN is in
    /// use.
    fn handle_established(&mut self, packet: &Packet, header: &TcpHeader, has_counter: bool, now: Time) {
        let flags = header.flags;
        let length = packet.payload_length() as u64;
        if flags.0 & (TcpFlags::RST.0 | TcpFlags::SYN.0) != 0 || !flags.contains(TcpFlags::ACK) {
            return self.handle_control(packet.ecn(), header);
        }
        let fin = flags.contains(TcpFlags::FIN);
        let has_data = length > 0 || fin;
        if self.sender.timestamps
            && let Some((value, _)) = header.timestamps()
            && !self.receiver.accept_timestamp(value, header.seq)
        {
            // RFC 7323 §5.3: an old segment. Repeated data is worth a report (DSACK); an old ACK is not.
            if has_data && self.receiver.offset(header.seq) + length as i64 > self.receiver.received() as i64
            {
                self.receiver.acknowledge_now();
                return;
            } else if !has_data {
                return;
            }
        }

        if self.receiver.is_accurate() {
            self.receiver.count_ecn(packet.ecn(), header.seq, length);
        }

        // Sequence numbers wrap, so the ACK is compared by its distance from SND.UNA; older ones are ignored.
        let una = self.sender.board.una();
        let wire_start = self.isn.wrapping_add(1);
        let ahead = header.ack.wrapping_sub(wire_start.wrapping_add(una as u32)) as i32;
        if ahead >= 0 {
            let ack = IncomingAck {
                number: una + ahead as u64,
                window: u64::from(header.window) << self.peer_scale,
                echo: if self.sender.timestamps { header.timestamps().map(|(_, echo)| echo) } else { None },
                blocks: &header.sack,
                wire_start,
                ecn_echo: flags.contains(TcpFlags::ECE),
                accurate: (self.receiver.is_accurate() && has_counter).then(|| Feedback {
                    ace: header.ace(),
                    option: header.acc_ecn(),
                    stamp: header.timestamps().map(|(stamp, _)| stamp).filter(|_| self.sender.timestamps),
                }),
                has_data,
            };
            if self.sender.handle_ack(&ack, now) {
                self.events.push(ConnectionEvent::Acknowledged);
            }
        }

        if has_data {
            let bytes = match &packet.body {
                Body::Payload(boxed) => Some(&*boxed.payload),
                Body::Model(_) | Body::Corrupted(_) | Body::Buffer(_) => None,
            };
            let had_fin = self.receiver.fin_received;
            let data = IncomingData {
                sequence: header.seq,
                length,
                bytes,
                fin,
                ce: packet.ecn() == Ecn::Ce,
                cwr: flags.contains(TcpFlags::CWR),
            };
            if self.receiver.handle_data(&data, now) {
                self.events.push(ConnectionEvent::Readable);
            }
            if self.receiver.fin_received && !had_fin {
                self.events.push(ConnectionEvent::PeerClosed);
            }
            if had_fin && self.close_at != Time::MAX {
                // RFC 9293 §3.10.7.4: a repeated FIN restarts TIME-WAIT.
                self.close_at = now.saturating_add(self.settings.time_wait);
            }
        } else if self.receiver.is_window_probe(header.seq) {
            // RFC 9293 §3.10.7.4: a window probe; the ACK reports our window.
            self.receiver.acknowledge_now();
        }
        if self.sender.fin_acknowledged && self.receiver.fin_received && !self.finished {
            self.finish(now);
        }
    }

    /// Handles RST, a repeated SYN, or a packet without ACK.
    fn handle_control(&mut self, ecn: Ecn, header: &TcpHeader) {
        if header.flags.contains(TcpFlags::RST) {
            // RFC 9293 §3.10.7.4: anywhere in the window. (RFC 5961 §3.2 requires an exact match, against blind
            // attackers.)
            if self.receiver.is_in_window(header.seq) {
                self.end(CloseReason::Reset);
            }
        } else if header.flags.contains(TcpFlags::SYN) {
            // Our ACK of the SYN-ACK was lost (RFC 5961 §4.2: challenge ACK). RFC 9768 §3.2.2.1: it feeds back the IP-ECN
            // field of the repeated SYN-ACK, too.
            if self.receiver.is_accurate() && header.flags.contains(TcpFlags::ACK) {
                self.receiver.reflector.on_syn_ack(ecn);
            }
            self.receiver.acknowledge_now();
        }
    }

    /// Closes the connection after both FINs are acknowledged.
    fn finish(&mut self, now: Time) {
        self.finished = true;
        self.events.push(ConnectionEvent::Closed { reason: CloseReason::Finished });
        if self.closed_last {
            self.state = State::Closed;
        } else {
            self.close_at = now.saturating_add(self.settings.time_wait);
        }
    }

    pub(super) fn end(&mut self, reason: CloseReason) {
        self.state = State::Closed;
        self.events.push(ConnectionEvent::Closed { reason });
    }

    fn data_packet(&mut self, outgoing: &Outgoing, now: Time) -> Packet {
        if let Some(trace) = &mut self.sender.trace {
            let repair = trace.repair.take();
            trace.departure = (outgoing.length > 0).then(|| Departure {
                offset: outgoing.offset.max(0) as u64,
                length: outgoing.length,
                repair: repair.filter(|_| outgoing.is_retransmission),
            });
        }
        if outgoing.fin && !outgoing.is_retransmission {
            self.closed_last = self.receiver.fin_received;
        }
        let mut header = self.header(now, false);
        header.seq = self.isn.wrapping_add(1).wrapping_add(outgoing.offset as u32);
        if outgoing.fin {
            header.flags = header.flags.with(TcpFlags::FIN);
        }
        if outgoing.cwr {
            header.flags = header.flags.with(TcpFlags::CWR);
        }
        let end = outgoing.offset + outgoing.length as i64;
        if outgoing.length > 0 && end as u64 == self.sender.buffer.end() {
            // RFC 9293 §3.9.1.2: the last byte written so far.
            header.flags = header.flags.with(TcpFlags::PSH);
        }
        if self.receiver.is_accurate() {
            let room = self.sender.mss_with_option.saturating_sub(outgoing.length);
            self.receiver.reflector.add_to_data(&mut header, self.settings.ecn_option, room);
        }
        let headers = self.headers(header);
        let mut packet = match self.sender.buffer.bytes(outgoing.offset.max(0) as u64, outgoing.length) {
            Some(bytes) => Packet::with_payload(headers, bytes),
            None => Packet::model(headers, outgoing.length as usize),
        };
        packet.meta.traffic_class = self.settings.dscp << 2;
        // RFC 3168 §6.1.1, §6.1.5: new data is ECN-capable, retransmissions are not.
        let is_new_data = !outgoing.is_retransmission && outgoing.length > 0;
        packet.meta.traffic_class |= self.sender.codepoint(is_new_data);
        packet
    }

    fn pure_ack(&mut self, now: Time) -> Packet {
        let mut header = self.header(now, true);
        header.seq = self.isn.wrapping_add(1).wrapping_add(self.sender.board.next() as u32);
        header.sack = self.receiver.sack_blocks();
        if self.receiver.is_accurate() {
            self.receiver.reflector.add_to_ack(&mut header, self.settings.ecn_option);
        }
        let mut packet = Packet::model(self.headers(header), 0);
        packet.meta.traffic_class = self.settings.dscp << 2 | self.sender.codepoint(false);
        packet
    }

    fn reset(&mut self) -> Packet {
        let mut header = TcpHeader::new(self.local.port, self.remote.port);
        header.seq = self.isn.wrapping_add(1).wrapping_add(self.sender.board.next() as u32);
        header.ack = self.receiver.acknowledgement(true).number;
        header.flags = TcpFlags::RST.with(TcpFlags::ACK);
        Packet::model(self.headers(header), 0)
    }

    /// A header with all acknowledgement fields.
    #[inline]
    fn header(&mut self, now: Time, for_pure_ack: bool) -> TcpHeader {
        let mut header = TcpHeader::new(self.local.port, self.remote.port);
        let ack = self.receiver.acknowledgement(for_pure_ack);
        header.ack = ack.number;
        header.window = ack.window;
        header.flags = if ack.ecn_echo { TcpFlags::ACK.with(TcpFlags::ECE) } else { TcpFlags::ACK };
        if let Some(ace) = ack.ace {
            header.set_ace(ace);
        }
        if self.sender.timestamps {
            header.options = TcpHeader::OPT_TIMESTAMPS;
            header.timestamps = [timestamp(now), self.receiver.recent_timestamp];
        }
        header
    }

    #[inline]
    pub(super) fn headers(&self, header: TcpHeader) -> Headers {
        Headers { src: self.local.address, dst: self.remote.address, transport: Transport::Tcp(header) }
    }
}
