//! The world: nodes, links and the event loop.

use std::sync::atomic::{AtomicBool, Ordering};

use jettison_core::{DropReason, Gauges, Time, fork};
use jettison_measure::{Kind, ObjectId, Place, Recorder, RunRecord, metrics};
use jettison_queue::Backlog;
use jettison_switch::{Departure, Port, Switch, SwitchCounters, SwitchOutcomes, ThreadTime};
use jettison_wire::Packet;

use crate::agenda::Agenda;
use crate::builder::NodeId;
use crate::control::{ControlError, Controlled};
use crate::direction::{Direction, End};
use crate::host::Host;
use crate::outside::Delivery;
use crate::script::{Script, take_scripted};
use crate::sink::Sink;
use crate::steer::Suspended;
use crate::summary::{summarise_router, summarise_threads};
use crate::switch_control::SwitchControlled;
use crate::transmit::{has_scripted, is_scripted, take, transmit};

/// Observer of packets as they leave a port, for captures. A fork of a world has none.
pub trait Tap: Send {
    /// Reports the start of a transmission in a direction, given by name.
    fn transmitted(&mut self, direction: &str, packet: &Packet, now: Time);
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutcome {
    /// The run reached its end.
    Complete,
    /// The run was cancelled before its end, or ended by a controller ([`World::control_error`]).
    Cancelled,
    /// A steered program waits for [`World::decide`].
    Waiting,
}

/// A simulated network, ready to run.
pub struct World {
    pub(crate) now: Time,
    pub(crate) nodes: Vec<Node>,
    pub(crate) directions: Vec<Direction>,
    pub(crate) slots: Slots,
    pub(crate) agenda: Agenda,
    pub(crate) recorder: Recorder,
    pub(crate) tap: Option<Box<dyn Tap>>,
    pub(crate) next_id: u32,
    pub(crate) events: u64,
    pub(crate) next_sample: Time,
    /// Whether the warm-up is over.
    pub(crate) measuring: bool,
    /// With which draws it continues since it was forked; 0 for those of its seed.
    pub(crate) draw: u64,
    // Reused buffers: no event allocates.
    /// Ports that a switch has reported as ready to serve.
    pub(crate) pending: Vec<Port>,
    /// Packets that a host is sending.
    pub(crate) outbox: Vec<Packet>,
    /// Packets delivered to outside hosts and not taken yet, in the order of arrival.
    pub(crate) delivered: Vec<Delivery>,
    /// Directions with scheduled changes of rate.
    pub(crate) scheduled: Vec<usize>,
    /// Programs that set rates of shapers.
    pub(crate) controllers: Vec<Controlled>,
    /// A program that controls switches.
    pub(crate) switch_controller: Option<Box<SwitchControlled>>,
    /// Why a controller ended the run.
    pub(crate) control_error: Option<ControlError>,
    /// Changes of decisions from outside.
    pub(crate) script: Option<Box<Script>>,
    /// Where the world stopped for a decision.
    pub(crate) suspended: Option<Suspended>,
}

/// A node of the world.
#[derive(Clone)]
pub(crate) enum Node {
    Host(Box<Host>),
    Router(Box<Router>),
}

/// A router: its switch and the directions of its ports.
#[derive(Clone)]
pub(crate) struct Router {
    pub(crate) name: String,
    pub(crate) switch: Box<dyn Switch>,
    /// Whether a controller takes what the switch has for its control plane.
    pub(crate) controlled: bool,
    /// The outgoing direction of each port.
    pub(crate) directions: Vec<usize>,
    /// The recorder's queue of each port.
    pub(crate) queues: Vec<u32>,
    /// The wakeup planned in the agenda; never later than the switch's next one.
    pub(crate) armed: Time,
    /// Counters of the switch at the end of the warm-up.
    pub(crate) before: SwitchCounters,
    /// CPU times of the switch's threads at the end of the warm-up.
    pub(crate) threads_before: Vec<ThreadTime>,
}

/// First slot of each class of components. At one instant, slots are processed in ascending order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slots {
    /// Scheduled changes of a direction's rate.
    pub(crate) changes: usize,
    /// Transmitters that become free.
    pub(crate) transmitters: usize,
    /// Arrivals at the far end of a direction.
    pub(crate) arrivals: usize,
    /// Timers of nodes.
    pub(crate) nodes: usize,
    /// The controller of switches.
    pub(crate) switch_controller: usize,
    /// Controllers; added after the rest, so last.
    pub(crate) controllers: usize,
    pub(crate) end: usize,
}

