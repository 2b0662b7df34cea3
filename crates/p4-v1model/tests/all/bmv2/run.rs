//! Runs a case on a machine, and writes down what it does as the recorder does.

use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_p4_exec::Machine;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{Program, TargetModel};
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::control;
use jettison_p4_v1model::stf::{EndlessLoop, Testbed};

use super::cases::{Case, StepKind, shown};

/// Number of ports that the recorder gives `simple_switch`.
const PORTS: u16 = 8;
/// The recorder waits until no packet comes for this time.
const QUIET: Duration = Duration::from_millis(80);
/// Time between two packets that the recorder sends without waiting.
const GAP: Duration = Duration::from_micros(20);

/// Compiles the program of a case for a target; the error is the rendered messages.
pub fn compile(case: &Case, base: &str, target: TargetModel) -> Result<Arc<Program>, String> {
    let mut sources = Sources::default();
    let main = sources.add(format!("{}.p4", case.name), case.program(base)?);
    match jettison_p4_front::compile(&mut sources, main, &Options { target, ..Options::default() }) {
        Ok((program, _)) => Ok(Arc::new(program)),
        Err(errors) => Err(render(&errors, &sources)),
    }
}

fn render(errors: &[Diagnostic], sources: &Sources) -> String {
    errors.iter().map(|error| error.render(sources, false)).collect()
}

/// The steps of a case with their results.
pub fn run<M: Machine + Send>(case: &Case, program: &Arc<Program>, machine: M) -> Vec<String> {
    let mut bed = Testbed::new(program, machine, 5_000).expect("the plan has no commands");
    let mut lines = Vec::new();
    // `simple_switch` runs for a while before the first packet.
    let _ = bed.run_until(Time::ZERO + Duration::from_millis(200));
    for step in &case.steps {
        lines.push(step.line.clone());
        let done = match &step.kind {
            StepKind::Command(line) => {
                lines.push(format!("= {}", answer(&mut bed, program, line)));
                continue;
            }
            StepKind::Packet { port, frame, wait } => {
                let sent = bed.receive(*port, frame);
                if *wait {
                    sent.and_then(|()| quiet(&mut bed, QUIET))
                } else {
                    sent.and_then(|()| pass(&mut bed, GAP))
                }
            }
            StepKind::Wait(millis) => quiet(&mut bed, Duration::from_millis(*millis)),
        };
        if done.is_err() {
            lines.push("! the processing does not end".to_owned());
            break;
        }
        if step.line.starts_with('+') {
            continue;
        }
        if bed.switch().plane().effects.failed_assertions > 0 {
            // `simple_switch` ends at once: nothing leaves it any more.
            lines.push("! simple_switch ends".to_owned());
            break;
        }
        let mut sent = bed.take_sent();
        sent.sort_by_key(|frame| frame.port);
        let seen = sent.iter().filter(|frame| frame.port < PORTS);
        lines.extend(seen.map(|frame| format!("> {} {}", frame.port, shown(&frame.bytes))));
        let effects = &mut bed.switch_mut().plane_mut().effects;
        let messages = std::mem::take(&mut effects.messages);
        let logged = messages.iter().filter_map(|message| message.text.strip_prefix("LOG "));
        lines.extend(logged.map(|text| format!("log {text}")));
    }
    lines
}

fn pass<M: Machine + Send>(bed: &mut Testbed<M>, time: Duration) -> Result<(), EndlessLoop> {
    bed.run_until(bed.now().saturating_add(time))
}

/// Lets a time pass, and then more until nothing has left the switch for [`QUIET`].
fn quiet<M: Machine + Send>(bed: &mut Testbed<M>, at_least: Duration) -> Result<(), EndlessLoop> {
    let mut end = bed.now() + at_least.max(QUIET);
    while bed.now() < end {
        pass(bed, Duration::from_millis(1))?;
        if let Some(last) = bed.sent().iter().filter(|frame| frame.port < PORTS).map(|frame| frame.at).max() {
            end = end.max(last + QUIET);
        }
    }
    Ok(())
}

/// The answer to a command.
fn answer<M: Machine + Send>(bed: &mut Testbed<M>, program: &Program, line: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add("command".to_owned(), line.to_owned());
    let commands = match control::parse(&sources, file, program) {
        Ok(commands) => commands,
        Err(errors) => {
            if std::env::var_os("VERBOSE").is_some() {
                eprintln!("{}", render(&errors, &sources));
            }
            return "refused".to_owned();
        }
    };
    let mut text = String::new();
    for located in commands {
        text = match bed.switch_mut().apply(&located.command) {
            Ok(answer) => answer.to_string(),
            Err(_) => "refused".to_owned(),
        };
    }
    text
}
