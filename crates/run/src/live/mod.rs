//! Live runs of a scenario: sequential, each in its own process.
//!
//! This process checks, builds, keeps the results and shows progress; it never handles a packet. Each run is a child
//! process that the kernel ends with its parent ([`jettison_live::process`]). The child owns everything the run
//! creates, so nothing remains after it ends, for whatever reason.

mod approval;
mod approvals;
mod check;
mod command;
mod controllers;
mod inside;
mod late;
mod machine;
mod measures;
mod message;
mod outbox;
mod outcome;
mod parts;
#[cfg(feature = "p4runtime")]
mod remote;
#[cfg(not(feature = "p4runtime"))]
#[path = "remote_off.rs"]
mod remote;
mod supervise;
mod watching;

use std::fmt;
use std::fs::{Permissions, set_permissions};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jettison_live::process::{self, Ended, Link, Nursery, Options, Uplink};
use jettison_measure::RunRecord;
use jettison_report::{
    Claim, ClaimedFolder, Closing, Failure, Figure, Mode, ReportError, Results, RunKey, RunTiming, Timing,
    Writer, WriterOptions,
};
use jettison_scenario::Scenario;
use jettison_scenario::build::{BuildFailure, BuildOptions, Builder};
use jettison_watch::{Event, Watch};
use thiserror::Error;

use crate::clock::Stopwatch;
use crate::experiment::describe;
use crate::matrix::Progress;
use inside::Inside;
use message::{Facts, Message};

pub use approval::{Approved, Command, Commands};
pub use approvals::Approvals;
pub use jettison_live::LiveError;
pub use jettison_live::process::own_name;

/// Options for the live runs of a scenario.
pub struct LiveOptions {
    /// The output folder.
    pub out: PathBuf,
    /// Whether to replace an output folder that holds something other than our results.
    pub force: bool,
    /// Whether to capture all ports, not only those whose link requests it.
    pub pcap: bool,
    /// Additional figures for the report.
    pub figures: Vec<Figure>,
    /// Git commit that the program was built from, for the manifest.
    pub commit: Option<String>,
    /// Whether to schedule the router, the hosts and the programs in real time if permitted.
    pub real_time: bool,
    /// Whether to send events to the live page.
    pub watch: bool,
    /// The flow whose program owns the terminal; the run ends with that program.
    pub terminal: Option<String>,
    /// Whether programs receive the whole environment of this process: their commands are the caller's own.
    pub whole_environment: bool,
    /// The user's approval of the scenario's commands.
    pub approved: Approved,
    /// Whether the first host connects to other networks through this machine.
    pub uplink: bool,
}

/// A switch that other programs of this machine reach during the runs. It is shown as a line for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Controllable {
    /// Name of its node.
    pub switch: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it speaks there.
    pub interface: Interface,
}

/// What a switch speaks with programs that control it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// P4Runtime.
    P4Runtime {
        /// The switch's device id.
        device_id: u64,
    },
    /// BMv2's Thrift interface.
    Thrift,
}

impl Interface {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Interface::P4Runtime { .. } => "P4Runtime",
            Interface::Thrift => "Thrift",
        }
    }

    /// The key of a node that opens it.
    pub fn key(self) -> &'static str {
        match self {
            Interface::P4Runtime { .. } => "p4runtime",
            Interface::Thrift => "thrift",
        }
    }
}

impl fmt::Display for Controllable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Controllable { switch, address, interface } = self;
        write!(f, "{switch}: {} on {address}", interface.name())?;
        match interface {
            Interface::P4Runtime { device_id } => write!(f, ", device {device_id}"),
            Interface::Thrift => Ok(()),
        }
    }
}

/// An error that prevents live runs.
#[derive(Debug, Error)]
pub enum LiveRunError {
    /// The machine or `live` lacks something the scenario needs; nothing was created.
    #[error("this scenario cannot run live:\n{}", list(.0))]
    Obstacles(Vec<String>),
    /// The user has not approved the scenario's commands; nothing was created.
    #[error("the scenario's commands have not been approved")]
    NotApproved,
    /// An error of namespaces, devices or processes.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// Results cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A variant whose network cannot be built.
    #[error("variant `{variant}`: {failure}")]
    Build {
        /// The variant's name.
        variant: String,
        /// The cause.
        failure: BuildFailure,
    },
    /// Cancelled before the first run had finished.
    #[error("interrupted before the first run had finished; nothing was written")]
    NothingFinished,
    /// No run measured anything, so existing results were not replaced.
    #[error(
        "nothing was measured:\n{}\nThe existing results in {} were not replaced; use another --out to keep the programs' logs",
        list(failures), out.display()
    )]
    NothingMeasured {
        /// Failures of the runs.
        failures: Vec<String>,
        /// The output folder.
        out: PathBuf,
    },
}

