//! One end of a connection.

use std::sync::Arc;

use jettison_core::{Duration, Gauges, Time};
use jettison_wire::{Ecn, InlineBytes, MessageNumber, OctopusHeader, PacketKind, SequenceHeader};

use super::ack::{Ack, ecn_of};
use super::limits::Limits;
use super::message::{Message, MessageEvent, MessageParams, MessagePayload, SendError};
use super::parameters::{HEADERS, OctopusParameters, Settings};
use super::reassembly::{NotTaken, Reassembly, is_consistent};
use super::receiver::Receiver;
use super::sender::Sender;
use super::statistics::OctopusStatistics;
use super::streams::StreamOptions;
use crate::path::PathController;
use jettison_tcp::PathEstimate;
use jettison_tcp::{Limit, Payload};

/// A datagram to be sent: the UDP payload in two parts, and its traffic class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transmit {
    /// The first bytes: all headers, and the message's own head in its first packet.
    pub head: InlineBytes,
    /// The rest of the payload.
    pub rest: Payload,
    /// The IPv4 TOS or IPv6 traffic class.
    pub traffic_class: u8,
    /// What it carries of a message; `None` for an acknowledgement or an empty probe.
    pub fragment: Option<Fragment>,
}

/// A piece of a message, as one packet carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment {
    /// The message's stream.
    pub stream: u16,
    /// The message's number within its stream.
    pub message: MessageNumber,
    /// The first bytes of the message ([`MessagePayload::head`]), whatever piece of it this is.
    pub head: InlineBytes,
    /// Place of its first byte in the message; parity is behind the message's end.
    pub offset: u64,
    /// Sequence number of the packet.
    pub sequence: u64,
    /// Sequence number of the packet that carried the same before, if this is a retransmission.
    pub repeats: Option<u64>,
    /// Why it is sent again, if this is a retransmission.
    pub repair: Option<jettison_tcp::Repair>,
}

impl Transmit {
    /// UDP payload in bytes.
    pub fn bytes(&self) -> u64 {
        self.head.as_slice().len() as u64 + self.rest.len()
    }
}

/// One end of a connection; both ends are alike, and data flows in both directions.
///
/// After each call that takes `now`, call [`Connection::poll_transmit`] until it returns nothing, then
/// [`Connection::poll_message`] and [`Connection::poll_event`], and call [`Connection::handle_wakeup`] at
/// [`Connection::next_wakeup`].
#[derive(Debug, Clone)]
pub struct Connection {
    settings: Settings,
    sender: Sender,
    receiver: Receiver,
    reassembly: Reassembly,
    /// Counters of the receiving half.
    acks_sent: u64,
    packets_received: u64,
    duplicates: u64,
    ce_received: u64,
    malformed: u64,
}

impl Connection {
    /// Creates an end of a connection, which is established from the start: there is no handshake.
    pub fn new(
        parameters: &Arc<OctopusParameters>,
        controller: Box<dyn PathController>,
        now: Time,
    ) -> Connection {
        let settings = Settings::from(&**parameters);
        Connection {
            sender: Sender::new(&settings, controller, now),
            receiver: Receiver::new(&settings),
            reassembly: Reassembly::new(&settings),
            acks_sent: 0,
            packets_received: 0,
            duplicates: 0,
            ce_received: 0,
            malformed: 0,
            settings,
        }
    }

    /// Opens a stream for sending; returns `false` and changes nothing if it is open already. A stream that is not
    /// opened is opened by its first message, and is unreliable. The peer needs no such call.
    pub fn open_stream(&mut self, stream: u16, options: StreamOptions) -> bool {
        self.sender.open_stream(stream, options)
    }

    /// Adds a message to the send buffer.
    ///
    /// # Errors
    /// If there is no room, or the message can never be sent; the buffer is unchanged then.
    pub fn send(
        &mut self,
        stream: u16,
        payload: MessagePayload,
        params: MessageParams,
        now: Time,
    ) -> Result<MessageNumber, SendError> {
        self.sender.send(stream, payload, &params, now)
    }

