//! Event loop, independent of clock and devices.

use std::io;

use jettison_core::{DropReason, Duration, Time};
use jettison_measure::Place;
use jettison_sim::{Delivery, NodeId, World};
use jettison_wire::{Address, FlowId, Packet};

use super::meter::Meter;
use super::pool::Pool;
use super::port::{Port, write_train};
use super::snapshot::Observer;
use super::wait::Environment;
use super::{Classifier, Control, Ended, Lateness, SnapshotSink};
use crate::device::Device;

/// State of a running router.
pub(super) struct Engine<D> {
    pub world: World,
    pub ports: Vec<Port<D>>,
    pub lateness: Lateness,
    /// Packets to hosts without a port.
    pub undeliverable: u64,
    classifier: Classifier,
    meter: Meter,
    gather: Duration,
    snapshot_every: Duration,
    observer: Option<Observer>,
    /// End of the warm-up, until it is reached.
    warm_up: Option<Time>,
    /// Index of the port of each node.
    port_of: Vec<usize>,
    readable: Vec<bool>,
    pool: Pool,
    delivered: Vec<Delivery>,
}

/// Maximum number of consecutive reads from one device.
const READS: usize = 64;
/// The same for super-packets, each of which holds dozens of packets.
const SUPER_READS: usize = 2;
/// Bytes that are written without waiting for more to merge: 45 packets of 1,500 bytes, the largest super-packet.
const ENOUGH: usize = 67_500;
const NO_PORT: usize = usize::MAX;

impl<D: Device> Engine<D> {
    pub fn new(
        mut world: World,
        ports: Vec<Port<D>>,
        classifier: Classifier,
        meter: Meter,
        gather: Duration,
        snapshot_every: Duration,
    ) -> Engine<D> {
        let nodes = ports.iter().map(|port| port.host.index() + 1).max().unwrap_or(0);
        let mut port_of = vec![NO_PORT; nodes];
        for (index, port) in ports.iter().enumerate() {
            port_of[port.host.index()] = index;
        }
        let lateness = Lateness::new(world.direction_names().count());
        let readable = vec![false; ports.len()];
        let warm_up = Some(world.recorder().warm_up()).filter(|at| *at > Time::ZERO);
        Engine {
            world,
            ports,
            lateness,
            undeliverable: 0,
            classifier,
            meter,
            gather,
            snapshot_every,
            observer: None,
            warm_up,
            port_of,
            readable,
            pool: Pool::default(),
            delivered: Vec::new(),
        }
    }

    /// Forwards packets until `end` on the clock of `environment`.
    pub fn run(
        &mut self,
        environment: &mut impl Environment,
        end: Time,
        control: &Control,
        mut observe: Option<&mut dyn SnapshotSink>,
    ) -> Ended {
        let mut next_snapshot = Time::MAX;
        if observe.is_some() {
            self.observer = Some(Observer::default());
            next_snapshot = environment.now().saturating_add(self.snapshot_every);
        }
        loop {
            let now = environment.now().min(end);
            self.reach_warm_up(now);
            if control.take_nudge() {
                self.world.call_switch_controller(now);
            }
            self.world.advance(now);
            // At the end held packets are written too, since there is no later iteration.
            self.deliver(environment, now == end);
            if now == end {
                return Ended::Complete;
            }
            if control.is_stopped() {
                return Ended::Stopped;
            }
            if now >= next_snapshot
                && let (Some(sink), Some(observer)) = (&mut observe, &mut self.observer)
            {
                sink.take(observer.observe(&mut self.world));
                next_snapshot = now.saturating_add(self.snapshot_every);
            }
            // With data left to read, the other ports are only polled.
            let until = match self.readable.contains(&true) {
                true => Time::ZERO,
                false => self.next_due().min(next_snapshot).min(end),
            };
            if let Err(port) = environment.wait(until, &mut self.readable) {
                let error = match self.read(port, environment, end) {
                    Err(error) => error,
                    // The poll reported an error that the read did not confirm.
                    Ok(()) => io::Error::other("the device has disappeared"),
                };
                return self.failure(port, error);
            }
            for port in 0..self.ports.len() {
                if self.readable[port]
                    && let Err(error) = self.read(port, environment, end)
                {
                    return self.failure(port, error);
                }
            }
        }
    }

    /// Restarts all measurements at the end of the warm-up.
    #[inline]
    fn reach_warm_up(&mut self, now: Time) {
        let Some(at) = self.warm_up.filter(|at| *at <= now) else { return };
        self.warm_up = None;
        // Advance to just before the end of the warm-up: events at that instant count as measured.
        self.world.advance(Time::from_nanos(at.as_nanos() - 1));
        if let Some(observer) = &mut self.observer {
            observer.keep(&mut self.world);
        }
        self.lateness.clear();
    }

    /// Time of the next event other than arriving packets.
    fn next_due(&self) -> Time {
        let held = self.ports.iter().filter_map(|port| port.held_since).min();
        let held = held.map_or(Time::MAX, |since| since.saturating_add(self.gather));
        self.world.next_instant().min(held)
    }

