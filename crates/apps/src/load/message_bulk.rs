//! Bulk transfer over the Octopus transport: one-packet messages that must not be dropped, at the speed of the
//! controller. Lost messages are retransmitted only if the transport's parameters say so.

use jettison_core::{Bytes, Gauges, Time};
use jettison_measure::{FlowMeter, metrics};
use jettison_messages::{MessageParams, MessagePayload};
use jettison_tcp::{Endpoint, Payload};

use super::bulk::BulkParameters;
use jettison_sockets::OctopusOptions;
use jettison_sockets::{Application, SocketEvent, Sockets};
use jettison_video::carrier::{OctopusSocket, SERIES_INTERVAL};

/// Maximum number of messages in the send buffer: enough for any burst of a controller.
const WAITING: u64 = 64;

/// The sender: without end, or `bytes`.
#[derive(Clone)]
pub struct MessageBulk {
    socket: OctopusSocket,
    message: u64,
    /// Bytes left to send; `None` without end.
    left: Option<u64>,
    running: bool,
    last_point: Option<Time>,
}

impl MessageBulk {
    /// Creates a transfer to `remote`.
    pub fn new(parameters: &BulkParameters, remote: Endpoint, options: &OctopusOptions) -> MessageBulk {
        MessageBulk {
            message: u64::from(options.parameters.mss),
            socket: OctopusSocket::new(options, Some(remote)),
            left: parameters.bytes.map(Bytes::get),
            running: false,
            last_point: None,
        }
    }

    fn fill(&mut self, now: Time, host: &mut dyn Sockets) {
        let (message, mut left) = (self.message, self.left);
        let Some(connection) = self.socket.connection_mut().filter(|_| self.running) else { return };
        // Fates of messages are not evaluated.
        while connection.poll_event().is_some() {}
        let room = (WAITING * message).saturating_sub(connection.estimate(now).backlog) / message;
        for _ in 0..room {
            let length = left.map_or(message, |left| left.min(message));
            if length == 0 {
                break;
            }
            let payload = MessagePayload::from(Payload::Zeros(length));
            if connection.send(0, payload, MessageParams::default(), now).is_err() {
                break;
            }
            left = left.map(|left| left - length);
        }
        self.left = left;
        self.socket.flush(now, host);
        self.write_series(now, host);
    }

    fn write_series(&mut self, now: Time, host: &mut dyn Sockets) {
        let Some(connection) = self.socket.connection() else { return };
        if self.last_point.is_some_and(|last| now.since(last) < SERIES_INTERVAL) {
            return;
        }
        self.last_point = Some(now);
        let estimate = connection.estimate(now);
        if let Some(bandwidth) = estimate.bandwidth {
            host.point(metrics::BANDWIDTH_ESTIMATE, now, bandwidth.as_mbit_f64());
        }
        host.point(metrics::IN_FLIGHT, now, estimate.in_flight as f64);
    }
}

impl Application for MessageBulk {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.open(0, now, host);
        self.running = true;
        self.fill(now, host);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_event(&event, now, host);
        self.fill(now, host);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_wakeup(now, host);
        self.fill(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.socket.next_wakeup()
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.running = false;
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        if let Some(connection) = self.socket.connection() {
            connection.gauges(now, out);
        }
    }

    fn finish(&mut self, now: Time, meter: &mut FlowMeter) {
        if let Some(connection) = self.socket.connection() {
            let statistics = connection.statistics();
            meter.sender_ended(statistics.packets_retransmitted, statistics.timeouts);
            let estimate = connection.estimate(now);
            let is_sent = self.left == Some(0) && estimate.backlog == 0 && estimate.in_flight == 0;
            if self.left.is_some() && !is_sent {
                meter.count(metrics::UNFINISHED, 1);
            }
        }
    }
}

/// Receives messages and counts them as goodput.
#[derive(Clone)]
pub struct MessageSink {
    socket: OctopusSocket,
    port: u16,
}

impl MessageSink {
    /// Creates a sink on a port.
    pub fn new(port: u16, options: &OctopusOptions) -> MessageSink {
        MessageSink { socket: OctopusSocket::new(options, None), port }
    }
}

impl Application for MessageSink {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.open(self.port, now, host);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_event(&event, now, host);
        let Some(connection) = self.socket.connection_mut() else { return };
        while let Some(message) = connection.poll_message() {
            host.meter().delivered(message.payload.len());
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.socket.handle_wakeup(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.socket.next_wakeup()
    }
}
