//! The loop, without the kernel: what a clock and devices are told apart from.

use std::io;

use jettison_core::{Duration, Time};
use jettison_sim::{Delivery, NodeId, World};
use jettison_wire::{Address, Packet};

use super::meter::Meter;
use super::pool::Pool;
use super::port::{Port, write_train};
use super::snapshot::Observer;
use super::wait::Surroundings;
use super::{Classifier, Control, Ended, Lateness, SnapshotSink};
use crate::device::Device;

/// A router's state while it runs.
pub(super) struct Engine<D> {
    pub world: World,
    pub ports: Vec<Port<D>>,
    pub lateness: Lateness,
    /// Packets that came to hosts that have no port.
    pub undeliverable: u64,
    classifier: Classifier,
    meter: Meter,
    gather: Duration,
    snapshot_every: Duration,
    observer: Option<Observer>,
    /// The end of the warm-up, until it is reached.
    warm_up: Option<Time>,
    /// The port of each node of the world.
    port_of: Vec<usize>,
    readable: Vec<bool>,
    pool: Pool,
    delivered: Vec<Delivery>,
}

/// Reads in a row from one device.
const READS: usize = 64;
/// Of super-packets, each of which is worth dozens.
const SUPER_READS: usize = 2;
/// Bytes that are written without waiting for more: of a super-packet of the largest size, 45 packets of 1,500.
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

    /// Carries packets until `end`, in the time of `surroundings`.
    pub fn run(
        &mut self,
        surroundings: &mut impl Surroundings,
        end: Time,
        control: &Control,
        mut observe: Option<&mut dyn SnapshotSink>,
    ) -> Ended {
        let mut next_snapshot = Time::MAX;
        if observe.is_some() {
            self.observer = Some(Observer::default());
            next_snapshot = surroundings.now().saturating_add(self.snapshot_every);
        }
        loop {
            let now = surroundings.now().min(end);
            self.reach_warm_up(now);
            self.world.advance(now);
            self.deliver(surroundings, now == end);
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
            // While something is left to read, only a look at the other ports.
            let until = match self.readable.contains(&true) {
                true => Time::ZERO,
                false => self.next_due().min(next_snapshot).min(end),
            };
            if let Err(port) = surroundings.wait(until, &mut self.readable) {
                let error = match self.read(port, surroundings, end) {
                    Err(error) => error,
                    Ok(()) => io::Error::other("the device is gone"),
                };
                return self.failed(port, error);
            }
            for port in 0..self.ports.len() {
                if self.readable[port]
                    && let Err(error) = self.read(port, surroundings, end)
                {
                    return self.failed(port, error);
                }
            }
        }
    }

    /// At the end of the warm-up all is measured anew.
    #[inline]
    fn reach_warm_up(&mut self, now: Time) {
        let Some(at) = self.warm_up.filter(|at| *at <= now) else { return };
        self.warm_up = None;
        self.world.advance(Time::from_nanos(at.as_nanos() - 1));
        if let Some(observer) = &mut self.observer {
            observer.keep(&mut self.world);
        }
        self.lateness.clear();
    }

    /// When something is to be done, whatever comes in.
    fn next_due(&self) -> Time {
        let held = self.ports.iter().filter_map(|port| port.held_since).min();
        let held = held.map_or(Time::MAX, |since| since.saturating_add(self.gather));
        self.world.next_instant().min(held)
    }

    /// Reads what a device has, within bounds, and gives it to the world at the instant at which it is read.
    fn read(&mut self, port: usize, surroundings: &mut impl Surroundings, end: Time) -> io::Result<()> {
        self.reach_warm_up(surroundings.now().min(end));
        let Engine { world, classifier, pool, ports, readable, gather, .. } = self;
        let host = ports[port].host;
        for _ in 0..if ports[port].splits() { SUPER_READS } else { READS } {
            let mut arrived = None;
            let mut not_carried = 0;
            let more = ports[port].read(pool, |mut packet| {
                // All parts of a super-packet come at once.
                if arrived.is_none() {
                    let now = surroundings.now().min(end);
                    world.advance(now);
                    arrived = Some(now);
                }
                match packet.five_tuple().filter(|tuple| is_carried(tuple.dst)) {
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
            // What has come to a host meanwhile waits for no more than a while.
            if let (Some(now), Some(since)) = (arrived, world.delivered_since())
                && now.since(since) > *gather
            {
                break;
            }
        }
        Ok(())
    }

    /// Writes what has come to hosts. With `all`, also what waits to be merged.
    fn deliver(&mut self, surroundings: &mut impl Surroundings, all: bool) {
        let mut delivered = std::mem::take(&mut self.delivered);
        self.world.take_delivered(&mut delivered);
        for Delivery { host, at, queue, mut packet } in delivered.drain(..) {
            let number = self.port_of.get(host.index()).copied().unwrap_or(NO_PORT);
            let Some(port) = self.ports.get_mut(number) else {
                self.undeliverable += 1;
                self.pool.recycle(packet);
                continue;
            };
            // In the world nobody needs these any more: by when it was due, and by which queue it came.
            (packet.meta.enqueued_at, packet.meta.tag) = (at, queue);
            if port.merges {
                port.held_since.get_or_insert(at);
                port.merger.push(packet);
            } else {
                let now = surroundings.now();
                self.written(&packet, host, now);
                self.ports[number].write(packet, &mut self.pool);
            }
        }
        self.delivered = delivered;
        for number in 0..self.ports.len() {
            let port = &self.ports[number];
            let Some(since) = port.held_since else { continue };
            let due = since.saturating_add(self.gather);
            // Waiting is for what is about to come.
            let waits =
                self.world.now() < due && self.world.next_instant() <= due && port.merger.bytes() < ENOUGH;
            if all || !waits {
                self.write_merged(number, surroundings);
            }
        }
    }

    fn write_merged(&mut self, number: usize, surroundings: &mut impl Surroundings) {
        let host = self.ports[number].host;
        let mut merger = std::mem::take(&mut self.ports[number].merger);
        for train in merger.trains() {
            let now = surroundings.now();
            train.parts().iter().for_each(|packet| self.written(packet, host, now));
            let port = &mut self.ports[number];
            match train.seal() {
                None => train.parts().drain(..).for_each(|packet| port.write(packet, &mut self.pool)),
                Some(header) => {
                    let written = write_train(&mut port.device, train, header);
                    port.note(written, train.parts().len() as u64);
                    train.parts().drain(..).for_each(|packet| self.pool.recycle(packet));
                }
            }
        }
        self.ports[number].merger = merger;
        self.ports[number].held_since = None;
    }

    /// Measures a packet that is about to be written.
    #[inline]
    fn written(&mut self, packet: &Packet, host: NodeId, now: Time) {
        let late = self.lateness.record(packet.meta.tag, packet.meta.enqueued_at, now);
        if let Some(observer) = &mut self.observer {
            observer.late(late);
        }
        self.meter.written(packet, host, now, self.world.recorder());
    }

    fn failed(&self, port: usize, error: io::Error) -> Ended {
        let device = self.ports.get(port).map_or("control", |port| &port.facts.name).to_owned();
        Ended::Failed { device, error }
    }
}

/// Whether a network carries packets to this address: not beyond the link for multicast, broadcast and link-local ones, which
/// kernels send of their own accord (RFC 4291 §2.5.6 and §2.7, RFC 3927 §7, RFC 1112).
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
