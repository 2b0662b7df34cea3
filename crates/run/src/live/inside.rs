//! A run inside its own process.
//!
//! All namespaces, devices, sockets and programs are created here. Three threads carry the run: the router (links and
//! devices), the built-in programs on the kernel's sockets, and this one, which starts, supervises and ends the
//! user's programs and reports progress to the command.

use std::fs;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration as Wall;

use jettison_core::Time;
use jettison_live::host::Stop;
use jettison_live::load::LoadCounters;
use jettison_live::net::Namespace;
use jettison_live::process::{Link, Privileges};
use jettison_live::router::{Control, RouterSnapshot};
use jettison_live::scheduling::{RealTime, priority, programs_priority};
use jettison_live::{LiveClock, clock};
use jettison_report::{Captures, ReportError, RunKey};
use jettison_scenario::build::{BuildOptions, Builder, LivePlan};
use jettison_scenario::{Hop, Scenario, Variant};
use jettison_watch::{Event, Layout};

use super::LiveOptions;
use super::check::Machine;
use super::command::{Place, programs};
use super::controllers::Controllers;
use super::late::Observed;
use super::machine;
use super::message::Message;
use super::outbox::Outbox;
use super::outcome::Outcome;
use super::parts;
use super::remote::Listeners;
use super::supervise::Programs;
use super::watching::{Watching, seconds};
use crate::experiment::CaptureTap;

/// Maximum sleep of the thread that supervises programs.
const BEAT: Wall = Wall::from_millis(20);
/// Interval of progress messages to the command.
const PROGRESS_MILLIS: u64 = 100;

/// Parameters of a run.
pub struct Inside<'a> {
    pub scenario: &'a Scenario,
    pub builder: &'a Builder,
    pub variant: &'a Variant,
    pub seed: u64,
    /// Number of the run in the experiment, from 1.
    pub number: u32,
    pub runs: u32,
    /// The scenario file's folder.
    pub folder: &'a Path,
    /// The experiment's folder for files of programs.
    pub scratch: &'a Path,
    /// The folder for programs' logs.
    pub logs: &'a Path,
    pub captures: Captures,
    pub options: &'a LiveOptions,
    pub privileges: &'a Privileges,
    /// Sockets at which controllers of switches arrive.
    pub listeners: &'a Listeners,
}

