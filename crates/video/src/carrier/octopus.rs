//! Messages over the Octopus transport.

use std::collections::VecDeque;

use jettison_core::{Duration, Gauges, Time};
use jettison_measure::{Component, Description, FlowMeter, Reason, Status, Unit, UnitKind};
use jettison_messages::{Connection, Fragment, MessageEvent, MessagePayload};
use jettison_tcp::PathEstimate;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::MessageNumber;

use super::{Carrier, Receiver};
use crate::{Fate, MessageHead, Outgoing};
use jettison_sockets::{
    Datagram, OctopusOptions, SocketEvent, SocketId, Sockets, limit_component, repair_component,
};

/// One end of a connection with its UDP socket.
#[derive(Clone)]
pub struct OctopusSocket {
    options: OctopusOptions,
    connection: Option<Connection>,
    socket: Option<SocketId>,
    remote: Option<Endpoint>,
    /// Time of the next attempt after the device's queue was full.
    blocked_until: Option<Time>,
    /// The unit of a message.
    unit: fn(&Fragment) -> Unit,
    /// Whether the delays of its messages are accounted for.
    is_accounted: bool,
}

/// Interval of a sender's attempts while its device's queue is full: the time of a packet at 12 Mbit/s.
const RETRY: Duration = Duration::from_millis(1);

impl OctopusSocket {
    /// Creates an end that connects to `remote`, or listens without one.
    pub fn new(options: &OctopusOptions, remote: Option<Endpoint>) -> OctopusSocket {
        OctopusSocket {
            options: options.clone(),
            connection: None,
            socket: None,
            remote,
            blocked_until: None,
            unit: by_number,
            is_accounted: false,
        }
    }

    /// The end with messages that begin with a video's head.
    fn of_video(self) -> OctopusSocket {
        let by_head = |fragment: &Fragment| {
            let head = MessageHead::parse(fragment.head.as_slice());
            head.map_or_else(|| by_number(fragment), |head| head.unit())
        };
        OctopusSocket { unit: by_head, is_accounted: true, ..self }
    }

    /// Binds `port` (0 for any port).
    pub fn open(&mut self, port: u16, now: Time, host: &mut dyn Sockets) {
        self.socket = Some(host.udp_bind(port));
        self.connection = Some(Connection::new(&self.options.parameters, (self.options.controller)(), now));
    }

    /// Returns the connection, once it is open.
    pub fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Returns the connection, once it is open; the caller must flush it after writing.
    pub fn connection_mut(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    /// Handles a datagram, and sends the packets that it triggers.
    pub fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { from, datagram, .. } = event else { return };
        let Some(connection) = &mut self.connection else { return };
        self.remote.get_or_insert(*from);
        let head = datagram.head.as_slice();
        let rest = u64::from(datagram.length).saturating_sub(head.len() as u64);
        connection.handle_datagram(head, Payload::Zeros(rest), datagram.traffic_class, now);
        self.flush(now, host);
    }

    /// Returns the time of the next wakeup.
    pub fn next_wakeup(&self) -> Option<Time> {
        // A pacing timer may already have expired.
        self.blocked_until.or_else(|| self.connection.as_ref()?.next_wakeup())
    }

    /// Processes due timers.
    pub fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(connection) = &mut self.connection else { return };
        let is_due = connection.next_wakeup().is_some_and(|at| at <= now);
        if is_due {
            connection.handle_wakeup(now);
        }
        if is_due || self.blocked_until.is_some_and(|at| at <= now) {
            self.flush(now, host);
        }
    }

    /// Sends all packets that pacing and the window allow.
    pub fn flush(&mut self, now: Time, host: &mut dyn Sockets) {
        let (Some(connection), Some(socket), Some(remote)) = (&mut self.connection, self.socket, self.remote)
        else {
            return;
        };
        let most = u64::from(self.options.parameters.device_queue);
        self.blocked_until = None;
        loop {
            if most > 0 && host.device_backlog(remote.address) >= most {
                self.blocked_until = Some(now + RETRY);
                break;
            }
            let Some(transmit) = connection.poll_transmit(now) else { break };
            let length = transmit.head.as_slice().len() as u64 + transmit.rest.len();
            let datagram = Datagram {
                head: transmit.head,
                length: length as u16, // a packet's payload is below 64 KiB by its parameters
                traffic_class: transmit.traffic_class,
            };
            if let Some(fragment) = transmit.fragment {
                host.describes(Description {
                    unit: (self.unit)(&fragment),
                    offset: fragment.offset,
                    repeats: fragment.repeats,
                    number: Some(fragment.sequence),
                    repair: fragment.repair.map(repair_component),
                });
            }
            host.send_to(socket, remote, &datagram);
        }
        while let Some(rtt) = connection.poll_rtt_sample() {
            host.meter().round_trip(rtt);
        }
        if host.has_accounts() && self.is_accounted {
            if let Some(lost) = connection.poll_loss() {
                host.reduced(socket, lost);
            }
            let limit = match self.blocked_until {
                Some(_) => Component::Device,
                None => limit_component(connection.limit(now)),
            };
            host.limited(socket, limit);
        }
    }
}

