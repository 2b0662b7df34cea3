//! Event loop of the built-in programs.

#![allow(unsafe_code, reason = "resource limits")]

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use jettison_core::Time;
use jettison_measure::wire::Tells;
use jettison_measure::{Distribution, Kind, ObjectId, Recorder};
use jettison_sockets::{Application, SocketEvent};
use jettison_wire::FlowId;

use super::poller::Readiness;
use super::readings::Readings;
use super::stack::{STOP_TOKEN, Stack, WATCH_INTERVAL};
use super::stop::Stop;
use super::view::HostView;
use super::watch::{Watch, write_series};
use super::witness::Witness;
use super::{HostSockets, HostsOutcome, LiveProgram, Watched};
use crate::LiveClock;
use crate::scheduling::RealTime;

/// All built-in programs of a run. They share one thread, which moves between the hosts' network namespaces.
pub struct LiveHosts {
    stack: Stack,
    programs: Vec<Program>,
    watch: Watch,
    recorder: Recorder,
    /// Newest values of the flows, for other threads.
    readings: Arc<Readings>,
    clock: LiveClock,
    next_sample: Time,
    next_watch: Time,
    is_measuring: bool,
    /// SCHED_FIFO priority; `None` for a normal thread.
    priority: Option<u8>,
    lateness: Distribution,
}

struct Program {
    application: Box<dyn Application>,
    flow: FlowId,
    start: Time,
    stop: Time,
    phase: Phase,
    /// Time of the next call.
    next: Time,
    /// Time of the last call. Time never goes back for a program.
    last_call: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Stopped,
}

impl LiveHosts {
    /// Creates the programs of all hosts. `recorder` has all flows registered; `watched` lists the flows of other programs'
    /// sockets.
    ///
    /// # Errors
    /// If the kernel provides no `epoll` descriptor.
    pub fn new(
        hosts: Vec<HostSockets>,
        programs: Vec<LiveProgram>,
        watched: Vec<Watched>,
        mut recorder: Recorder,
        clock: LiveClock,
    ) -> io::Result<LiveHosts> {
        let mut notes = Vec::new();
        // The stack takes the hosts, so the samplers are created first and their notes passed on.
        let watch = Watch::new(watched, &hosts, &mut notes);
        raise_descriptor_limit();
        let mut stack = Stack::new(hosts)?;
        stack.witness = recorder.leave_packets().map(|told| Box::new(Witness::new(told, clock)));
        notes.into_iter().for_each(|note| stack.note(note));
        let programs = programs.into_iter().map(|program| {
            stack.add_owner(program.flow, program.host);
            let LiveProgram { flow, application, start, stop, .. } = program;
            Program {
                application,
                flow,
                start,
                stop,
                phase: Phase::Waiting,
                next: start,
                last_call: Time::ZERO,
            }
        });
        let programs = programs.collect();
        // The first interval has no data before its end.
        let next_sample = Time::ZERO + recorder.interval();
        let readings = Arc::new(Readings::new(recorder.flow_count()));
        Ok(LiveHosts {
            stack,
            programs,
            watch,
            recorder,
            readings,
            clock,
            next_sample,
            next_watch: Time::ZERO,
            is_measuring: false,
            priority: None,
            lateness: Distribution::default(),
        })
    }

    /// Requests SCHED_FIFO with this priority for the thread of [`LiveHosts::run`], if the kernel permits it.
    pub fn in_real_time(self, priority: Option<u8>) -> LiveHosts {
        LiveHosts { priority, ..self }
    }

    /// The flows whose programs tell of units, for the router; none without accounts.
    pub fn tells(&self) -> Tells {
        self.stack.witness.as_ref().map(|witness| witness.told.tells()).unwrap_or_default()
    }

    /// Newest values of the flows, updated at each sample.
    pub fn readings(&self) -> Arc<Readings> {
        Arc::clone(&self.readings)
    }

    /// Runs the programs until `end` on the clock, or until `stop`.
    pub fn run(mut self, end: Time, stop: &Stop) -> HostsOutcome {
        let real_time = RealTime::enter(self.priority);
        if let Err(error) = self.stack.poller.add(stop.as_fd(), STOP_TOKEN, Readiness::IN) {
            self.stack.note(format!("cannot watch for a stop request, which delays it: {error}"));
        }
        let ended = loop {
            let now = self.clock.now();
            self.take_samples(now.min(end));
            if stop.is_stopped() || now >= end {
                break now.min(end);
            }
            self.wake(now);
            self.settle();
            self.wait(end);
        };
        for program in &mut self.programs {
            if let Some(meter) = self.recorder.flow(program.flow) {
                program.application.finish(ended, meter);
            }
        }
        if let Some(witness) = &mut self.stack.witness {
            (0..self.recorder.flow_count() as u32)
                .for_each(|flow| witness.end_units(FlowId(flow), &mut self.recorder, true, ended));
        }
        self.stack.summarise(&mut self.recorder);
        self.watch.summarise(&mut self.recorder);
        self.stack.leave();
        HostsOutcome {
            told: self.stack.witness.take().map(|witness| witness.told),
            recorder: self.recorder,
            notes: self.stack.into_notes(),
            scheduling: real_time.scheduling().clone(),
            lateness: self.lateness,
        }
    }