fn list(messages: &[String]) -> String {
    messages.iter().map(|message| format!("  {message}")).collect::<Vec<_>>().join("\n")
}

/// A checked experiment, ready for its first run. Create it while the process has one thread: the runs' parent is
/// forked here.
pub struct LiveExperiment {
    scenario: Arc<Scenario>,
    writer: Writer,
    nursery: Nursery,
    jobs: Vec<(usize, u64)>,
    watch: bool,
    out: PathBuf,
    warnings: Vec<String>,
    controllable: Vec<Controllable>,
    /// Temporary folder of the programs.
    _scratch: ClaimedFolder,
    /// Ends with this process and with each run's process.
    _uplink: Option<Uplink>,
}

impl LiveExperiment {
    /// Checks everything, creates the temporary folder, and forks the parent of the runs.
    ///
    /// # Errors
    /// If the scenario cannot run live on this machine; nothing has been created then.
    pub fn prepare(
        scenario: Scenario,
        builder: Builder,
        options: LiveOptions,
    ) -> Result<LiveExperiment, LiveRunError> {
        if !Commands::of(&scenario, &builder).are_approved(&options.approved) {
            return Err(LiveRunError::NotApproved);
        }
        let privileges = process::check()?;
        let folder = Path::new(&scenario.file).parent().map(Path::to_path_buf).unwrap_or_default();
        let folder = match folder.as_os_str().is_empty() {
            true => std::env::current_dir(),
            false => std::path::absolute(&folder),
        };
        let folder = folder.map_err(LiveError::system("the scenario's folder"))?;
        let machine = check::Machine::of(&privileges);
        let (mut obstacles, mut inside) = (Vec::new(), None);
        // Report all obstacles of all variants together; equal ones once.
        for variant in &scenario.variants {
            let plan = builder
                .build_live(
                    &variant.settings,
                    &scenario.contents,
                    scenario.seeds[0],
                    &BuildOptions::default(),
                )
                .map_err(|failure| LiveRunError::Build { variant: variant.name.clone(), failure })?;
            inside = plan.hosts.iter().skip(1).find_map(|host| match IpAddr::from(host.address) {
                IpAddr::V4(address) => Some(address),
                IpAddr::V6(_) => None,
            });
            for obstacle in check::obstacles(&plan, &machine, &folder) {
                if !obstacles.contains(&obstacle) {
                    obstacles.push(obstacle);
                }
            }
        }
        if !obstacles.is_empty() {
            return Err(LiveRunError::Obstacles(obstacles));
        }
        let experiment = describe(&scenario, &builder, Mode::Live, options.figures.clone());
        let keep = WriterOptions {
            force: options.force,
            commit: options.commit.clone(),
            ..WriterOptions::default()
        };
        let writer = Writer::create(&options.out, experiment, keep)?;
        let jobs: Vec<(usize, u64)> = (0..scenario.variants.len())
            .flat_map(|variant| scenario.seeds.iter().map(move |seed| (variant, *seed)))
            .collect();
        let mut logs = Vec::new();
        for (variant, seed) in &jobs {
            logs.push(
                writer.logs(&RunKey { variant: scenario.variants[*variant].name.clone(), seed: *seed })?,
            );
        }
        // In this machine's network, which a run's process leaves.
        let listeners = Arc::new(remote::Listeners::bind(&scenario)?);
        let controllable = listeners.addresses();
        let uplink = match inside.filter(|_| options.uplink) {
            Some(inside) => Some(Uplink::start(inside)?),
            None => None,
        };
        let scenario = Arc::new(scenario);
        let captures = writer.captures();
        let claimed = ClaimedFolder::create(&std::env::temp_dir(), "jettison-live-", "", Claim::Shared)?;
        // Programs of other users must be able to traverse it.
        set_permissions(claimed.path(), Permissions::from_mode(0o755))
            .map_err(LiveError::system(claimed.path().display().to_string()))?;
        let scratch = claimed.path().to_path_buf();
        let watch = options.watch;
        let out = options.out.clone();
        let warnings = uplink.iter().filter_map(|_| Uplink::unreachable_name_servers()).collect();
        let terminal = options.terminal.is_some();
        let shared = (Arc::clone(&scenario), jobs.clone());
        let work = move |job: u64, link: &Link| -> Result<(), String> {
            let (scenario, jobs) = &shared;
            let (variant, seed) = jobs[job as usize];
            let inside = Inside {
                scenario,
                builder: &builder,
                variant: &scenario.variants[variant],
                seed,
                number: job as u32 + 1,
                runs: jobs.len() as u32,
                folder: &folder,
                scratch: &scratch,
                logs: &logs[job as usize],
                captures: captures.clone(),
                options: &options,
                privileges: &privileges,
                listeners: &listeners,
            };
            inside.run(link)
        };
        let nursery = Nursery::start(Box::new(work), Options { terminal, ..Options::default() })?;
        Ok(LiveExperiment {
            scenario,
            writer,
            nursery,
            jobs,
            watch,
            out,
            warnings,
            controllable,
            _scratch: claimed,
            _uplink: uplink,
        })
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.jobs.len()
    }

