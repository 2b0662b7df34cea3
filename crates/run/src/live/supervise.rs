//! Supervision of the user's programs during a run.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration as Wall;

use jettison_core::{Duration, Time};
use jettison_live::net::Namespace;
use jettison_live::process::command::{Exited, Program, ProgramId, Signal, Supervisor, Waited};
use jettison_live::process::ready::{Readiness, Transport};
use jettison_live::process::{Inherited, Threads, ThreadsOutcome};
use jettison_live::{LiveError, clock};
use jettison_report::Failure;
use jettison_scenario::build::LivePlan;
use jettison_sockets::command::{PortProtocol, Ready, StopSignal};

use super::command::Planned;

/// Maximum time for a program to end after the stop signal.
const GRACE: Wall = Wall::from_secs(2);
/// Exit status of timeout(1) for a command that it ended.
const OUT_OF_TIME: u8 = 124;
/// Interval of the samples of the programs' threads.
const SAMPLED: Duration = Duration::from_millis(250);

/// The user's programs and their states.
pub struct Programs {
    supervisor: Supervisor,
    programs: Vec<Own>,
    /// The program that owns the terminal; the run ends with it.
    terminal: Option<usize>,
    failures: Vec<Failure>,
    notes: Vec<String>,
    threads: Threads,
    sampled: Time,
    /// Whether the programs have real-time priority.
    real_time: bool,
}

struct Own {
    planned: Planned,
    program: Option<Program>,
    ready_within: Wall,
    running: Option<ProgramId>,
    /// Whether the stop signal was sent.
    asked: bool,
}

impl Programs {
    /// Creates the programs of a plan without starting them.
    pub fn new(
        planned: Vec<Planned>,
        plan: &LivePlan,
        namespaces: &[Arc<Namespace>],
        logs: &Path,
        terminal: Option<&str>,
        whole_environment: bool,
        real_time: Option<u8>,
    ) -> Programs {
        let mut own = Vec::new();
        let mut at_terminal = None;
        for planned in planned {
            let command = plan.commands.iter().find(|command| command.flow == planned.flow);
            let Some(parameters) = command.map(|command| &command.parameters) else { continue };
            let flow = &plan.flows[planned.flow.0 as usize].name;
            let has_terminal = planned.begins && terminal == Some(flow.as_str());
            if has_terminal {
                at_terminal = Some(own.len());
            }
            let program = Program {
                name: planned.name.clone(),
                host: Arc::clone(&namespaces[planned.host]),
                run: planned.run.clone(),
                user: parameters.user.clone(),
                inherited: match whole_environment {
                    true => Inherited::All,
                    false => Inherited::Minimal(parameters.pass_environment.clone()),
                },
                environment: planned.environment.clone(),
                directory: Some(planned.directory.clone()),
                log: logs.join(&planned.name),
                terminal: has_terminal,
                stop_signal: signal(parameters.stop_signal),
                grace: GRACE,
                real_time,
            };
            let ready_within = wall(parameters.ready_within.0);
            own.push(Own { planned, program: Some(program), ready_within, running: None, asked: false });
        }
        Programs {
            supervisor: Supervisor::new(),
            programs: own,
            terminal: at_terminal,
            failures: Vec::new(),
            notes: Vec::new(),
            threads: Threads::default(),
            sampled: Time::ZERO,
            real_time: real_time.is_some(),
        }
    }

    /// Samples the programs' threads if that is due, or at once if `must`.
    pub fn sample(&mut self, now: Time, must: bool) {
        let since = now.since(self.sampled);
        if !self.programs.is_empty() && (must || since >= SAMPLED) && !since.is_zero() {
            self.sampled = now;
            self.threads.sample(wall(since), self.real_time);
        }
    }

    /// Ends the warm-up.
    pub fn start_measuring(&mut self, now: Time) {
        self.sample(now, true);
        self.threads.start_measuring();
    }

    /// Returns what the samples of the threads show.
    pub fn take_threads(&mut self) -> ThreadsOutcome {
        let outcome = std::mem::take(&mut self.threads).finish();
        if outcome.demoted > 0 {
            self.notes.push(format!(
                "threads of programs that did not sleep for a second and lost their real-time priority: {}",
                outcome.demoted
            ));
        }
        if !outcome.is_counted && !self.programs.is_empty() {
            self.notes.push("the kernel does not count how long programs waited for a processor".to_owned());
        }
        outcome
    }

