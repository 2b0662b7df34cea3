//! `jettison live`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jettison_build_info::COMMIT;
use jettison_report::{Results, Status};
use jettison_run::Project;
use jettison_run::live::{Commands, LiveExperiment, LiveOptions, LiveRunError};
use jettison_scenario::Changes;
use jettison_scenario::build::Builder;
use jettison_watch::Watch;

use super::approve::approve;
use super::host_shell::HostShell;
use super::project::Loading;
use super::run::{self, cancel_on_interrupt, load_with_seeds};
use crate::options::{LiveArguments, ProjectArguments, RunArguments};
use crate::output::{Failure, INTERRUPTED, print, print_error};
use crate::progress::Bar;
use jettison_run::reproduce::plots_beside;

/// Runs a scenario file, or the project of a folder, with real packets.
pub fn live(
    file: &Path,
    options: &RunArguments,
    project: &ProjectArguments,
    live: &LiveArguments,
) -> Result<ExitCode, Failure> {
    if options.jobs.is_some_and(|jobs| jobs > 1) {
        return Err(Failure::of("live runs are sequential: --jobs must be 1 or absent"));
    }
    if options.store.is_some() || options.precision.is_some() {
        return Err(Failure::of(
            "live runs cannot be resumed: --store and --precision are for `jettison run`",
        ));
    }
    let builder = Builder::standard();
    let registries = builder.registries();
    let loading = Loading::new(file, project, options.data.folder.as_deref(), &registries)?;
    let load = |changes: &Changes| loading.load(changes).map(|loaded| loaded.scenario);
    let scenario = load_with_seeds(&load, options)?;
    let project = loading.project();
    if let Some(file) = &live.topology {
        write_topology(file, project.as_ref())?;
    }
    let mut approved = approve(&scenario, &builder, live.yes)?;
    let mut scenario = scenario;
    let mut terminal = None;
    if let Some(host) = &live.shell {
        let shell = HostShell::new(host, &scenario)?;
        let with_shell = |changes: &Changes| load(&shell.with(changes));
        scenario = load_with_seeds(&with_shell, options)?;
        // The shell is the user's own, and the other commands have been approved.
        approved = Commands::of(&scenario, &builder).approve();
        terminal = Some(shell.flow);
    }
    let has_shell = terminal.is_some();
    let name = scenario.name.clone();
    let own = LiveOptions {
        out: options.out.clone().unwrap_or_else(|| default_out(&name, options.quick)),
        force: options.force,
        pcap: options.pcap,
        figures: match &project {
            Some(_) => Vec::new(),
            None => plots_beside(file).map_err(Failure::of)?,
        },
        commit: COMMIT.map(str::to_owned),
        real_time: !live.no_real_time,
        watch: live.watch.is_some(),
        terminal,
        whole_environment: false,
        approved,
        uplink: false,
    };
    // Fork the parent of the runs' processes before any thread starts.
    let experiment = LiveExperiment::prepare(scenario, builder, own).map_err(Failure::of)?;
    let watch = live.watch.map(|port| Watch::start(port).map_err(Failure::of)).transpose()?;
    if let Some(watch) = &watch {
        print_error(format_args!("Live page: {}", watch.url()));
    }
    if has_shell {
        run::cancel_on_interrupt_saying("\nEnding the shell. Press Ctrl-C again to leave at once.");
    } else {
        cancel_on_interrupt();
    }
    let (runs, seconds) = (experiment.runs(), experiment.duration().as_secs_f64());
    if !has_shell && (runs > 1 || seconds > 20.0) {
        let about = match seconds.ceil() as u64 {
            short @ ..120 => format!("{short} s"),
            long => format!("{} min", long.div_ceil(60)),
        };
        print_error(format_args!(
            "{runs} {}, sequentially: {about} plus start-up time",
            if runs == 1 { "run" } else { "runs" }
        ));
    }
    for each in experiment.controllable() {
        print(format_args!("{each}\n"))?;
    }
    // A bar would write into the shell.
    let bar = (!has_shell).then(|| Bar::new(&name));
    let show = |progress| {
        if let Some(bar) = &bar {
            bar.show(progress);
        }
    };
    let result = experiment.run(run::cancelled(), &show, watch.as_ref());
    drop(bar);
    let results = result.map_err(|error| match error {
        LiveRunError::NothingFinished => Failure::Interrupted(format!("jettison: {error}")),
        other => Failure::of(other),
    })?;
    let code = status(&results);
    run::show_project(results, options, project.as_ref())?;
    Ok(code)
}

/// `out/live/<name>` or `out/live/<name>-quick`, without doubling the prefix of names such as `live/…`.
fn default_out(name: &str, quick: bool) -> PathBuf {
    run::default_folder(Path::new("out/live"), name.strip_prefix("live/").unwrap_or(name), quick)
}

/// Exit status 0 if all runs succeeded, 1 if a run failed, 130 after Ctrl-C.
pub fn status(results: &Results) -> ExitCode {
    match results.manifest.status {
        Status::Complete => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

/// Writes the `topology.json` of a project of p4-utils.
fn write_topology(file: &Path, project: Option<&Project>) -> Result<(), Failure> {
    let text = project.and_then(|project| project.topology.as_ref());
    let text =
        text.ok_or_else(|| Failure::of("--topology is for projects of p4-utils, with a p4app.json"))?;
    std::fs::write(file, text)
        .map_err(|error| Failure::of(format!("{}: cannot write: {error}", file.display())))
}
