//! Running a scenario live: one run after the other, each in a process of its own.
//!
//! This process checks and builds, keeps the results, and shows how far it is; it never handles a packet. Each run is a child
//! that the kernel ends with its parent ([`jettison_live::process`]), and that owns everything the run makes: when it is gone,
//! however it went, nothing is left.

mod check;
mod command;
mod controllers;
mod inside;
mod machine;
mod measures;
mod message;
mod outbox;
mod outcome;
mod parts;
mod supervise;
mod watching;

use std::fs::{Permissions, set_permissions};
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jettison_live::process::{self, Ended, Link, Nursery, Options, Uplink};
use jettison_measure::RunRecord;
use jettison_report::{
    ClaimedFolder, Closing, Failure, Figure, Mates, Mode, ReportError, Results, RunKey, RunTiming, Timing,
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

pub use jettison_live::LiveError;

/// How a scenario is to be run live.
pub struct LiveOptions {
    /// Where the results go; nowhere, if nothing is kept.
    pub out: PathBuf,
    /// Whether a folder that is not ours is replaced.
    pub force: bool,
    /// Whether every port is captured, not only those whose link says so.
    pub pcap: bool,
    /// Figures that the report shows beside the usual ones.
    pub figures: Vec<Figure>,
    /// Git commit that the program was built from, for the manifest.
    pub commit: Option<String>,
    /// Whether the router is scheduled in real time where that is permitted.
    pub real_time: bool,
    /// Whether the page that watches wants to be told.
    pub watch: bool,
    /// The flow whose program has the terminal; the run ends with it.
    pub terminal: Option<String>,
    /// Whether the first host has a way to the world through this machine.
    pub uplink: bool,
}

/// A live run that could not be done.
#[derive(Debug, Error)]
pub enum LiveRunError {
    /// The scenario needs what this machine or `live` has not; nothing was created.
    #[error("this cannot run live:\n{}", list(.0))]
    Obstacles(Vec<String>),
    /// Namespaces, devices, processes.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// Results cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A variant cannot be built.
    #[error("variant `{variant}`: {failure}")]
    Build {
        /// The variant.
        variant: String,
        /// Why.
        failure: BuildFailure,
    },
    /// It was ended before a single run had finished.
    #[error("ended before the first run had finished: nothing was written")]
    NothingFinished,
    /// No run measured anything, and there are results of before that this would replace.
    #[error(
        "nothing was measured:\n{}\nThe results of before in {} were left as they are: with another --out the programs' logs are kept",
        list(failures), out.display()
    )]
    NothingMeasured {
        /// What went wrong.
        failures: Vec<String>,
        /// Where the results would have gone.
        out: PathBuf,
    },
}

fn list(messages: &[String]) -> String {
    messages.iter().map(|message| format!("  {message}")).collect::<Vec<_>>().join("\n")
}

/// A checked experiment whose first run may begin. Made while the process has one thread: the runs' parent is forked here.
pub struct LiveExperiment {
    scenario: Arc<Scenario>,
    writer: Writer,
    nursery: Nursery,
    jobs: Vec<(usize, u64)>,
    watch: bool,
    out: PathBuf,
    warnings: Vec<String>,
    /// Where programs have their folders.
    _scratch: ClaimedFolder,
    /// Ends with this process and with every run's.
    _uplink: Option<Uplink>,
}

impl LiveExperiment {
    /// Checks everything, makes the temporary folder of the results, and forks the parent of the runs.
    ///
    /// # Errors
    /// If anything keeps the scenario from running live on this machine: nothing has been created then.
    pub fn prepare(
        scenario: Scenario,
        builder: Builder,
        options: LiveOptions,
    ) -> Result<LiveExperiment, LiveRunError> {
        let privileges = process::check()?;
        let folder = Path::new(&scenario.file).parent().map(Path::to_path_buf).unwrap_or_default();
        let folder = match folder.as_os_str().is_empty() {
            true => std::env::current_dir(),
            false => std::path::absolute(&folder),
        };
        let folder = folder.map_err(LiveError::system("the scenario's folder"))?;
        let machine = check::Machine::of(&privileges);
        let (mut obstacles, mut inside) = (Vec::new(), None);
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
        let keep = WriterOptions { force: options.force, commit: options.commit.clone() };
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
        let uplink = match inside.filter(|_| options.uplink) {
            Some(inside) => Some(Uplink::start(inside)?),
            None => None,
        };
        let scenario = Arc::new(scenario);
        let captures = writer.captures();
        let claimed = ClaimedFolder::create(&std::env::temp_dir(), "jettison-live-", "", Mates::MayWork)?;
        // Programs of other users find their way through it.
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
            _scratch: claimed,
            _uplink: uplink,
        })
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.jobs.len()
    }

    /// How long all runs take, without the starting of programs.
    pub fn duration(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(self.jobs.iter().map(|(variant, _)| self.seconds(*variant)).sum())
    }

    /// What is not as it should be on this machine, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Runs everything, one run after the other. When `cancel` is set, the run under way ends without a result; those finished
    /// before are kept.
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
                Some(Message::Facts(told)) => facts = Some(told),
                None => unreadable += 1,
            };
            let ended = self.nursery.run(job as u64, &mut on_message, &|| cancel.load(Ordering::Relaxed))?;
            let stopped = cancel.load(Ordering::Relaxed);
            if stopped && record.is_none() {
                break;
            }
            done += self.seconds(variant);
            let mut failures: Vec<Failure> = Vec::new();
            if unreadable > 0 {
                let what = format!("{unreadable} messages of its process cannot be read");
                failures.push(Failure { at, what, status: None });
            }
            match ended {
                Ended::Finished => {}
                Ended::Failed(what) => failures.push(Failure { at, what, status: None }),
                Ended::Killed { what, .. } => failures.push(Failure { at, what, status: None }),
            }
            let Facts { live, failures: told, cpu_seconds } = facts.unwrap_or_default();
            failures.extend(told);
            measured |= matches!(record, Some(Ok(_)));
            match record {
                Some(Ok(record)) => {
                    self.writer.add_run(&key, &record)?;
                    self.writer.add_live(&key, live)?;
                }
                Some(Err(error)) => failures.push(Failure {
                    at,
                    what: format!("its measures are broken: {error}"),
                    status: None,
                }),
                None if failures.is_empty() => {
                    failures.push(Failure {
                        at,
                        what: "it ended without having measured anything".to_owned(),
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
        if !measured && self.out.join("manifest.json").exists() {
            return Err(LiveRunError::NothingMeasured { failures: all_failures, out: self.out });
        }
        let wall_seconds = stopwatch.elapsed().wall.as_secs_f64();
        let timing = Timing { wall_seconds, jobs: 1, runs: timings };
        Ok(self.writer.finish(Closing { timing, reproduction: Vec::new() })?)
    }

    fn seconds(&self, variant: usize) -> f64 {
        self.scenario.variants[variant].settings.duration.as_nanos() as f64 / 1e9
    }
}