    /// Starts the programs that others wait for, and waits until all are ready.
    ///
    /// # Errors
    /// If one cannot be started or is not ready in time, which makes the run impossible.
    pub fn start_waiting(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), String> {
        for index in 0..self.programs.len() {
            if self.programs[index].planned.begins {
                continue;
            }
            let id = self.start(index).map_err(|error| error.to_string())?;
            let own = &self.programs[index];
            if let Some(ready) = &own.planned.ready {
                let waited = self.supervisor.wait_ready(id, readiness(ready), own.ready_within, stopped);
                if waited.map_err(|error| error.to_string())? == Waited::Stopped {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Starts and stops programs due at `now`, and handles those that ended. Returns whether the run ends now.
    pub fn turn(&mut self, now: Time) -> bool {
        for index in 0..self.programs.len() {
            let own = &self.programs[index];
            if own.planned.begins
                && own.program.is_some()
                && own.planned.start <= now
                && let Err(error) = self.start(index)
            {
                self.fail(now, error.to_string());
            }
            let own = &self.programs[index];
            if let Some(id) =
                own.running.filter(|_| own.planned.begins && !own.asked && own.planned.stop <= now)
            {
                if self.terminal == Some(index) {
                    self.end_of_terminal(now);
                }
                self.programs[index].asked = true;
                self.supervisor.stop(id);
            }
        }
        let mut over = false;
        for exited in self.supervisor.poll() {
            over |= self.ended(&exited, now);
        }
        over
    }

    /// Time of the next start or stop.
    pub fn next_instant(&self) -> Time {
        let due = |own: &Own| match (&own.program, own.running, own.asked) {
            (Some(_), ..) if own.planned.begins => own.planned.start,
            (_, Some(_), false) if own.planned.begins => own.planned.stop,
            _ => Time::MAX,
        };
        self.programs.iter().map(due).min().unwrap_or(Time::MAX)
    }

    /// Asks all programs to end, initiators first, and kills each that is still running after its grace period. A
    /// terminal program ended this way gets the exit status of timeout(1), unless it was `stopped` by the user.
    pub fn end(&mut self, now: Time, stopped: bool) {
        // Some may have ended since the last check.
        for exited in self.supervisor.poll() {
            self.ended(&exited, now);
        }
        if !stopped {
            self.end_of_terminal(now);
        }
        for begins in [true, false] {
            for own in self.programs.iter_mut().filter(|own| own.planned.begins == begins) {
                if let Some(id) = own.running {
                    own.asked = true;
                    self.supervisor.stop(id);
                }
            }
            let waiting = |own: &&Own| own.planned.begins == begins && own.running.is_some();
            while self.programs.iter().any(|own| waiting(&own)) {
                clock::sleep(Wall::from_millis(2));
                for exited in self.supervisor.poll() {
                    self.ended(&exited, now);
                }
            }
        }
        for exited in self.supervisor.stop_all(GRACE) {
            self.ended(&exited, now);
        }
    }

    /// Returns the failures.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// Returns additional notes.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// The programs' own measurements: flow, name, text.
    pub fn results(&self) -> impl Iterator<Item = (&Planned, String)> {
        self.programs.iter().map(|own| {
            let text = fs::read(&own.planned.results).unwrap_or_default();
            (&own.planned, String::from_utf8_lossy(&text).into_owned())
        })
    }

    fn start(&mut self, index: usize) -> Result<ProgramId, LiveError> {
        let program = self.programs[index].program.take();
        let id = self.supervisor.start(program.expect("a program is started once: the caller looked"))?;
        self.programs[index].running = Some(id);
        Ok(id)
    }

    /// Handles the end of a program; returns whether the run ends with it.
    fn ended(&mut self, exited: &Exited, now: Time) -> bool {
        let Some(index) = self.programs.iter().position(|own| own.running == Some(exited.id)) else {
            return false; // a process that a program left behind
        };
        let own = &mut self.programs[index];
        own.running = None;
        let terminal = self.terminal == Some(index);
        if exited.killed {
            let grace = GRACE.as_secs();
            self.notes.push(format!(
                "program `{}` did not end within {grace} s of the stop signal and was killed",
                own.planned.name
            ));
        }
        // A program that ends unasked must do so with status 0.
        if !exited.status.success() && !own.asked {
            let what = format!("program `{}`: {}", own.planned.name, exited.text());
            let status = terminal.then(|| shell_status(exited.status));
            self.failures.push(Failure { at: Some(seconds(now)), what, status });
        }
        terminal
    }

    /// Records that the terminal's program is out of time and about to be stopped.
    fn end_of_terminal(&mut self, now: Time) {
        let own = self.terminal.map(|index| &self.programs[index]);
        if own.is_some_and(|own| own.running.is_some() && !own.asked) {
            let what = format!("the command still ran after {:.1} s and was stopped", seconds(now));
            self.failures.push(Failure { at: Some(seconds(now)), what, status: Some(OUT_OF_TIME) });
        }
    }

    fn fail(&mut self, now: Time, what: String) {
        self.failures.push(Failure { at: Some(seconds(now)), what, status: None });
    }
}

fn readiness(ready: &Ready) -> Readiness {
    match ready {
        Ready { port: Some(port), protocol: PortProtocol::Tcp, .. } => Readiness::Port(*port, Transport::Tcp),
        Ready { port: Some(port), protocol: PortProtocol::Udp, .. } => Readiness::Port(*port, Transport::Udp),
        Ready { output: Some(text), .. } => Readiness::Output(text.clone()),
        Ready { file: Some(file), .. } => Readiness::File(file.into()),
        Ready { delay, .. } => Readiness::Delay(wall(delay.unwrap_or_default())),
    }
}

/// Exit status as a shell reports it: 128 plus the signal's number.
fn shell_status(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|number| 128 + number));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn signal(signal: StopSignal) -> Signal {
    match signal {
        StopSignal::SIGTERM => Signal::SIGTERM,
        StopSignal::SIGINT => Signal::SIGINT,
        StopSignal::SIGHUP => Signal::SIGHUP,
        StopSignal::SIGQUIT => Signal::SIGQUIT,
        StopSignal::SIGKILL => Signal::SIGKILL,
    }
}

fn wall(duration: Duration) -> Wall {
    Wall::from_nanos(duration.as_nanos())
}

fn seconds(now: Time) -> f64 {
    now.since(Time::ZERO).as_nanos() as f64 / 1e9
}
