//! `oracle`: measures the cases in a Linux kernel, and compares the simulator with the stored figures.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::{Parser, Subcommand};
use jettison_oracle::case::{Case, Table};
use jettison_oracle::figures::{Figures, Run};
use jettison_oracle::{exported, machine, page, players, scenario};

/// Holds the simulator's TCP and queue disciplines to a Linux kernel, and its DASH players to real ones.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the cases in a kernel under QEMU, and store the figures.
    Measure {
        /// Kernel: of this Debian release, of Debian 13, or of Debian unstable.
        #[arg(long, default_value = page::KERNEL, value_parser = ["stable", "trixie", "new"])]
        kernel: String,
        /// Virtual machines at a time.
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// Names of cases; without any, all. Figures of others stay.
        cases: Vec<String>,
    },
    /// Compare the simulator with the stored figures.
    Compare {
        /// Kernel: of this Debian release, of Debian 13, or of Debian unstable.
        #[arg(long, default_value = page::KERNEL, value_parser = ["stable", "trixie", "new"])]
        kernel: String,
        /// Names of cases; without any, all.
        cases: Vec<String>,
    },
    /// Run what `jettison export tc` prints in a kernel, and compare what `tc` shows.
    Exported {
        /// Kernel: of this Debian release, of Debian 13, or of Debian unstable.
        #[arg(long, default_value = "stable", value_parser = ["stable", "trixie", "new"])]
        kernel: String,
    },
    /// Write the tables of docs/src/appendix/linux.md.
    Page,
    /// Compare modelled DASH players with real ones.
    Players {
        #[command(subcommand)]
        command: PlayersCommand,
    },
    /// Print a case as a scenario.
    Scenario {
        /// Name of the case.
        case: String,
    },
}