    /// Reads a limited number of packets from a device and injects them at the time of reading.
    fn read(&mut self, port: usize, environment: &mut impl Environment, end: Time) -> io::Result<()> {
        self.reach_warm_up(environment.now().min(end));
        let Engine { world, classifier, pool, ports, readable, gather, .. } = self;
        let host = ports[port].host;
        let frames = ports[port].device.carries_frames();
        for _ in 0..if ports[port].splits() { SUPER_READS } else { READS } {
            let mut arrived = None;
            let mut not_carried = 0;
            let more = ports[port].read(pool, |mut packet| {
                // All parts of a super-packet arrive at the same time.
                if arrived.is_none() {
                    let now = environment.now().min(end);
                    world.advance(now);
                    arrived = Some(now);
                }
                let tuple = packet.five_tuple();
                if frames {
                    // A wire carries all frames: ARP, groups, and own EtherTypes.
                    packet.meta.flow = tuple.map_or(FlowId::NONE, |tuple| classifier.classify(host, &tuple));
                    return world.inject(host, packet);
                }
                match tuple.filter(|tuple| is_carried(tuple.dst)) {
                    Some(tuple) => {
                        packet.meta.flow = classifier.classify(host, &tuple);
                        world.inject(host, packet);
                    }
                    None => not_carried += 1,
                }
            })?;
            ports[port].facts.not_carried += not_carried;
            if !more {
                readable[port] = false;
                break;
            }
            // Limits how long packets that have reached a host wait for the end of the reads.
            if let (Some(now), Some(since)) = (arrived, world.delivered_since())
                && now.since(since) > *gather
            {
                break;
            }
        }
        Ok(())
    }

    /// Writes packets that have reached their hosts. With `all`, also those that wait for merging.
    fn deliver(&mut self, environment: &mut impl Environment, all: bool) {
        let mut delivered = std::mem::take(&mut self.delivered);
        self.world.take_delivered(&mut delivered);
        for Delivery { host, at, queue, mut packet } in delivered.drain(..) {
            let number = self.port_of.get(host.index()).copied().unwrap_or(NO_PORT);
            let Some(port) = self.ports.get_mut(number) else {
                self.undeliverable += 1;
                self.pool.recycle(packet);
                continue;
            };
            // The kernel finds the checksum wrong; the packet is written and lost there.
            if packet.is_corrupted() {
                self.world.recorder().packet_dropped(Place::Node, &packet, DropReason::Corrupted, at);
            }
            // These fields are free for reuse outside the world: the due time, and the queue of the last hop.
            (packet.meta.enqueued_at, packet.meta.tag) = (at, queue);
            if port.merges {
                port.held_since.get_or_insert(at);
                port.merger.push(packet);
            } else {
                let now = environment.now();
                self.measure(&packet, host, now);
                self.ports[number].write(packet, &mut self.pool);
            }
        }
        self.delivered = delivered;
        for number in 0..self.ports.len() {
            let port = &self.ports[number];
            let Some(since) = port.held_since else { continue };
            let due = since.saturating_add(self.gather);
            // Waiting makes sense only if another packet is about to arrive.
            let waits =
                self.world.now() < due && self.world.next_instant() <= due && port.merger.bytes() < ENOUGH;
            if all || !waits {
                self.write_merged(number, environment);
            }
        }
    }

    fn write_merged(&mut self, number: usize, environment: &mut impl Environment) {
        let host = self.ports[number].host;
        let mut merger = std::mem::take(&mut self.ports[number].merger);
        for train in merger.trains() {
            let now = environment.now();
            train.parts().iter().for_each(|packet| self.measure(packet, host, now));
            let port = &mut self.ports[number];
            match train.seal() {
                None => train.parts().drain(..).for_each(|packet| port.write(packet, &mut self.pool)),
                Some(header) => {
                    let result = write_train(&mut port.device, train, header);
                    port.record_write(result, train.parts().len() as u64);
                    train.parts().drain(..).for_each(|packet| self.pool.recycle(packet));
                }
            }
        }
        self.ports[number].merger = merger;
        self.ports[number].held_since = None;
    }

    /// Measures a packet just before it is written.
    #[inline]
    fn measure(&mut self, packet: &Packet, host: NodeId, now: Time) {
        let lateness = self.lateness.record(packet.meta.tag, packet.meta.enqueued_at, now);
        if let Some(observer) = &mut self.observer {
            observer.record_lateness(lateness);
        }
        if !packet.is_corrupted() {
            self.meter.written(packet, host, now, self.world.recorder());
        }
    }

    fn failure(&self, port: usize, error: io::Error) -> Ended {
        let device = self.ports.get(port).map_or("control", |port| &port.facts.name).to_owned();
        Ended::Failed { device, error }
    }
}

/// Whether a network forwards packets to this address. Multicast, broadcast and link-local packets, which kernels send by
/// themselves, stay on the link (RFC 4291 §2.5.6 and §2.7, RFC 3927 §7, RFC 1112).
fn is_carried(destination: Address) -> bool {
    let [high, low] = destination.to_words();
    if destination.is_v4() {
        let first = (low >> 24) as u8;
        first < 224 && (low >> 16) as u16 != 0xa9fe
    } else {
        high >> 56 != 0xff && high >> 54 != 0xfe80 >> 6
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
