//! Sender application: requests frames from its source and passes their messages to the carrier.

use jettison_core::{Gauges, Time};
use jettison_measure::{FlowMeter, metrics};
use jettison_tcp::PathEstimate;

use super::carrier::{Carrier, SERIES_INTERVAL};
use super::{Fate, Outgoing, Source};
use jettison_sockets::{Application, SocketEvent, Sockets};

/// Sends the messages of a source.
#[derive(Clone)]
pub(super) struct MessageSender {
    source: Box<dyn Source>,
    carrier: Box<dyn Carrier>,
    running: bool,
    /// Number of the next frame.
    frame: u32,
    /// Messages of the current frame; a field to reuse its memory.
    messages: Vec<Outgoing>,
    last_point: Option<Time>,
}

impl MessageSender {
    pub(super) fn new(source: Box<dyn Source>, carrier: Box<dyn Carrier>) -> MessageSender {
        MessageSender { source, carrier, running: false, frame: 0, messages: Vec::new(), last_point: None }
    }

    fn make_frames(&mut self, now: Time, host: &mut dyn Sockets) {
        while self.running && self.source.next_frame().is_some_and(|at| at <= now) {
            let estimate = self.carrier.estimate(now, host);
            self.write_series(&estimate, now, host);
            self.messages.clear();
            self.source.make_frame(now, &estimate, &mut self.messages);
            // A frame skipped by the encoder counts as not shown.
            host.meter().video().frame_sent(self.frame, now);
            self.frame = self.frame.saturating_add(1);
            for at in 0..self.messages.len() {
                let message = self.messages[at];
                if self.carrier.send(&message, now, host) {
                    host.meter().video().message_sent();
                } else {
                    host.meter().video().message_refused();
                    self.source.handle_fate(&message.head, Fate::Refused, now);
                }
            }
            self.report_fates(now);
        }
    }

    fn report_fates(&mut self, now: Time) {
        while let Some((head, fate)) = self.carrier.poll_fate() {
            self.source.handle_fate(&head, fate, now);
        }
    }

    fn write_series(&mut self, estimate: &PathEstimate, now: Time, host: &mut dyn Sockets) {
        if self.last_point.is_some_and(|last| now.since(last) < SERIES_INTERVAL) {
            return;
        }
        self.last_point = Some(now);
        if let Some(bandwidth) = estimate.bandwidth {
            host.point(metrics::BANDWIDTH_ESTIMATE, now, bandwidth.as_mbit_f64());
        }
        host.point(metrics::SEND_BUFFER, now, estimate.backlog as f64);
        host.point(metrics::IN_FLIGHT, now, estimate.in_flight as f64);
        if let Some(rtt) = estimate.rtt {
            host.point(metrics::SRTT, now, rtt.as_nanos() as f64 / 1e6);
        }
    }
}

impl Application for MessageSender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.carrier.open(now, host);
        self.source.start(now);
        self.running = true;
        self.make_frames(now, host);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.carrier.handle_event(&event, now, host);
        self.report_fates(now);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.carrier.handle_wakeup(now, host);
        self.report_fates(now);
        self.make_frames(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        let frame = self.source.next_frame().filter(|_| self.running);
        [frame, self.carrier.next_wakeup()].into_iter().flatten().min()
    }

    fn stop(&mut self, now: Time, host: &mut dyn Sockets) {
        self.running = false;
        self.carrier.close(now, host);
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        self.carrier.gauges(now, out);
    }

    fn finish(&mut self, now: Time, meter: &mut FlowMeter) {
        self.carrier.finish(now, meter);
    }
}