impl Inside<'_> {
    /// Creates the network, runs to the end, and reports the measurements. Returns an error if the run was
    /// impossible.
    pub fn run(&self, link: &Link) -> Result<(), String> {
        let settings = &self.variant.settings;
        let build = BuildOptions { tap_all: self.options.pcap, gateway: self.options.uplink };
        let plan = self.builder.build_live(settings, &self.scenario.contents, self.seed, &build);
        let mut plan = plan.map_err(|failure| failure.to_string())?;
        let end = Time::ZERO + settings.duration;
        let scratch = self.scratch.join(self.number.to_string());
        fs::create_dir(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        let place = Place::new(self.folder, &scratch)?;
        let mut controllers = Controllers::load(&plan, &Machine::of(self.privileges))?;
        let message = |error: jettison_live::LiveError| error.to_string();
        let mut notes = Vec::new();
        let hosts = machine::make(&plan, link, self.options.uplink, &mut notes).map_err(message)?;
        machine::set_up_by_commands(&plan, &hosts, self.folder, &mut notes).map_err(message)?;
        let namespaces: Vec<Arc<Namespace>> = hosts.iter().map(|host| Arc::clone(&host.namespace)).collect();
        let before = machine::count(&namespaces, &plan).map_err(message)?;
        for host in &hosts {
            controllers.prepare(&host.namespace, host.tun.name())?;
        }
        let kernels = machine::settings(&namespaces, &plan, link, controllers.origins()).map_err(message)?;
        let real_time = self.options.real_time && self.privileges.real_time;
        let programs_priority = match real_time {
            true => programs_priority(),
            false => Err(self.no_real_time()),
        };

        // Start the programs that others wait for: the clock starts when they are ready.
        let mut planned = Vec::new();
        for command in &plan.commands {
            planned.extend(programs(&plan, command, &place, end)?);
        }
        let terminal = self.options.terminal.as_deref();
        let has_programs = !planned.is_empty();
        let mut user = Programs::new(
            planned,
            &plan,
            &namespaces,
            self.logs,
            terminal,
            self.options.whole_environment,
            programs_priority.as_ref().ok().copied(),
        );
        user.start_waiting(&|| link.stop_requested())?;
        if link.stop_requested() {
            user.end(Time::ZERO, true);
            return Ok(());
        }

        let layout = self.layout(&plan);
        let (outbox, writer) =
            Outbox::open(link).map_err(|error| format!("cannot start a thread: {error}"))?;
        outbox.tell(Message::Watch(Event::Layout(layout.clone())));
        if let Some(why) = self.privileges.real_time_error.as_ref().filter(|_| self.options.real_time) {
            outbox.tell(Message::Watch(Event::Note { text: why.clone() }));
        }
        let capture_failed: Arc<Mutex<Option<ReportError>>> = Arc::default();
        if plan.world.is_tapped() {
            let tap = CaptureTap::new(self.key(), self.captures.clone(), Arc::clone(&capture_failed));
            plan.world.set_tap(Box::new(tap));
        }
        let (control, stop) = (Control::new(), Stop::new());
        let control = control.map_err(|error| format!("cannot create an event descriptor: {error}"))?;
        let stop = Arc::new(stop.map_err(|error| format!("cannot create an event descriptor: {error}"))?);
        let mut outcome = Outcome::begin(&plan, notes);
        outcome.kernels(kernels);
        outcome.programs_scheduling(programs_priority.as_ref().map_err(String::as_str), has_programs);
        self.listeners.serve(settings, &mut plan.world, &control)?;
        let clock = LiveClock::start();
        let built_in = parts::built_in(&mut plan, &namespaces, clock, real_time)?;
        // A device exists while a descriptor of it is open: read its counters after the router has closed its own.
        let devices =
            hosts.iter().map(|host| host.tun.as_fd().try_clone_to_owned()).collect::<Result<Vec<_>, _>>();
        let devices = devices.map_err(|error| format!("cannot duplicate a device's descriptor: {error}"))?;
        let router = parts::router(plan, hosts, clock, real_time, self.options.uplink, built_in.tells());

        let router_control = control.clone();
        let watcher =
            self.options.watch.then(|| (Watching::new(&layout, built_in.readings()), outbox.clone()));
        let router = spawn("router", move || match watcher {
            None => router.run(end, &router_control, None),
            Some((mut watching, outbox)) => {
                let mut sink =
                    |snapshot: &RouterSnapshot| outbox.tell(Message::Watch(watching.event(snapshot)));
                router.run(end, &router_control, Some(&mut sink))
            }
        })?;
        let hosts_stop = Arc::clone(&stop);
        let built_in = spawn("hosts", move || built_in.run(end, &hosts_stop))?;

        // Threads that start from here on do not inherit it.
        let _real_time = RealTime::enter(real_time.then_some(priority::SUPERVISOR));
        let warm_up = Time::ZERO + settings.warm_up;
        let (mut told, mut measured_from) = (Time::ZERO, None);
        let ended = loop {
            let now = clock.now();
            let over = user.turn(now);
            if now >= warm_up && measured_from.is_none() {
                measured_from = Some((now, LoadCounters::read()));
                user.start_measuring(now);
            }
            user.sample(now, false);
            if over || now >= end || link.stop_requested() || router.is_finished() || built_in.is_finished() {
                break now.min(end);
            }
            if now.since(told).as_millis() >= PROGRESS_MILLIS {
                told = now;
                outbox.tell(Message::Progress(seconds(now)));
            }
            let begin = if measured_from.is_none() { warm_up } else { end };
            let due = user.next_instant().min(begin).min(end).since(now);
            clock::sleep(BEAT.min(Wall::from_nanos(due.as_nanos())));
        };
        let now = clock.now();
        user.sample(now, true);
        let load = measured_from
            .map(|(from, before)| LoadCounters::read().since(&before, now.since(from).as_micros()));
        if ended < end {
            control.stop();
            stop.stop();
        }
        let router = router.join().map_err(|_| "the router panicked".to_owned())?;
        let hosts = built_in.join().map_err(|_| "the built-in programs' thread panicked".to_owned())?;
        let after = machine::count_again(&namespaces, &before).map_err(message)?;
        drop(devices);
        drop(outbox);
        user.end(ended, link.stop_requested());
        writer.finish();
        // A run that ends with the terminal's program has no planned length: it is complete.
        if link.stop_requested() && terminal.is_none() {
            return Ok(());
        }
        outcome.kernel_dropped(&machine::dropped(&before, &after));
        let threads = user.take_threads();
        outcome.programs(&mut user);
        let observed = Observed::of(&router.lateness, &hosts.lateness, &threads, load.unwrap_or_default());
        // The experiment removes the rest.
        let _ = fs::remove_dir_all(&scratch);
        let (record, facts) = outcome.finish(router, hosts, &observed, self.privileges, ended);
        // Dropping the router finishes the captures.
        if let Some(error) = capture_failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            return Err(error.to_string());
        }
        tell(link, &Message::Record(record.to_bytes().map_err(|error| error.to_string())?));
        tell(link, &Message::Facts(facts));
        Ok(())
    }

    /// The reason why nothing of the run has real-time priority.
    fn no_real_time(&self) -> String {
        let refused = self.privileges.real_time_error.clone().filter(|_| self.options.real_time);
        refused.unwrap_or_else(|| "real-time scheduling was not requested".to_owned())
    }

    fn key(&self) -> RunKey {
        RunKey { variant: self.variant.name.clone(), seed: self.seed }
    }

    fn layout(&self, plan: &LivePlan) -> Layout {
        Layout {
            name: self.scenario.name.clone(),
            variant: if self.variant.labels.is_empty() { String::new() } else { self.variant.name.clone() },
            seed: self.seed,
            run: self.number,
            runs: self.runs,
            duration_s: self.variant.settings.duration.as_nanos() as f64 / 1e9,
            queues: plan.world.direction_names().map(str::to_owned).collect(),
            flows: plan.flows.iter().map(|flow| flow.name.clone()).collect(),
            open: self.bottlenecks(plan),
        }
    }
}