/// The unit of a message by its number in its stream.
fn by_number(fragment: &Fragment) -> Unit {
    Unit::new(UnitKind::Message, u64::from(fragment.message.get()), u32::from(fragment.stream))
}

/// The sending end.
#[derive(Clone)]
pub(super) struct OctopusSender {
    socket: OctopusSocket,
    /// Messages of unknown fate, by stream and number, in sending order.
    open: VecDeque<(u16, MessageNumber, MessageHead)>,
    fates: VecDeque<(MessageHead, Fate)>,
}

impl OctopusSender {
    pub(super) fn new(options: &OctopusOptions, remote: Endpoint) -> OctopusSender {
        let socket = OctopusSocket::new(options, Some(remote)).of_video();
        OctopusSender { socket, open: VecDeque::new(), fates: VecDeque::new() }
    }

    fn settle(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(connection) = self.socket.connection_mut() else { return };
        while let Some(event) = connection.poll_event() {
            let (stream, number, fate) = match event {
                MessageEvent::Acknowledged { stream, number } => (stream, number, Fate::Acknowledged),
                MessageEvent::Lost { stream, number } => (stream, number, Fate::Lost),
                MessageEvent::Dropped { stream, number, reason, .. } => {
                    host.meter().video().message_dropped(reason);
                    (stream, number, Fate::Dropped(reason))
                }
            };
            let found = self.open.iter().position(|(s, n, _)| *s == stream && *n == number);
            if let Some((_, _, head)) = found.and_then(|at| self.open.remove(at)) {
                if let (Some(endings), Some(reason)) = (host.meter().endings(), reason_of(fate)) {
                    endings.unit(head.unit(), Status::Never, reason, now);
                }
                self.fates.push_back((head, fate));
            }
        }
    }
}

impl Carrier for OctopusSender {
    fn open(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.open(0, now, host);
    }

    fn send(&mut self, message: &Outgoing, now: Time, host: &mut dyn Sockets) -> bool {
        let Some(connection) = self.socket.connection_mut() else { return false };
        let rest = u64::from(message.length).saturating_sub(MessageHead::LENGTH as u64);
        let payload = MessagePayload { head: message.head.emit(), rest: Payload::Zeros(rest) };
        let sent = connection.send(message.stream, payload, message.params, now);
        host.unit_began(message.head.unit(), now);
        if let Ok(number) = sent {
            self.open.push_back((message.stream, number, message.head));
        }
        if sent.is_err()
            && let Some(endings) = host.meter().endings()
        {
            endings.unit(message.head.unit(), Status::Never, Reason::Refused, now);
        }
        self.socket.flush(now, host);
        self.settle(now, host);
        sent.is_ok()
    }

    fn estimate(&self, now: Time, _: &dyn Sockets) -> PathEstimate {
        self.socket.connection().map_or_else(PathEstimate::default, |connection| connection.estimate(now))
    }

    fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_event(event, now, host);
        self.settle(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.socket.next_wakeup()
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_wakeup(now, host);
        self.settle(now, host);
    }

    fn poll_fate(&mut self) -> Option<(MessageHead, Fate)> {
        self.fates.pop_front()
    }

    fn close(&mut self, _: Time, _: &mut dyn Sockets) {}

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        if let Some(connection) = self.socket.connection() {
            connection.gauges(now, out);
        }
    }

    fn finish(&mut self, _: Time, meter: &mut FlowMeter) {
        if let Some(connection) = self.socket.connection() {
            let statistics = connection.statistics();
            meter.sender_ended(statistics.packets_retransmitted, statistics.timeouts);
        }
    }
}

/// Why a message of this fate never comes, if it does not.
fn reason_of(fate: Fate) -> Option<Reason> {
    match fate {
        Fate::Acknowledged => None,
        Fate::Dropped(reason) => Some(Reason::Sender(reason)),
        Fate::Refused => Some(Reason::Refused),
        Fate::Lost => Some(Reason::Lost),
    }
}

/// The receiving end.
#[derive(Clone)]
pub(super) struct OctopusReceiver {
    socket: OctopusSocket,
    port: u16,
}

impl OctopusReceiver {
    pub(super) fn new(options: &OctopusOptions, port: u16) -> OctopusReceiver {
        OctopusReceiver { socket: OctopusSocket::new(options, None), port }
    }
}

impl Receiver for OctopusReceiver {
    fn open(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.open(self.port, now, host);
    }

    fn handle_event(&mut self, event: &SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_event(event, now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.socket.next_wakeup()
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_wakeup(now, host);
    }

    fn poll_message(&mut self) -> Option<(MessageHead, u32)> {
        let connection = self.socket.connection_mut()?;
        loop {
            let message = connection.poll_message()?;
            // Ignore messages without a video head.
            if let Some(head) = MessageHead::parse(message.payload.head.as_slice()) {
                return Some((head, message.payload.len() as u32));
            }
        }
    }
}