    /// The next datagram to send; `None` if none may leave now.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Transmit> {
        if let Some(head) = self.receiver.poll_ack() {
            self.acks_sent += 1;
            let traffic_class = self.settings.dscp << 2 | Ecn::NotEct as u8;
            return Some(Transmit { head, rest: Payload::Zeros(0), traffic_class, fragment: None });
        }
        self.sender.poll_data(now)
    }

    /// Processes a datagram: its first bytes (at least 40, or all of them; as many as [`Transmit::head`] had, if it
    /// comes from a [`Transmit`]), and the rest. Unreadable datagrams are counted and ignored.
    pub fn handle_datagram(&mut self, head: &[u8], rest: Payload, traffic_class: u8, now: Time) {
        let is_datagram = (head.len() as u64).saturating_add(rest.len()) <= Limits::DATAGRAM;
        let is_read = match SequenceHeader::parse(head).filter(|_| is_datagram) {
            Some(header) if header.kind == PacketKind::Data => {
                self.handle_data(&header, head, rest, ecn_of(traffic_class), now)
            }
            Some(header) if header.kind == PacketKind::Probe => {
                if let Some(place) = self.receiver.place(header.sequence, now) {
                    self.packets_received += 1;
                    self.duplicates += u64::from(!place.is_new);
                    self.receiver.record(place, ecn_of(traffic_class), now);
                }
                rest.is_empty()
            }
            Some(header) => {
                let ack = Ack::parse(&header, head).filter(|_| rest.is_empty());
                ack.is_some_and(|ack| self.sender.handle_ack(&ack, now))
            }
            None => false,
        };
        self.malformed += u64::from(!is_read);
    }

    fn handle_data(
        &mut self,
        header: &SequenceHeader,
        head: &[u8],
        rest: Payload,
        ecn: Ecn,
        now: Time,
    ) -> bool {
        let label = head.get(OctopusHeader::OFFSET..).and_then(OctopusHeader::parse);
        let (Some(label), Some(inline)) = (label, head.get(HEADERS..)) else { return false };
        if !is_consistent(header, &label) || (inline.is_empty() && rest.is_empty()) {
            return false;
        }
        let Some(place) = self.receiver.place(header.sequence, now) else { return true };
        let taken = self.reassembly.take(header, &label, inline, rest, &place, now);
        if taken == Err(NotTaken::Refused) {
            return true;
        }
        self.packets_received += 1;
        self.ce_received += u64::from(ecn == Ecn::Ce);
        self.duplicates += u64::from(!place.is_new);
        self.receiver.record(place, ecn, now);
        taken.is_ok()
    }

    /// The time at which [`Connection::handle_wakeup`] must be called next.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.receiver.next_wakeup().into_iter().chain(self.sender.next_wakeup()).min()
    }

    /// Processes expired timers; a premature call does nothing.
    pub fn handle_wakeup(&mut self, now: Time) {
        self.receiver.handle_wakeup(now);
        self.sender.handle_wakeup(now);
    }

    /// The next complete message.
    pub fn poll_message(&mut self) -> Option<Message> {
        self.reassembly.poll()
    }

    /// The next outcome of a message that was sent.
    pub fn poll_event(&mut self) -> Option<MessageEvent> {
        self.sender.events.pop_front()
    }

    /// The last RTT sample since the previous call.
    pub fn poll_rtt_sample(&mut self) -> Option<Duration> {
        self.sender.rtt_sample.take()
    }

    /// The sequence number of the first packet found to be lost since the previous call.
    pub fn poll_loss(&mut self) -> Option<u64> {
        self.sender.lost.take()
    }

    /// What holds the sender back, after [`Connection::poll_transmit`] gave nothing.
    pub fn limit(&mut self, now: Time) -> Limit {
        self.sender.limit(now)
    }

    /// The estimate of the path.
    pub fn estimate(&self, now: Time) -> PathEstimate {
        self.sender.estimate(now)
    }

    /// Reports the gauges of its path controller.
    pub fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        self.sender.controller.gauges(now, out);
    }

    /// State and counters.
    pub fn statistics(&self) -> OctopusStatistics {
        let messages = self.reassembly.counters;
        let (receive_memory, receive_streams) = self.reassembly.held();
        OctopusStatistics {
            delivered: messages.delivered,
            given_up: messages.given_up,
            recovered: messages.recovered,
            packets_superfluous: messages.superfluous,
            acks_sent: self.acks_sent,
            packets_received: self.packets_received,
            duplicates: self.duplicates,
            ce_received: self.ce_received,
            malformed: self.malformed,
            implausible_packets: self.receiver.implausible,
            implausible_messages: messages.implausible,
            parity_refused: messages.parity_refused,
            streams_refused: messages.streams_refused,
            streams_evicted: messages.streams_evicted,
            messages_evicted: messages.messages_evicted,
            acks_discarded: self.receiver.acks_discarded,
            receive_memory,
            receive_streams: receive_streams as u64,
            ..self.sender.statistics()
        }
    }
}