impl Slots {
    pub(crate) fn new(directions: usize, nodes: usize, scheduled: usize) -> Slots {
        // Changes are last: a queue learns of its new rate after the packets' events of that instant.
        let end = 2 * directions + nodes + scheduled;
        Slots {
            transmitters: 0,
            arrivals: directions,
            nodes: 2 * directions,
            changes: 2 * directions + nodes,
            switch_controller: end,
            controllers: end + 1,
            end: end + 1,
        }
    }
}

impl World {
    /// Runs until `end`, or until `cancel` is set, which is checked once per sampling interval. May be called again with a
    /// later end.
    pub fn run(&mut self, end: Time, cancel: &AtomicBool) -> RunOutcome {
        loop {
            let is_done = self.run_to_boundary(end);
            if self.control_error.is_some() {
                return RunOutcome::Cancelled;
            }
            if self.suspended.is_some() {
                return RunOutcome::Waiting;
            }
            if is_done {
                return RunOutcome::Complete;
            }
            if cancel.load(Ordering::Relaxed) {
                return RunOutcome::Cancelled;
            }
        }
    }

    /// Runs to the next sample, the end of the warm-up or `end`, whichever is first. Returns whether `end` is reached.
    pub(crate) fn run_to_boundary(&mut self, end: Time) -> bool {
        fork::drawing(self.draw, || self.step_to_boundary(end))
    }

    fn step_to_boundary(&mut self, end: Time) -> bool {
        let warm_up = self.recorder.warm_up();
        let mut until = self.next_sample.min(end);
        if !self.measuring {
            until = until.min(warm_up);
        }
        if let Some(script) = &self.script {
            until = until.min(script.next_replacement().max(self.now));
        }
        self.step_until(until);
        if self.suspended.is_some() {
            return false;
        }
        self.now = until;
        if self.script.is_some() {
            self.tend_script(until);
        }
        if !self.measuring && until == warm_up {
            self.start_measuring();
        }
        if until == self.next_sample {
            self.sample();
            self.next_sample += self.recorder.interval();
        }
        until == end
    }

    /// The current instant.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Events processed so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether any direction is tapped.
    pub fn is_tapped(&self) -> bool {
        self.directions.iter().any(|direction| direction.tapped)
    }

    /// Sets the tap, which observes the packets of tapped directions.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Ends the run and returns its record.
    pub fn finish(mut self) -> RunRecord {
        let now = self.now;
        for node in &mut self.nodes {
            match node {
                Node::Host(host) => host.finish(now, &mut self.recorder),
                Node::Router(router) => {
                    summarise_threads(router, now, &mut self.recorder);
                    summarise_router(router, &mut self.recorder);
                }
            }
        }
        let measured_from = self.recorder.warm_up();
        for direction in &mut self.directions {
            let capacity = direction.carrier.model().capacity(measured_from, now).get();
            let carried = self.recorder.queue(direction.queue).departed_bytes();
            if capacity > 0 {
                // The last packet may still be in transmission, so cap the share.
                let share = (100.0 * carried as f64 / capacity as f64).min(100.0);
                self.recorder.summarise(direction.name.as_str(), metrics::UTILISATION, share, None);
            }
        }
        self.recorder.finish(now)
    }