#[derive(Subcommand)]
enum PlayersCommand {
    /// Store the figures of results of `jettison live scenarios/live/players.toml`; late runs are left out.
    Store {
        /// Folders of results.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Compare the models with the stored figures.
    Compare {
        /// Results of `jettison run scenarios/live/players-modelled.toml`, in place of runs here.
        #[arg(long)]
        results: Option<PathBuf>,
    },
    /// Print when each video segment of a session had come, at which bitrate and rate, to trace a difference.
    Trace {
        /// Results, live or simulated.
        folder: PathBuf,
        /// The network.
        network: String,
        /// The player.
        player: String,
        /// The seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Write the tables of docs/src/appendix/players-live.md.
    Page,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("oracle: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    let table = Table::load()?;
    match command {
        Command::Measure { kernel, jobs, cases } => measure(&table, &kernel, jobs, &cases),
        Command::Compare { kernel, cases } => {
            let figures = Figures::load(&kernel)
                .map_err(|error| format!("{error}; `oracle measure --kernel {kernel}` makes the figures"))?;
            for row in page::rows(&table, &chosen(&table, &cases)?, &figures)? {
                println!("{row}");
            }
            Ok(())
        }
        Command::Page => {
            let path = page::path();
            let figures = Figures::load(page::KERNEL)?;
            let rows = page::rows(&table, &chosen(&table, &[])?, &figures)?;
            fs::write(&path, page::render(&fs::read_to_string(&path)?, &figures.kernel, &rows)?)?;
            println!("{}", path.display());
            Ok(())
        }
        Command::Exported { kernel } => {
            let differences = exported::check(&kernel)?;
            differences.iter().for_each(|one| println!("{one}"));
            match differences.len() {
                0 => println!("{} queues: what tc shows agrees", exported::QUEUES.len()),
                count => return Err(format!("{count} options differ").into()),
            }
            Ok(())
        }
        Command::Players { command } => players(command),
        Command::Scenario { case } => {
            for case in chosen(&table, &[case])? {
                print!("{}", scenario::text(case, table.offsets.first().copied().unwrap_or_default()));
            }
            Ok(())
        }
    }
}

/// Measures cases, and stores the figures after each: an interruption loses only what is under way.
fn measure(table: &Table, kernel: &str, jobs: usize, names: &[String]) -> Result<(), Box<dyn Error>> {
    let cases = chosen(table, names)?;
    let state = Mutex::new((Figures::load(kernel).ok(), 0, 0));
    machine::measure(kernel, &cases, &table.offsets, jobs.max(1), |case, result| {
        let Ok(mut state) = state.lock() else { return };
        let (stored, done, failed) = &mut *state;
        *done += 1;
        let result = result.map_err(|error| error.to_string()).and_then(|new| {
            let merged = merge(table, stored.take(), new, case);
            let outcome = merged.store(kernel).map_err(|error| error.to_string());
            *stored = Some(merged);
            outcome
        });
        println!("{done}/{} {}", cases.len(), case.name);
        if let Err(error) = result {
            *failed += 1;
            eprintln!("oracle: {error}");
        }
    })?;
    match state.into_inner() {
        Ok((_, _, 0)) => Ok(()),
        Ok((_, _, failed)) => Err(format!("{failed} of {} cases failed", cases.len()).into()),
        Err(_) => Err("a case could not be stored".into()),
    }
}

fn players(command: PlayersCommand) -> Result<(), Box<dyn Error>> {
    match command {
        PlayersCommand::Store { folders } => {
            let mut new = Vec::new();
            for folder in folders {
                let read = players::store::read(&folder)?;
                read.left_out.iter().for_each(|what| println!("left out: {what}"));
                println!("{}: {} sessions", folder.display(), read.sessions.len());
                new.extend(read.sessions);
            }
            let order = players::compare::order()?;
            let old = if players::figures::path().exists() { players::figures::load()? } else { Vec::new() };
            println!("{}", players::figures::save(&players::store::merge(old, new, &order))?.display());
        }
        PlayersCommand::Compare { results } => {
            let modelled = match results {
                Some(folder) => players::store::read_modelled(&folder)?,
                None => players::simulate::simulate(players::page::SEEDS)?,
            };
            for row in players::compare::rows(&players::figures::load()?, &modelled) {
                print!("{:8} {:10}", row.network, row.player);
                for one in &row.differences {
                    let flag = if one.is_within() { ' ' } else { '!' };
                    print!("  {} {one}{flag}", one.quantity);
                }
                println!();
            }
        }
        PlayersCommand::Trace { folder, network, player, seed } => {
            for (at, metric, value) in players::store::trace(&folder, &network, &player, seed)? {
                println!("{at:8.3} {metric} {value:.3}");
            }
        }
        PlayersCommand::Page => {
            let path = players::page::path();
            let watched = players::figures::load()?;
            let rows = players::compare::rows(&watched, &players::simulate::simulate(players::page::SEEDS)?);
            let reasons = players::compare::Reasons::load()?;
            let text = players::page::render(&fs::read_to_string(&path)?, &watched, &rows, &reasons)?;
            fs::write(&path, text)?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

/// Replaces the runs of `case`. Figures of another release of the kernel are dropped, as are those of cases that no longer exist.
fn merge(table: &Table, old: Option<Figures>, new: Figures, case: &Case) -> Figures {
    let old = old.filter(|old| old.kernel == new.kernel).map_or_else(Vec::new, |old| old.runs);
    let all: Vec<Run> = old.into_iter().filter(|run| run.case != case.name).chain(new.runs).collect();
    let of = |case: &Case| all.iter().filter(|run| run.case == case.name).cloned().collect::<Vec<Run>>();
    Figures { kernel: new.kernel, runs: table.cases.iter().flat_map(of).collect() }
}

fn chosen<'a>(table: &'a Table, names: &[String]) -> Result<Vec<&'a Case>, Box<dyn Error>> {
    if names.is_empty() {
        return Ok(table.cases.iter().collect());
    }
    let find = |name: &String| {
        let case = table.cases.iter().find(|case| case.name == *name);
        case.ok_or_else(|| format!("no case is named `{name}`").into())
    };
    names.iter().map(find).collect()
}
