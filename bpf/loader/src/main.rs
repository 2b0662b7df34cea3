#![deny(unsafe_code)]
//! Loads newCWV (`newcwv.bpf.c`) into the kernel as the congestion controls `newcwv` and `newcwv_paced`, and unloads it.
//! `jettison cc` embeds this program and runs it.
//!
//! The controls stay loaded while one of their links is referenced: by a pin in the BPF file system (`load`) or by a process
//! (`hold`). Exit status: 0 for success, 1 for failure, 2 for invalid arguments.

mod kernel;
mod machine;
mod pins;
mod settings;
mod sockets;
mod validity;

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use kernel::{Controllers, NAMES};
use settings::Settings;
use sockets::Sockets;

const USAGE: &str = "usage: jettison-cc-loader load|hold [--validity 300s] [--burst 10] | unload | status";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = match Command::parse(&arguments) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match command.execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

enum Command {
    Load(Settings),
    Hold(Settings),
    Unload,
    Status,
}

impl Command {
    fn parse(arguments: &[String]) -> Result<Command> {
        let Some((command, rest)) = arguments.split_first() else { bail!("a command is required; {USAGE}") };
        match command.as_str() {
            "load" => Ok(Command::Load(parse(rest)?)),
            "hold" => Ok(Command::Hold(parse(rest)?)),
            "unload" | "status" if !rest.is_empty() => {
                bail!("`{command}` does not accept {}", rest.join(" "))
            }
            "unload" => Ok(Command::Unload),
            "status" => Ok(Command::Status),
            _ => bail!("unknown command `{command}`; {USAGE}"),
        }
    }

    fn execute(&self) -> Result<()> {
        machine::check()?;
        match self {
            Command::Load(settings) => load(*settings),
            Command::Hold(settings) => hold(*settings),
            Command::Unload => unload(),
            Command::Status => status(),
        }
    }
}

/// Parses options; the error contains the usage if one of them is unknown.
fn parse(options: &[String]) -> Result<Settings> {
    Settings::parse(options).map_err(|error| match error.to_string() {
        text if text.starts_with("unknown") => anyhow!("{text}; {USAGE}"),
        _ => error,
    })
}

/// Loads the controls until `unload`.
fn load(settings: Settings) -> Result<()> {
    let _one_at_a_time = machine::lock()?;
    if let Some(loaded) = kernel::find()? {
        loaded.settings()?.must_be(settings)?;
        if !pins::exist() {
            bail!(
                "{} are held by another process, such as a live run; load them after it has ended",
                NAMES.join(" and ")
            );
        }
        println!("already loaded: {}", describe(&loaded)?);
        return Ok(());
    }
    let mut loaded = kernel::load(settings)?;
    pins::pin(&mut loaded)?;
    println!("loaded: {}\n{settings}", NAMES.join(", "));
    Ok(())
}

/// Loads the controls, or shares them, until standard input or this process ends.
fn hold(settings: Settings) -> Result<()> {
    let lock = machine::lock()?;
    let _held = match kernel::find()? {
        Some(loaded) => {
            loaded.settings()?.must_be(settings)?;
            kernel::Held::Shared { _links: loaded.into_links() }
        }
        None => kernel::Held::Own { _links: kernel::load(settings)? },
    };
    drop(lock);
    let mut out = io::stdout();
    out.write_all(b"ready\n").and_then(|()| out.flush()).context("standard output is closed")?;
    let mut ignored = [0; 256];
    while !matches!(io::stdin().read(&mut ignored), Ok(0) | Err(_)) {}
    Ok(())
}

fn unload() -> Result<()> {
    let _one_at_a_time = machine::lock()?;
    let sockets = match kernel::find()? {
        // Another version of the controls may have no such count, and is unloaded all the same.
        Some(loaded) => loaded.sockets().map_or(0, Sockets::all),
        None => 0,
    };
    if !pins::remove()? {
        if kernel::find()?.is_some() {
            bail!(
                "{} are held by another process, such as a live run, and are unloaded when it ends",
                NAMES.join(" and ")
            );
        }
        println!("not loaded");
        return Ok(());
    }
    // The kernel drops a pinned link with a delay.
    if !machine::wait_until(Duration::from_secs(2), || Ok(machine::names_in_use()?.is_empty()))? {
        bail!(
            "the pins were removed, but {} are held by another process and are unloaded when it ends",
            NAMES.join(" and ")
        );
    }
    match sockets {
        0 => println!("unloaded"),
        1 => println!("unloaded; one socket still uses it until it is closed"),
        _ => println!("unloaded; {sockets} sockets still use it until they are closed"),
    }
    Ok(())
}

fn status() -> Result<()> {
    match kernel::find()? {
        Some(loaded) => println!("{}", describe(&loaded)?),
        None => match machine::names_in_use()?.as_slice() {
            [] => println!("not loaded"),
            names => println!("not loaded; another congestion control has the name {}", names.join(" and ")),
        },
    }
    Ok(())
}

fn describe(loaded: &Controllers) -> Result<String> {
    let life = match pins::exist() {
        true => format!("pinned in {}, `unload` removes them", pins::FOLDER),
        false => "held by a process, unloaded when it ends".to_owned(),
    };
    let sockets = loaded.sockets()?;
    Ok(format!(
        "{}\nlife: {life}\nloaded: {} s ago\n{}\nsockets: {}\nclosing sockets: {}",
        NAMES.join(", "),
        loaded.age().as_secs(),
        loaded.settings()?,
        sockets.open,
        sockets.closing
    ))
}
