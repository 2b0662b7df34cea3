//! The loop that runs the programs.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_measure::{Kind, ObjectId, Recorder};
use jettison_sockets::{Application, SocketEvent};
use jettison_wire::FlowId;

use super::poller::Readiness;
use super::readings::Readings;
use super::stack::{STOP_TOKEN, Stack, WATCH_INTERVAL};
use super::stop::Stop;
use super::view::HostView;
use super::watch::{Watch, write_series};
use super::{HostSockets, HostsOutcome, LiveProgram, Watched};
use crate::LiveClock;

/// All built-in programs of a run. Runs on one thread, which it moves between the hosts' network namespaces.
pub struct LiveHosts {
    stack: Stack,
    programs: Vec<Program>,
    watch: Watch,
    recorder: Recorder,
    /// What flows last measured, for others.
    readings: Arc<Readings>,
    clock: LiveClock,
    next_sample: Time,
    next_watch: Time,
    is_measuring: bool,
}

struct Program {
    application: Box<dyn Application>,
    flow: FlowId,
    start: Time,
    stop: Time,
    phase: Phase,
    /// When it is to be called next.
    next: Time,
    /// The last instant that it was told: its time never goes back.
    told: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Stopped,
}

impl LiveHosts {
    /// Programs at hosts. `recorder` has all flows registered; `watched` are those whose sockets other programs open.
    ///
    /// # Errors
    /// If the kernel has no `epoll` descriptor to give.
    pub fn new(
        hosts: Vec<HostSockets>,
        programs: Vec<LiveProgram>,
        watched: Vec<Watched>,
        recorder: Recorder,
        clock: LiveClock,
    ) -> io::Result<LiveHosts> {
        let mut notes = Vec::new();
        let watch = Watch::new(watched, &hosts, &mut notes);
        raise_descriptor_limit();
        let mut stack = Stack::new(hosts)?;
        notes.into_iter().for_each(|note| stack.note(note));
        let programs = programs.into_iter().map(|program| {
            stack.add_owner(program.flow, program.host);
            let LiveProgram { flow, application, start, stop, .. } = program;
            Program { application, flow, start, stop, phase: Phase::Waiting, next: start, told: Time::ZERO }
        });
        let programs = programs.collect();
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
        })
    }

    /// What flows last measured, at each sample.
    pub fn readings(&self) -> Arc<Readings> {
        Arc::clone(&self.readings)
    }

    /// Runs the programs until `end` by the clock, or until `stop`.
    pub fn run(mut self, end: Time, stop: &Stop) -> HostsOutcome {
        fine_timers();
        if let Err(error) = self.stack.poller.add(stop.as_fd(), STOP_TOKEN, Readiness::IN) {
            self.stack.note(format!("a stop is noticed late: {error}"));
        }
        let ended = loop {
            let now = self.clock.now();
            self.keep_grid(now.min(end));
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
        self.stack.summarise(&mut self.recorder);
        self.watch.summarise(&mut self.recorder);
        self.stack.leave();
        HostsOutcome { recorder: self.recorder, notes: self.stack.into_notes() }
    }

    /// Samples and the end of the warm-up, as many as are due. A sample carries the instant at which it was due, so that all
    /// series of a run stand on one grid; one that a stalled thread has missed altogether is left out.
    fn keep_grid(&mut self, now: Time) {
        let warm_up = self.recorder.warm_up();
        if !self.is_measuring && warm_up <= now {
            self.is_measuring = true;
            self.recorder.start_measuring();
            self.stack.start_measuring();
            self.watch.start_measuring();
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
            // The kernel's controllers are not ours to ask; transports that programs bring are.
            for program in self.programs.iter().filter(|program| program.phase != Phase::Waiting) {
                let flow = ObjectId { kind: Kind::Flow, index: program.flow.0 };
                program.application.gauges(at, &mut self.recorder.gauges(flow, at));
            }
        }
        self.recorder.sample_flows(at);
        self.recorder.end_sample(at);
        self.readings.take(&self.recorder, at);
    }

    /// Calls the programs that are due, each once. What they want of the network happens when all have been called, so that who
    /// starts at the same time as its server finds it listening.
    fn wake(&mut self, now: Time) {
        for at in 0..self.programs.len() {
            let program = &mut self.programs[at];
            if program.next > now {
                continue;
            }
            let (stack, recorder) = (&mut self.stack, &mut self.recorder);
            let is_stopped = program.phase == Phase::Running && program.stop <= now;
            // A late thread takes nothing from a program: what was due before its stop still happens, as if at that time.
            let is_owed =
                is_stopped && program.application.next_wakeup().is_some_and(|own| own < program.stop);
            let now = if is_owed { program.stop.max(program.told) } else { now };
            program.told = now;
            let mut view = HostView { stack, recorder, owner: at as u32, flow: program.flow, now };
            if program.phase == Phase::Waiting {
                program.phase = Phase::Running;
                program.application.start(now, &mut view);
            } else if is_stopped {
                if is_owed {
                    program.application.handle_wakeup(now, &mut view);
                }
                program.phase = Phase::Stopped;
                program.application.stop(now, &mut view);
            } else {
                program.application.handle_wakeup(now, &mut view);
            }
            program.plan();
        }
    }

    /// Tells programs of their sockets' events, and lets sockets send, until nothing moves any more.
    fn settle(&mut self) {
        loop {
            while let Some((owner, event)) = self.stack.events.pop_front() {
                self.tell(owner, event);
            }
            if !self.stack.settle_one(&mut self.recorder) {
                break;
            }
        }
        self.stack.flush_datagrams(Some((&mut self.recorder, self.clock.now())));
    }

    fn tell(&mut self, owner: u32, event: SocketEvent) {
        let program = &mut self.programs[owner as usize];
        let now = self.clock.now();
        program.told = now;
        let (stack, recorder) = (&mut self.stack, &mut self.recorder);
        let mut view = HostView { stack, recorder, owner, flow: program.flow, now };
        program.application.handle_event(event, now, &mut view);
        program.plan();
    }

    /// Sleeps until something is due or ready, and takes what is ready in.
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
    fn plan(&mut self) {
        let own = self.application.next_wakeup().unwrap_or(Time::MAX);
        self.next = match self.phase {
            Phase::Waiting => self.start,
            Phase::Running => own.min(self.stop),
            Phase::Stopped => own,
        };
    }
}

/// A thread's timers may be late by 50 µs unless it asks for better (prctl(2), PR_SET_TIMERSLACK).
fn fine_timers() {
    let slack = Duration::from_micros(1).as_nanos() as libc::c_ulong;
    // SAFETY: no pointers are passed, and only the calling thread changes.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack, 0_u64, 0_u64, 0_u64) };
}

/// A web-like load may have thousands of connections: as many descriptors as may be had without privilege.
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
