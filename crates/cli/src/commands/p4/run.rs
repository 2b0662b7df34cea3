//! `jettison p4 run`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;
use std::path::Path;

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::source::Sources;
use jettison_p4_v1model::stf::{EndlessLoop, Sent, Testbed};
use jettison_report::{CapturedFrame, PortCapture};
use jettison_wire::Packet;

use super::capture;
use super::{add, commands, compile, count, failure, options, rendered};
use crate::options::P4RunArguments;
use crate::output::{Failure, print, print_styled};

/// Maximum number of departures after one packet: more than all queues hold, so beyond it there is an endless loop.
const MAX_DEPARTURES: u32 = 1 << 22;

/// Maximum number of the program's messages to show.
const MAX_MESSAGES: usize = 20;

/// Sends a capture through a program.
pub fn run(arguments: &P4RunArguments) -> Result<(), Failure> {
    let options = options(&arguments.preprocessor)?;
    let mut sources = Sources::default();
    let main = add(&mut sources, &arguments.file, "a program")?;
    let compiled = compile(&mut sources, main, &options);
    let (program, warnings) = compiled.map_err(|errors| failure(&errors, &sources))?;
    print_styled(&rendered(&warnings, &sources));
    let mut testbed =
        Testbed::new(&program, Compiled::new(program.clone()), MAX_DEPARTURES).map_err(Failure::of)?;
    if let Some(file) = &arguments.commands {
        let id = add(&mut sources, file, "a file of commands")?;
        let found = commands(&sources, id, &program).map_err(|errors| failure(&errors, &sources))?;
        for located in found {
            testbed
                .switch_mut()
                .apply(&located.command)
                .map_err(|error| failure(&[Diagnostic::error(located.span, error.to_string())], &sources))?;
        }
    }
    let frames = capture::read(&arguments.pcap)?;
    feed(&mut testbed, &frames, arguments.port)
        .map_err(|error| Failure::of(format!("{}: {error}", arguments.pcap.display())))?;
    if let Some(folder) = &arguments.out {
        write(folder, testbed.sent())?;
    }
    print(summary(&testbed, &frames, arguments))
}

fn feed(testbed: &mut Testbed<Compiled>, frames: &[CapturedFrame], port: u16) -> Result<(), EndlessLoop> {
    for frame in frames {
        testbed.run_until(frame.at)?;
        testbed.receive(port, &frame.bytes)?;
    }
    testbed.settle()
}

/// Writes one capture per port.
fn write(folder: &Path, sent: &[Sent]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::of(format!("{}: cannot create the folder: {error}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut captures: BTreeMap<u16, PortCapture> = BTreeMap::new();
    for frame in sent {
        let capture = match captures.entry(frame.port) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(vacant) => {
                let path = folder.join(format!("port-{}.pcapng", frame.port));
                let capture = PortCapture::create(&path, &format!("port {}", frame.port), usize::MAX);
                vacant.insert(capture.map_err(Failure::of)?)
            }
        };
        capture.packet(&Packet::from_frame(frame.bytes.clone()), frame.at).map_err(Failure::of)?;
    }
    for capture in captures.into_values() {
        capture.finish().map_err(Failure::of)?;
    }
    Ok(())
}

/// Summary of the packets by port, and of drops and messages.
fn summary(testbed: &Testbed<Compiled>, frames: &[CapturedFrame], arguments: &P4RunArguments) -> String {
    let mut lines: Vec<[String; 4]> = Vec::new();
    let mut line = |event: &str, place: String, packets: u64, bytes: Option<u64>| {
        let bytes = bytes.map(|bytes| format!("{bytes} bytes")).unwrap_or_default();
        let packets = format!("{packets} packet{}", if packets == 1 { "" } else { "s" });
        lines.push([event.to_owned(), place, packets, bytes]);
    };
    let received = frames.iter().map(|frame| frame.bytes.len() as u64).sum();
    line("received", format!("port {}", arguments.port), frames.len() as u64, Some(received));
    let mut ports: BTreeMap<u16, (u64, u64)> = BTreeMap::new();
    for frame in testbed.sent() {
        let (packets, bytes) = ports.entry(frame.port).or_default();
        (*packets, *bytes) = (*packets + 1, *bytes + frame.bytes.len() as u64);
    }
    for (port, (packets, bytes)) in ports {
        line("sent", format!("port {port}"), packets, Some(bytes));
    }
    for (reason, packets) in testbed.drops() {
        line("dropped", (*reason).to_owned(), *packets, None);
    }
    let counters = testbed.switch().simple_switch().counters();
    if counters.parser_errors > 0 {
        line("parser errors", String::new(), counters.parser_errors, None);
    }
    if counters.unconfigured_clones > 0 {
        line("clones not made", "unconfigured session".to_owned(), counters.unconfigured_clones, None);
    }
    let mut text = in_columns(&lines);
    let effects = &testbed.switch().plane().effects;
    if !effects.digests.is_empty() {
        let _ = writeln!(text, "{}", count(effects.digests.len(), "digest"));
    }
    if effects.failed_assertions > 0 {
        let _ = writeln!(text, "{} failed", count(effects.failed_assertions as usize, "assertion"));
    }
    for message in effects.messages.iter().take(MAX_MESSAGES) {
        let _ = writeln!(text, "{}: {}", if message.failure { "assertion" } else { "log" }, message.text);
    }
    let more = effects.messages.len().saturating_sub(MAX_MESSAGES);
    if more > 0 {
        let _ = writeln!(text, "and {more} more line{}", if more == 1 { "" } else { "s" });
    }
    text
}

fn in_columns(lines: &[[String; 4]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let mut text = String::new();
    for [event, place, packets, bytes] in lines {
        let [a, b, c, d] = widths;
        let line = format!("{event:<a$}  {place:<b$}  {packets:>c$}  {bytes:>d$}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