    /// Takes the due samples and ends the warm-up. A sample has the time at which it was due, so that all series of a run
    /// share one time grid. A sample that a stalled thread missed completely is skipped.
    fn take_samples(&mut self, now: Time) {
        let warm_up = self.recorder.warm_up();
        if !self.is_measuring && warm_up <= now {
            self.is_measuring = true;
            self.recorder.start_measuring();
            self.stack.start_measuring();
            self.watch.start_measuring();
            self.lateness.clear();
        }
        let interval = self.recorder.interval();
        if self.next_sample > now || interval.is_zero() {
            return;
        }
        while self.next_sample + interval <= now {
            self.next_sample += interval;
        }
        let at = self.next_sample;
        self.next_sample += interval;
        self.stack.sample_round_trips(&mut self.recorder);
        for (flow, info) in self.stack.observed() {
            write_series(flow, &info, at, &mut self.recorder);
        }
        self.watch.sample(at, &mut self.recorder);
        if self.recorder.samples_gauges() {
            // The kernel's congestion controllers have no gauges for us; transports implemented by programs do.
            for program in self.programs.iter().filter(|program| program.phase != Phase::Waiting) {
                let flow = ObjectId { kind: Kind::Flow, index: program.flow.0 };
                program.application.gauges(at, &mut self.recorder.gauges(flow, at));
            }
        }
        self.recorder.sample_flows(at);
        self.recorder.end_sample(at);
        self.readings.update(&self.recorder, at);
    }

    /// Calls each program that is due once. Their network requests are executed after all calls, so that a client that starts
    /// together with its server finds it listening.
    fn wake(&mut self, now: Time) {
        for at in 0..self.programs.len() {
            let program = &mut self.programs[at];
            if program.next > now {
                continue;
            }
            let (stack, recorder) = (&mut self.stack, &mut self.recorder);
            let is_stopped = program.phase == Phase::Running && program.stop <= now;
            // A late thread must not cost a program its wakeups: one due before the stop is delivered first, with the stop's
            // time.
            let has_missed_wakeup =
                is_stopped && program.application.next_wakeup().is_some_and(|at| at < program.stop);
            let now = if has_missed_wakeup { program.stop.max(program.last_call) } else { now };
            program.last_call = now;
            let mut view = HostView { stack, recorder, owner: at as u32, flow: program.flow, now };
            if program.phase == Phase::Waiting {
                program.phase = Phase::Running;
                program.application.start(now, &mut view);
            } else if is_stopped {
                if has_missed_wakeup {
                    program.application.handle_wakeup(now, &mut view);
                }
                program.phase = Phase::Stopped;
                program.application.stop(now, &mut view);
            } else {
                program.application.handle_wakeup(now, &mut view);
            }
            program.schedule();
            let flow = program.flow;
            self.end_units(flow, now);
        }
    }

    /// Takes the ends of units that a call of a flow's program has told.
    #[inline]
    fn end_units(&mut self, flow: FlowId, now: Time) {
        if let Some(witness) = &mut self.stack.witness {
            witness.end_units(flow, &mut self.recorder, false, now);
        }
    }

    /// Delivers socket events to the programs and lets sockets send until no event and no data are left.
    fn settle(&mut self) {
        loop {
            while let Some((owner, event)) = self.stack.events.pop_front() {
                self.deliver(owner, event);
            }
            if !self.stack.settle_one(&mut self.recorder) {
                break;
            }
        }
        self.stack.flush_datagrams(Some((&mut self.recorder, self.clock.now())));
    }

    fn deliver(&mut self, owner: u32, event: SocketEvent) {
        let program = &mut self.programs[owner as usize];
        let now = self.clock.now();
        program.last_call = now;
        let (stack, recorder) = (&mut self.stack, &mut self.recorder);
        if let SocketEvent::Datagram { socket, from, datagram } = &event
            && stack.witness.is_some()
            && let Some(local) = stack.datagram_end(*socket)
            && let Some(witness) = &mut stack.witness
        {
            witness.receives(*from, local, datagram, now);
        }
        let is_datagram = matches!(event, SocketEvent::Datagram { .. });
        let flow = program.flow;
        let mut view = HostView { stack, recorder, owner, flow, now };
        program.application.handle_event(event, now, &mut view);
        program.schedule();
        if let Some(witness) = self.stack.witness.as_mut().filter(|_| is_datagram) {
            witness.told.handled(now);
        }
        self.end_units(flow, now);
    }

    /// Sleeps until a program is due or a socket is ready, and handles the ready sockets.
    fn wait(&mut self, end: Time) {
        let mut next = self.programs.iter().map(|program| program.next).min().unwrap_or(Time::MAX);
        next = next.min(self.next_sample).min(end);
        if !self.is_measuring {
            next = next.min(self.recorder.warm_up());
        }
        if self.stack.is_watching() {
            next = next.min(self.next_watch);
        }
        let ready = match self.stack.poller.wait(next.since(self.clock.now())) {
            Ok(ready) => ready,
            Err(error) => {
                self.stack.note(format!("epoll: {error}"));
                0
            }
        };
        let woken = self.clock.now();
        if next <= woken {
            self.lateness.record(woken.since(next));
        }
        for at in 0..ready {
            if let Some((token, readiness)) = self.stack.poller.ready(at) {
                self.stack.on_ready(token, readiness, self.clock.now());
                self.settle();
            }
        }
        let now = self.clock.now();
        if self.stack.is_watching() && self.next_watch <= now {
            self.next_watch = now + WATCH_INTERVAL;
            self.stack.watch();
            self.settle();
        }
    }
}

impl Program {
    fn schedule(&mut self) {
        let wakeup = self.application.next_wakeup().unwrap_or(Time::MAX);
        self.next = match self.phase {
            Phase::Waiting => self.start,
            Phase::Running => wakeup.min(self.stop),
            Phase::Stopped => wakeup,
        };
    }
}

/// Raises the descriptor limit to the hard limit: a web workload can have thousands of connections.
fn raise_descriptor_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a pointer to a structure that outlives them.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 && limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}
