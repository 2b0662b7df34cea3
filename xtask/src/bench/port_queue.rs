//! Queue with port hooks as a queue discipline: measures ingress, queue and egress together.

use jettison_core::Time;
use jettison_measure::Outcomes;
use jettison_queue::{Backlog, QueueDiscipline};
use jettison_switch::{PortQueue, QueueReading};
use jettison_wire::Packet;

/// A port's queue with its hooks, without the pipeline.
#[derive(Clone)]
pub struct Hooked(pub PortQueue);

impl QueueDiscipline for Hooked {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        match self.0.hooks.admit(&mut packet, now) {
            Ok(class) => {
                packet.meta.class = class;
                self.0.discipline.enqueue(packet, now, out);
            }
            Err(reason) => out.dropped(packet, reason, now),
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let mut packet = self.0.discipline.dequeue(now, out)?;
            let class = packet.meta.class;
            let behind = self.0.discipline.class_backlog(class);
            let waited = now.since(packet.meta.enqueued_at);
            let reading = QueueReading {
                enq_qdepth: packet.meta.enq_qdepth,
                deq_qdepth: behind.packets as u32,
                deq_bytes: behind.bytes,
                sojourn: waited,
                in_switch: waited,
                class,
            };
            match self.0.hooks.handle_departure(&mut packet, &reading, now).drop {
                None => return Some(packet),
                Some(reason) => out.dropped(packet, reason, now),
            }
        }
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        self.0.discipline.handle_wakeup(now, out);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.0.discipline.next_wakeup()
    }

    fn backlog(&self) -> Backlog {
        self.0.discipline.backlog()
    }
}