/// Number of queues that the live page opens at first.
const OPENED: usize = 3;

impl Inside<'_> {
    /// Indices of the queues at which packets are likely to wait: in front of the link of each flow's path that can carry least.
    /// Those of most flows come first.
    fn bottlenecks(&self, plan: &LivePlan) -> Vec<usize> {
        let (settings, contents) = (&self.variant.settings, &self.scenario.contents);
        let capacity = |hop: &Hop<'_>| {
            let model = self.builder.link_model(settings, contents, hop.link, hop.forward).ok()?;
            Some(model.capacity(Time::ZERO, Time::ZERO + settings.duration).get())
        };
        let names: Vec<&str> = plan.world.direction_names().collect();
        let mut flows = vec![0; names.len()];
        for flow in settings.flows.values() {
            let path = settings.path(&flow.from, &flow.to).unwrap_or_default();
            let least =
                path.iter().filter_map(|hop| Some((capacity(hop)?, hop))).min_by_key(|(most, _)| *most);
            let place = least.and_then(|(_, hop)| names.iter().position(|name| *name == hop.name()));
            if let Some(place) = place {
                flows[place] += 1;
            }
        }
        let mut found: Vec<usize> = (0..names.len()).filter(|place| flows[*place] > 0).collect();
        found.sort_by_key(|place| std::cmp::Reverse(flows[*place]));
        found.truncate(OPENED);
        found
    }
}

/// Sends a message to the command. If the command is gone, the run is being ended anyway.
fn tell(link: &Link, message: &Message) {
    let _ = link.send(&message.to_bytes());
}

fn spawn<R: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<thread::JoinHandle<R>, String> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map_err(|error| format!("cannot start a thread: {error}"))
}
