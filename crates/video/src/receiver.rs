//! Receiver application: passes complete messages to its sink.

use jettison_core::Time;
use jettison_measure::FlowMeter;

use super::Sink;
use super::carrier::Receiver;
use jettison_sockets::{Application, SocketEvent, Sockets};

/// Receives the messages of a flow.
#[derive(Clone)]
pub(super) struct MessageReceiver {
    sink: Box<dyn Sink>,
    receiver: Box<dyn Receiver>,
}

impl MessageReceiver {
    pub(super) fn new(sink: Box<dyn Sink>, receiver: Box<dyn Receiver>) -> MessageReceiver {
        MessageReceiver { sink, receiver }
    }

    fn read_messages(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some((head, length)) = self.receiver.poll_message() {
            if !self.receiver.counts_goodput() {
                host.unit_complete(head.unit());
            }
            let meter = host.meter();
            if !self.receiver.counts_goodput() {
                meter.delivered(u64::from(length));
            }
            self.sink.handle_message(&head, length, now, meter);
        }
    }
}

impl Application for MessageReceiver {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.receiver.open(now, host);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.receiver.handle_event(&event, now, host);
        self.read_messages(now, host);
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.receiver.handle_wakeup(now, host);
        self.read_messages(now, host);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.receiver.next_wakeup()
    }

    fn finish(&mut self, now: Time, meter: &mut FlowMeter) {
        self.sink.finish(now, meter);
    }
}
