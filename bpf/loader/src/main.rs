#![deny(unsafe_code)]
//! Loads congestion controls (`*.bpf.c`) into the kernel, and unloads them. `jettison cc` embeds this program and runs it.
//!
//! A control stays loaded while its links are referenced: by pins in the BPF file system (`load`) or by a process (`hold`).
//! Exit status: 0 for success, 1 for failure, 2 for invalid arguments.

mod arguments;
mod codepoint;
mod control;
mod dctcp;
mod kernel;
mod list;
mod machine;
mod newcwv;
mod parameters;
mod pins;
mod prague;
mod sockets;
mod validity;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use arguments::{Command, Order};
use codepoint::Attached;
use control::implementation;
use kernel::Controller;
use list::{CONTROLS, Control};
use sockets::Sockets;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = match Command::parse(&arguments) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match execute(&command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: &Command) -> Result<()> {
    machine::check()?;
    match command {
        Command::Load(order) => load(order),
        Command::Hold(order) => hold(order),
        Command::Unload(controls) => unload(controls),
        Command::Status(controls) => status(controls),
    }
}

/// Loads a control until `unload`.
fn load(order: &Order) -> Result<()> {
    let _one_at_a_time = machine::lock()?;
    let control = order.control;
    if let Some(loaded) = kernel::find(control)? {
        loaded.must_have(&order.values)?;
        if !pins::exist(control) {
            bail!(
                "{} held by another process, such as a live run; load it after that has ended",
                are(control)
            );
        }
        if !order.devices.is_empty() && order.devices != pins::devices(control) {
            bail!(
                "already loaded for the devices {}, not {}; unload it first (jettison cc unload {})",
                pins::devices(control).join(", "),
                order.devices.join(", "),
                control.id
            );
        }
        println!("already loaded: {}", describe(&loaded)?);
        return Ok(());
    }
    machine::load_own_module(control);
    let mut loaded = kernel::load(control, &order.values)?;
    let attached = attach(order)?;
    pins::pin(control, &mut loaded, &attached)?;
    println!("loaded: {}", control.names.join(", "));
    for line in order.values.lines(implementation(control)?.parameters)? {
        println!("{line}");
    }
    if !attached.is_empty() {
        println!(
            "devices: {}",
            attached.iter().map(|one| one.device.as_str()).collect::<Vec<_>>().join(", ")
        );
    }
    Ok(())
}

/// Attaches the program for packets, if the control has one, to the order's devices, or to all.
fn attach(order: &Order) -> Result<Vec<Attached>> {
    if !order.marks_packets()? {
        return Ok(Vec::new());
    }
    let devices = match order.devices.is_empty() {
        true => codepoint::devices()?,
        false => order.devices.clone(),
    };
    devices.iter().map(|device| codepoint::attach(device)).collect()
}

/// Loads a control, or shares it, until standard input or this process ends. Ends at once, after the line `own`, if the kernel has
/// another control of that name.
///
/// A line of standard input, `NAMESPACE DEVICE`, attaches the control's program for packets to a device, until the end. The answer
/// is a line as well.
fn hold(order: &Order) -> Result<()> {
    let control = order.control;
    let mut out = io::stdout();
    let mut answer =
        |line: &str| writeln!(out, "{line}").and_then(|()| out.flush()).context("standard output is closed");
    let lock = machine::lock()?;
    let found = kernel::find(control)?;
    if found.is_none() {
        machine::load_own_module(control);
        if !machine::names_in_use(control)?.is_empty() {
            return answer("own");
        }
    }
    let _held = match found {
        Some(loaded) => {
            loaded.must_have(&order.values)?;
            let for_packets = implementation(control)?.marks_packets.then(codepoint::program).transpose()?;
            kernel::Held::Shared { _links: loaded.into_links(), _for_packets: for_packets }
        }
        None => kernel::Held::Own { _loaded: kernel::load(control, &order.values)? },
    };
    drop(lock);
    answer("ready")?;
    let mut attached = Vec::new();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Some((namespace, device)) = line.split_once(' ') else { continue };
        match codepoint::attach_in(namespace, device) {
            Ok(one) => {
                attached.push(one);
                answer("ready")?;
            }
            Err(error) => answer(&format!("{error:#}"))?,
        }
    }
    Ok(())
}