    /// Duration of all runs, without the start-up of programs.
    pub fn duration(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(self.jobs.iter().map(|(variant, _)| self.seconds(*variant)).sum())
    }

    /// Conditions of this machine that may impair the runs, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Switches that other programs of this machine reach.
    pub fn controllable(&self) -> &[Controllable] {
        &self.controllable
    }

    /// Runs everything sequentially. When `cancel` is set, the current run ends without a result; finished runs are
    /// kept.
    pub fn run(
        mut self,
        cancel: &AtomicBool,
        progress: &dyn Fn(Progress),
        watch: Option<&Watch>,
    ) -> Result<Results, LiveRunError> {
        let stopwatch = Stopwatch::start();
        let total: f64 = self.jobs.iter().map(|(variant, _)| self.seconds(*variant)).sum();
        let (mut timings, mut done, mut anything, mut measured) = (Vec::new(), 0.0, false, false);
        let mut all_failures = Vec::new();
        for (job, (variant, seed)) in self.jobs.clone().into_iter().enumerate() {
            let key = RunKey { variant: self.scenario.variants[variant].name.clone(), seed };
            let own = Stopwatch::start();
            let (mut record, mut facts, mut at, mut unreadable) = (None, None, None, 0u64);
            let jobs = self.jobs.len();
            let mut on_message = |bytes: &[u8]| match Message::from_bytes(bytes) {
                Some(Message::Progress(seconds)) => {
                    at = Some(seconds);
                    let share = ((done + seconds) / total).min(1.0);
                    progress(Progress { share, finished: job, jobs });
                }
                Some(Message::Watch(event)) => {
                    if let Some(watch) = watch {
                        watch.publish(&event);
                    }
                }
                Some(Message::Record(bytes)) => record = Some(RunRecord::from_bytes(&bytes)),
                Some(Message::Facts(received)) => facts = Some(received),
                None => unreadable += 1,
            };
            let ended = self.nursery.run(job as u64, &mut on_message, &|| cancel.load(Ordering::Relaxed))?;
            let stopped = cancel.load(Ordering::Relaxed);
            // A run that had already sent its record when Ctrl-C came is kept.
            if stopped && record.is_none() {
                break;
            }
            done += self.seconds(variant);
            let mut failures: Vec<Failure> = Vec::new();
            if unreadable > 0 {
                let what = format!("{unreadable} malformed messages from its process");
                failures.push(Failure { at, what, status: None });
            }
            match ended {
                Ended::Finished => {}
                Ended::Failed(what) => failures.push(Failure { at, what, status: None }),
                Ended::Killed { what, .. } => failures.push(Failure { at, what, status: None }),
            }
            let Facts { live, failures: reported, cpu_seconds } = facts.unwrap_or_default();
            failures.extend(reported);
            measured |= matches!(record, Some(Ok(_)));
            match record {
                Some(Ok(record)) => {
                    self.writer.add_run(&key, &record)?;
                    self.writer.add_live(&key, live)?;
                }
                Some(Err(error)) => failures.push(Failure {
                    at,
                    what: format!("malformed measurements: {error}"),
                    status: None,
                }),
                None if failures.is_empty() => {
                    failures.push(Failure {
                        at,
                        what: "ended without measurements".to_owned(),
                        status: None,
                    });
                }
                None => {}
            }
            if let Some(watch) = watch.filter(|_| self.watch) {
                let message = failures.first().map_or("complete".to_owned(), |failure| failure.what.clone());
                watch.publish(&Event::Ended { message });
            }
            for failure in failures {
                all_failures.push(format!("{key}: {}", failure.what));
                self.writer.add_failure(&key, failure)?;
            }
            anything = true;
            timings.push(RunTiming { key, wall_seconds: own.elapsed().wall.as_secs_f64(), cpu_seconds });
            if stopped {
                break;
            }
        }
        if !anything {
            return Err(LiveRunError::NothingFinished);
        }
        // Failed runs alone must not replace earlier results.
        if !measured && self.out.join("manifest.json").exists() {
            return Err(LiveRunError::NothingMeasured { failures: all_failures, out: self.out });
        }
        let wall_seconds = stopwatch.elapsed().wall.as_secs_f64();
        let timing = Timing { wall_seconds, jobs: 1, runs: timings, ..Timing::default() };
        Ok(self.writer.finish(Closing { timing, ..Closing::default() })?)
    }

    fn seconds(&self, variant: usize) -> f64 {
        self.scenario.variants[variant].settings.duration.as_nanos() as f64 / 1e9
    }
}