    fn start_measuring(&mut self) {
        self.measuring = true;
        self.keep_carried();
        self.recorder.start_measuring();
        for node in &mut self.nodes {
            match node {
                Node::Host(host) => host.stack.start_measuring(),
                Node::Router(router) => {
                    router.before = router.switch.counters();
                    router.threads_before.clear();
                    router.switch.thread_times(self.now, &mut router.threads_before);
                }
            }
        }
    }

    /// Processes all events up to and including `until`, or until a program waits for a decision.
    fn step_until(&mut self, until: Time) {
        loop {
            let (time, slot) = self.agenda.next();
            if time > until || self.suspended.is_some() {
                return;
            }
            debug_assert!(time >= self.now, "time never goes back");
            self.now = time;
            self.events += 1;
            if slot < self.slots.arrivals {
                self.serve(slot, time);
                // A dequeue may start a recirculation in a router, or make another of its ports ready.
                self.after_router(self.directions[slot].from.node, time);
            } else if slot < self.slots.nodes {
                self.arrive(slot - self.slots.arrivals, time);
            } else if slot < self.slots.changes {
                self.wake(slot - self.slots.nodes, time);
            } else if slot < self.slots.switch_controller {
                self.change(slot - self.slots.changes, time);
            } else if slot < self.slots.controllers {
                self.control_switches(time);
            } else {
                self.control(slot - self.slots.controllers, time);
            }
            if self.recorder.ends_call() {
                self.complete(time);
            }
        }
    }

    /// Completes the decisions of calls that were not completed one by one.
    #[cold]
    pub(crate) fn complete(&mut self, now: Time) {
        let World { recorder, nodes, directions, .. } = self;
        recorder.complete(&mut |queue, out| {
            let direction = directions.get(queue as usize)?;
            nodes[direction.from.node].queue_state(queue, now, out)
        });
    }