fn unload(controls: &[&'static Control]) -> Result<()> {
    let _one_at_a_time = machine::lock()?;
    let mut lines = Vec::new();
    for control in controls {
        if let Some(line) = unload_one(control)? {
            lines.push(format!("{}: {line}", control.id));
        }
    }
    match lines.is_empty() {
        true => println!("{}", none_of(controls)),
        false => println!("{}", lines.join("\n")),
    }
    Ok(())
}

/// Unloads a control. Returns `None` if it is not loaded.
fn unload_one(control: &'static Control) -> Result<Option<String>> {
    let sockets = match kernel::find(control)? {
        // Another version of the controls may have no such count, and is unloaded all the same.
        Some(loaded) => loaded.sockets().map_or(0, Sockets::all),
        None => 0,
    };
    if !pins::remove(control)? {
        if kernel::find(control)?.is_some() {
            bail!(
                "{} held by another process, such as a live run, and unloaded when that ends",
                are(control)
            );
        }
        return Ok(None);
    }
    // The kernel drops a pinned link with a delay.
    if !machine::wait_until(Duration::from_secs(2), || Ok(machine::names_in_use(control)?.is_empty()))? {
        bail!(
            "the pins were removed, but {} held by another process and unloaded when that ends",
            are(control)
        );
    }
    Ok(Some(match sockets {
        0 => "unloaded".to_owned(),
        1 => "unloaded; one socket still uses it until it is closed".to_owned(),
        _ => format!("unloaded; {sockets} sockets still use it until they are closed"),
    }))
}

fn status(controls: &[&'static Control]) -> Result<()> {
    let mut parts = Vec::new();
    for control in controls {
        match kernel::find(control)? {
            Some(loaded) => parts.push(describe(&loaded)?),
            None => {
                for name in machine::names_in_use(control)? {
                    parts.push(format!("{name}: the kernel has another one, not loaded by jettison"));
                }
            }
        }
    }
    match parts.is_empty() {
        true => println!("{}", none_of(controls)),
        false => println!("{}", parts.join("\n\n")),
    }
    Ok(())
}

/// Says that no control of the list is loaded.
fn none_of(controls: &[&'static Control]) -> String {
    let names: Vec<&str> = controls.iter().map(|control| control.id).collect();
    format!("{}: not loaded", names.join(", "))
}

fn describe(loaded: &Controller) -> Result<String> {
    let control = loaded.control;
    let life = match pins::exist(control) {
        true => format!("pinned in {}, `unload` removes them", pins::FOLDER),
        false => "held by a process, unloaded when it ends".to_owned(),
    };
    let sockets = loaded.sockets()?;
    let mut lines = vec![
        control.names.join(", "),
        format!("life: {life}"),
        format!("loaded: {} s ago", loaded.age().as_secs()),
    ];
    lines.extend(loaded.lines()?);
    let devices = pins::devices(control);
    if !devices.is_empty() {
        lines.push(format!("devices: {}", devices.join(", ")));
    }
    lines.push(format!("sockets: {}", sockets.open));
    lines.push(format!("closing sockets: {}", sockets.closing));
    Ok(lines.join("\n"))
}

/// The names of a control with their verb.
fn are(control: &Control) -> String {
    match control.names {
        [name] => format!("{name} is"),
        names => format!("{} are", names.join(" and ")),
    }
}

// A list for `unload` and `status` without a name.
fn all() -> Vec<&'static Control> {
    CONTROLS.iter().collect()
}