    /// Delivers the next packet in flight at the far end of a direction.
    #[inline]
    fn arrive(&mut self, at: usize, now: Time) {
        let direction = &mut self.directions[at];
        // Where possible the packet is read where it lies: loads of fields right after a move of the whole would stall.
        let Some((_, packet)) = direction.in_flight.front() else { return };
        let End { node, port } = direction.to;
        if let Some(provenance) = self.recorder.provenance() {
            provenance.arrived(direction.queue, packet, now);
        }
        let passage = match &mut self.nodes[node] {
            Node::Host(host) if !host.outside => {
                host.stack.next_id = self.next_id;
                host.receive(packet, now, &mut self.recorder);
                if host.is_suspended() {
                    self.suspended = Some(Suspended { node, packet: Some(packet.meta.id) });
                } else if let Some(provenance) = self.recorder.provenance() {
                    provenance.handled(packet.meta.id, now);
                }
                self.next_id = host.stack.next_id;
                None
            }
            Node::Host(_) => {
                // A kernel drops a corrupted packet, which its owner reports.
                if let Some(provenance) = self.recorder.provenance()
                    && !packet.is_corrupted()
                {
                    provenance.handled(packet.meta.id, now);
                }
                None
            }
            Node::Router(router) => router.switch.passage(Port(port), packet),
        };
        let Some((_, packet)) = direction.in_flight.pop_front() else { return };
        // One slot per direction holds the next delivery, which is at the front: deliveries are in order, or `way` orders them.
        let next = match direction.in_flight.front() {
            Some((time, _)) => *time,
            None => match direction.way.as_mut().and_then(|way| way.next()) {
                Some((time, packet)) => {
                    direction.in_flight.push_back((time, packet));
                    time
                }
                None => Time::MAX,
            },
        };
        self.agenda.set(self.slots.arrivals + at, next);
        match &mut self.nodes[node] {
            Node::Host(host) if host.outside => {
                let queue = direction.queue;
                self.delivered.push(Delivery { host: NodeId(node), at: now, queue, packet });
            }
            Node::Host(_) if self.suspended.is_some() => {}
            Node::Host(_) => self.after_host(node, now),
            Node::Router(router) => {
                if let Some(script) = &mut self.script
                    && let Some(queue) = script.drops_on_arrival(&packet, &router.queues)
                {
                    self.recorder.queue(queue).offered();
                    return self.recorder.packet_dropped(
                        Place::Beside(queue),
                        &packet,
                        DropReason::Scripted,
                        now,
                    );
                }
                if let Some((to, hop_limit)) = passage
                    && let Some(onward) = router.directions.get(usize::from(to.0)).copied()
                    && self.directions[onward].lets_through(now)
                    && !is_scripted(&self.script, &self.directions[onward])
                {
                    router.switch.passed(Port(port), to, packet.meta.length);
                    let direction = &mut self.directions[onward];
                    self.recorder.queue(direction.queue).offered();
                    direction.free_at = transmit(
                        direction,
                        onward,
                        packet,
                        Some(hop_limit),
                        now,
                        &mut self.recorder,
                        &mut self.tap,
                        &mut self.script,
                        &mut self.agenda,
                        self.slots,
                    );
                    return;
                }
                let mut sink = Sink {
                    recorder: &mut self.recorder,
                    queues: &router.queues,
                    at: Place::Node,
                    script: self.script.as_deref_mut(),
                };
                let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut sink };
                router.switch.handle_packet(Port(port), packet, now, &mut out);
                if self.recorder.ends_call() {
                    self.complete(now);
                }
                self.after_router(node, now);
            }
        }
    }

    /// Handles the timer of a node.
    fn wake(&mut self, node: usize, now: Time) {
        // With `armed` at `now`, planning within the calls below leaves the slot alone; it is set once, at the end.
        match &mut self.nodes[node] {
            Node::Host(host) => {
                host.armed = now;
                host.stack.next_id = self.next_id;
                host.wake(now, &mut self.recorder);
                self.next_id = host.stack.next_id;
                if host.is_suspended() {
                    self.suspended = Some(Suspended { node, packet: None });
                    return;
                }
                return self.after_host_timer(node, now);
            }
            Node::Router(router) => {
                router.armed = now;
                let mut sink = Sink {
                    recorder: &mut self.recorder,
                    queues: &router.queues,
                    at: Place::Node,
                    script: self.script.as_deref_mut(),
                };
                let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut sink };
                router.switch.handle_wakeup(now, &mut out);
                self.after_router(node, now);
            }
        }
        self.arm(node);
    }

    /// Handles the timers of queues at a host, after those of its programs and sockets, and plans its next wakeup.
    pub(crate) fn after_host_timer(&mut self, node: usize, now: Time) {
        let Node::Host(host) = &self.nodes[node] else { return };
        // Few disciplines have timers; the flag spares other hosts the loop.
        for port in 0..if host.queues_keep_time { host.ports.len() } else { 0 } {
            self.wake_host_queue(node, port, now);
        }
        self.after_host(node, now);
        self.arm(node);
    }

    /// Plans the next wakeup of a node, after one.
    fn arm(&mut self, node: usize) {
        let next = match &mut self.nodes[node] {
            Node::Host(host) => {
                host.armed = host.next_instant();
                host.armed
            }
            Node::Router(router) => {
                router.armed = router.switch.next_wakeup().unwrap_or(Time::MAX);
                router.armed
            }
        };
        self.agenda.set(self.slots.nodes + node, next);
    }

    /// Handles the timer of a discipline at a host's port, such as PI2.
    fn wake_host_queue(&mut self, node: usize, port: usize, now: Time) {
        let Node::Host(host) = &mut self.nodes[node] else { return };
        if host.ports[port].next_wakeup().is_some_and(|at| at <= now) {
            let mut sink = Sink {
                recorder: &mut self.recorder,
                queues: &host.queues,
                at: Place::Queue(host.queues[port]),
                script: self.script.as_deref_mut(),
            };
            host.ports[port].handle_wakeup(now, &mut sink);
            let direction = host.directions[port];
            self.serve(direction, now);
        }
    }

    /// Sends the packets in a host's outbox and plans its next wakeup.
    #[inline]
    pub(crate) fn after_host(&mut self, node: usize, now: Time) {
        let Node::Host(host) = &mut self.nodes[node] else { return };
        if host.has_ethernet() {
            host.stack.next_id = self.next_id;
            host.put_into_frames(now, &mut self.recorder);
            self.next_id = host.stack.next_id;
        }
        if !host.stack.outbox.is_empty() {
            // Swapped rather than drained: sending borrows the host again.
            std::mem::swap(&mut self.outbox, &mut host.stack.outbox);
            self.send_from_host(node, now);
        }
        let Node::Host(host) = &mut self.nodes[node] else { return };
        // A wakeup planned too early is harmless, so only an earlier one is set.
        let next = host.next_wakeup();
        if next < host.armed {
            host.armed = next;
            self.agenda.set(self.slots.nodes + node, next);
        }
    }

    /// Sends the packets in the outbox through the ports of a host.
    pub(crate) fn send_from_host(&mut self, node: usize, now: Time) {
        let mut outbox = std::mem::take(&mut self.outbox);
        for packet in outbox.drain(..) {
            let Node::Host(host) = &mut self.nodes[node] else { break };
            let Some(port) = host.port_towards(&packet) else {
                self.recorder.packet_dropped(Place::Node, &packet, DropReason::NoRoute, now);
                continue;
            };
            let queue = host.queues[port];
            self.recorder.queue(queue).offered();
            let at = host.directions[port];
            let direction = &mut self.directions[at];
            let is_scripted = is_scripted(&self.script, direction);
            if let Some(script) = &mut self.script {
                if script.drops_on_arrival(&packet, &[queue]).is_some() {
                    self.recorder.packet_dropped(Place::Beside(queue), &packet, DropReason::Scripted, now);
                    continue;
                }
                script.offered(queue, &packet, now);
            }
            if direction.lets_through(now) && host.ports[port].lets_through(&packet) && !is_scripted {
                let hop_limit = Some(packet.meta.hop_limit);
                direction.free_at = transmit(
                    direction,
                    at,
                    packet,
                    hop_limit,
                    now,
                    &mut self.recorder,
                    &mut self.tap,
                    &mut self.script,
                    &mut self.agenda,
                    self.slots,
                );
                continue;
            }
            if let Some(provenance) = self.recorder.provenance() {
                provenance.enqueued(queue, &packet, now);
            }
            let mut sink = Sink {
                recorder: &mut self.recorder,
                queues: &host.queues,
                at: Place::Queue(queue),
                script: self.script.as_deref_mut(),
            };
            if now < direction.free_at || direction.carrier.ready_at(now) > now || is_scripted {
                // The transmitter is busy: the packet queues.
                host.ports[port].enqueue(packet, now, &mut sink);
                if self.recorder.ends_call() {
                    self.complete(now);
                }
                self.serve(at, now);
            } else if let Some(packet) = host.ports[port].pass(packet, now, &mut sink) {
                // Fast path: the discipline passes the packet through to the idle transmitter.
                if let Some(provenance) = self.recorder.provenance() {
                    provenance.dequeued(queue, &packet, now);
                }
                direction.free_at = transmit(
                    direction,
                    at,
                    packet,
                    None,
                    now,
                    &mut self.recorder,
                    &mut self.tap,
                    &mut self.script,
                    &mut self.agenda,
                    self.slots,
                );
                if direction.idle_poll_pending || host.ports[port].backlog().packets > 0 {
                    self.serve(at, now);
                } else if let Some(time) = host.plan_queue(port as u16) {
                    self.agenda.set(self.slots.nodes + node, time);
                }
            } else {
                // The discipline queued or dropped the packet; it may release one now.
                if self.recorder.ends_call() {
                    self.complete(now);
                }
                self.serve(at, now);
            }
        }
        // Returned empty, for its capacity.
        self.outbox = outbox;
        if self.script.is_some() {
            self.serve_touched(now);
        }
    }

    /// Serves the ports that a switch has reported as pending, and plans its next wakeup.
    #[inline]
    pub(crate) fn after_router(&mut self, node: usize, now: Time) {
        while let Some(port) = self.pending.pop() {
            let Node::Router(router) = &self.nodes[node] else { return };
            let direction = router.directions[usize::from(port.0)];
            self.serve(direction, now);
        }
        self.plan_router(node);
        if self.script.is_some() {
            self.serve_touched(now);
        }
    }

    #[inline]
    fn plan_router(&mut self, node: usize) {
        let Node::Router(router) = &mut self.nodes[node] else { return };
        if let Some(time) = router.plan() {
            self.agenda.set(self.slots.nodes + node, time);
        }
        if router.controlled && router.switch.has_notices() {
            self.notice(self.now);
        }
    }

    /// Lets a transmitter take packets from its queue while it is free, and plans its next event: the instant when it is free
    /// again, if packets wait or the queue wants an idle poll. For a router the caller plans the next wakeup.
    pub(crate) fn serve(&mut self, at: usize, now: Time) {
        let direction = &mut self.directions[at];
        if direction.cellular.is_some() {
            return self.serve_cellular(at, now);
        }
        if now < direction.free_at {
            self.agenda.set(self.slots.transmitters + at, direction.free_at);
            return;
        }
        let End { node, port } = direction.from;
        let node_state = &mut self.nodes[node];
        let next = loop {
            // A carrier such as a trace may make the transmitter wait for its next opportunity.
            let ready = direction.carrier.ready_at(now);
            if ready > now {
                let waits =
                    node_state.has_departure(port) || has_scripted(&self.script, direction, node_state);
                break if direction.idle_poll_pending || waits { ready } else { Time::MAX };
            }
            let departure = match self.script.as_deref_mut() {
                Some(script) if script.acts_at(direction.queue) => take_scripted(
                    script,
                    direction.queue,
                    (&mut *node_state, port),
                    &mut self.recorder,
                    &mut self.pending,
                    now,
                ),
                script => take(node_state, port, &mut self.recorder, script, &mut self.pending, now),
            };
            if self.recorder.ends_call() {
                self.recorder.complete(&mut |queue, out| node_state.queue_state(queue, now, out));
            }
            direction.free_at = match departure {
                None => {
                    // This was the idle poll; the next packet to be enqueued starts the transmitter again.
                    direction.idle_poll_pending = false;
                    break Time::MAX;
                }
                // A recirculated clone occupies the port as if it were sent.
                Some(Departure::Service(length)) => {
                    direction.idle_poll_pending = direction.wants_idle_polls;
                    direction.carrier.begin(u32::from(length) + direction.overhead, now)
                }
                Some(Departure::Transmit(packet)) => transmit(
                    direction,
                    at,
                    packet,
                    None,
                    now,
                    &mut self.recorder,
                    &mut self.tap,
                    &mut self.script,
                    &mut self.agenda,
                    self.slots,
                ),
            };
            // A carrier may send several packets in one opportunity; then it is free at once and the loop continues.
            if direction.free_at > now {
                let asks = direction.idle_poll_pending
                    || node_state.has_departure(port)
                    || has_scripted(&self.script, direction, node_state);
                break if asks { direction.free_at } else { Time::MAX };
            }
        };
        self.agenda.set(self.slots.transmitters + at, next);
        if let Node::Host(host) = node_state
            && let Some(time) = host.plan_queue(port)
        {
            self.agenda.set(self.slots.nodes + node, time);
        }
    }

    /// Handles a scheduled change of a direction's rate.
    fn change(&mut self, number: usize, now: Time) {
        let at = self.scheduled[number];
        let next = self.directions[at].carrier.model().next_change(now).unwrap_or(Time::MAX);
        self.agenda.set(self.slots.changes + number, next);
        self.tell_rate(at, now);
    }

    /// Reports the current rate of a direction to its queue.
    pub(crate) fn tell_rate(&mut self, at: usize, now: Time) {
        let direction = &mut self.directions[at];
        let rate = direction.carrier.model().rate(now);
        let End { node, port } = direction.from;
        match &mut self.nodes[node] {
            Node::Host(host) => host.ports[usize::from(port)].capacity_changed(rate, now),
            Node::Router(router) => router.switch.capacity_changed(Port(port), rate, now),
        }
        self.plan_router(node);
    }

    /// The backlog of the queue of a direction.
    pub(crate) fn backlog_before(&self, direction: &Direction) -> Backlog {
        let End { node, port } = direction.from;
        self.nodes[node].backlog(port)
    }

    /// Samples all series.
    fn sample(&mut self) {
        let now = self.now;
        for direction in &self.directions {
            let mut backlog = self.backlog_before(direction);
            if let Some(script) = &self.script {
                let (packets, bytes) = script.backlog(direction.queue);
                backlog.packets += packets;
                backlog.bytes += bytes;
            }
            self.recorder.sample_queue(direction.queue, backlog.packets, backlog.bytes, now);
        }
        for node in &self.nodes {
            if let Node::Host(host) = node {
                host.sample(now, &mut self.recorder);
            }
        }
        if self.recorder.samples_gauges() {
            self.sample_gauges(now);
        }
        self.recorder.sample_flows(now);
        self.recorder.end_sample(now);
    }
}

impl World {
    /// Samples the gauges of queues, connections and programs.
    fn sample_gauges(&mut self, now: Time) {
        for direction in &self.directions {
            let id = ObjectId { kind: Kind::Queue, index: direction.queue };
            let mut out = self.recorder.gauges(id, now);
            let End { node, port } = direction.from;
            match &self.nodes[node] {
                Node::Host(host) => host.ports[usize::from(port)].gauges(now, &mut out),
                Node::Router(router) => router.switch.gauges(Port(port), now, &mut out),
            }
        }
        for node in &self.nodes {
            if let Node::Host(host) = node {
                host.sample_gauges(now, &mut self.recorder);
            }
        }
    }
}

impl Node {
    pub(crate) fn router(&self) -> Option<&Router> {
        match self {
            Node::Router(router) => Some(router),
            Node::Host(_) => None,
        }
    }

    #[inline]
    pub(crate) fn backlog(&self, port: u16) -> Backlog {
        match self {
            Node::Host(host) => host.ports[usize::from(port)].backlog(),
            Node::Router(router) => router.switch.backlog(Port(port)),
        }
    }

    /// Reports the gauges of one of its queues, by the recorder's number; returns the packets and bytes that wait there.
    pub(crate) fn queue_state(&self, queue: u32, now: Time, out: &mut dyn Gauges) -> Option<(u64, u64)> {
        let queues = match self {
            Node::Host(host) => &host.queues,
            Node::Router(router) => &router.queues,
        };
        let port = queues.iter().position(|own| *own == queue)?;
        match self {
            Node::Host(host) => host.ports[port].gauges(now, out),
            Node::Router(router) => router.switch.gauges(Port(port as u16), now, out),
        }
        let backlog = self.backlog(port as u16);
        Some((backlog.packets, backlog.bytes))
    }

    #[inline]
    pub(crate) fn has_departure(&self, port: u16) -> bool {
        match self {
            Node::Host(host) => host.ports[usize::from(port)].backlog().packets > 0,
            Node::Router(router) => router.switch.has_departure(Port(port)),
        }
    }
}

impl Router {
    /// The next wakeup of the switch, if earlier than the planned one.
    #[inline]
    fn plan(&mut self) -> Option<Time> {
        let next = self.switch.next_wakeup().filter(|next| *next < self.armed)?;
        self.armed = next;
        Some(next)
    }
}
