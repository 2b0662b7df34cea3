//! Runs a test: packets in, the control plane's changes in between, and at the end what came out is compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Duration;
use num_bigint::BigUint;

use crate::control::{Answer, Command, CommandError};
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{Entry, Then};
use jettison_p4_front::ir::{Program, TableId};
use jettison_p4_front::source::Span;

use super::script::{Element, Expectation, Script, Step, StepKind};
use super::statement::Unit;
use super::testbed::{NeverAtRest, Testbed};

/// More departures than that after one packet, and something goes round in circles.
const MOST_DEPARTURES: u32 = 20_000;

/// How a test went.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What is not as the test wants it, in the order of the ports; none if it passed.
    pub problems: Vec<Problem>,
    /// How many packets came out.
    pub sent: u64,
    /// Why packets were dropped, and how many: clones and replicas count.
    pub drops: BTreeMap<&'static str, u64>,
}

impl Outcome {
    /// Whether all is as the test wants it.
    pub fn passed(&self) -> bool {
        self.problems.is_empty()
    }
}

/// What is not as the test wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// In one line.
    pub message: String,
    /// The line that wants it, if there is one.
    pub span: Option<Span>,
    /// The packet that was wanted and the one that came, below each other, with marks.
    pub detail: Vec<String>,
}

/// Runs a test on a switch whose program `machine` runs.
pub fn run<M: Machine + Send>(program: &Arc<Program>, script: &Script, machine: M) -> Outcome {
    let mut bench = match Testbed::new(program, machine, MOST_DEPARTURES) {
        Ok(testbed) => Bench(testbed),
        Err(error) => {
            return Outcome { problems: vec![Problem::plain(error.to_string(), None)], ..Outcome::default() };
        }
    };
    let mut sent: BTreeMap<u16, Vec<Vec<u8>>> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut numbers = vec![None; script.steps.len()];
    for (place, step) in script.steps.iter().enumerate() {
        let done = bench.step(step, &numbers);
        for frame in bench.0.take_sent() {
            sent.entry(frame.port).or_default().push(frame.bytes);
        }
        match done {
            Ok(number) => numbers[place] = number,
            Err(problem) => {
                problems.push(problem);
                break;
            }
        }
    }
    // After a step that failed, packets that are missing are no news.
    if problems.is_empty() {
        problems = compare(script, &sent);
    }
    let sent = sent.values().map(|packets| packets.len() as u64).sum();
    Outcome { problems, sent, drops: bench.0.drops().clone() }
}

/// The switch of a test.
struct Bench<M: Machine>(Testbed<M>);

impl<M: Machine + Send> Bench<M> {
    /// Does a step. What it makes may have a number; `numbers` are those of the steps before.
    fn step(&mut self, step: &Step, numbers: &[Option<u32>]) -> Result<Option<u32>, Problem> {
        let failed = |error: CommandError| Problem::plain(error.to_string(), Some(step.span));
        match &step.kind {
            StepKind::Packet { port, bytes } => {
                let endless = |error: NeverAtRest| Problem::plain(error.to_string(), Some(step.span));
                self.pass(Duration::from_micros(1)).map_err(endless)?;
                self.0.receive(*port, bytes).map_err(endless)?;
                self.0.settle().map_err(endless)?;
            }
            StepKind::Wait => {
                let endless = |error: NeverAtRest| Problem::plain(error.to_string(), Some(step.span));
                self.pass(Duration::from_secs(1)).map_err(endless)?;
            }
            StepKind::Command(command) => {
                if let Answer::Number(number) = self.0.switch_mut().apply(command).map_err(failed)? {
                    return Ok(Some(number));
                }
            }
            StepKind::AddMember { profile, action, table, entry } => {
                let command = Command::MemberCreate { profile: *profile, action: action.clone() };
                let Answer::Number(member) = self.0.switch_mut().apply(&command).map_err(failed)? else {
                    return Ok(None);
                };
                let (table, then) = (*table, Then::Member(member));
                let command = match entry.clone() {
                    Some((keys, priority)) => {
                        Command::TableAdd { table, entry: Entry { keys, priority, then } }
                    }
                    None => Command::TableSetDefault { table, then },
                };
                if let Answer::Number(number) = self.0.switch_mut().apply(&command).map_err(failed)? {
                    return Ok(Some(number));
                }
            }
            StepKind::RemoveAll => {
                let tables = &self.0.switch().program().clone().tables;
                let changeable = (0u32..).zip(tables).filter(|(_, table)| !table.entries_are_const);
                for (id, _) in changeable {
                    self.0.switch_mut().apply(&Command::TableClear { table: TableId(id) }).map_err(failed)?;
                }
            }
            StepKind::CheckCounter { counter, index, unit, comparison } => {
                let index = match index {
                    Element::Number(number) => *number,
                    Element::Entry(step) => u64::from(numbers.get(*step).copied().flatten().unwrap_or(0)),
                };
                let answer = self
                    .0
                    .switch_mut()
                    .apply(&Command::CounterRead { counter: *counter, index })
                    .map_err(failed)?;
                if let Answer::Counter { packets, bytes } = answer {
                    let (found, what) = match unit {
                        Unit::Packets => (packets, "packets"),
                        Unit::Bytes => (bytes, "bytes"),
                    };
                    if !comparison.holds(&BigUint::from(found)) {
                        let message = format!("the counter has {found} {what}, not {comparison}");
                        return Err(Problem::plain(message, Some(step.span)));
                    }
                }
            }
            StepKind::CheckRegister { register, index, comparison } => {
                let command = Command::RegisterRead { register: *register, index: Some(*index) };
                let answer = self.0.switch_mut().apply(&command).map_err(failed)?;
                if let Answer::Values(values) = answer
                    && let Some(found) = values.first()
                    && !comparison.holds(found)
                {
                    let message = format!("the register has {found} (0x{found:x}), not {comparison}");
                    return Err(Problem::plain(message, Some(step.span)));
                }
            }
        }
        Ok(None)
    }

    fn pass(&mut self, time: Duration) -> Result<(), NeverAtRest> {
        self.0.run_until(self.0.now().saturating_add(time))
    }
}

/// What differs between what must come out and what came.
fn compare(script: &Script, sent: &BTreeMap<u16, Vec<Vec<u8>>>) -> Vec<Problem> {
    let mut wanted: BTreeMap<u16, Vec<&Expectation>> = sent.keys().map(|port| (*port, Vec::new())).collect();
    for expectation in &script.expectations {
        wanted.entry(expectation.port).or_default().push(expectation);
    }
    let mut problems = Vec::new();
    for (port, wanted) in wanted {
        let found = sent.get(&port).map_or(&[][..], Vec::as_slice);
        if wanted.is_empty() && !script.strict && !script.ports.contains(&port) {
            continue;
        }
        problems.extend(compare_port(port, &wanted, found));
    }
    problems
}

fn compare_port(port: u16, wanted: &[&Expectation], found: &[Vec<u8>]) -> Option<Problem> {
    for (place, (wanted, found)) in wanted.iter().zip(found).enumerate() {
        let Some(pattern) = &wanted.pattern else { continue };
        if let Some(nibble) = pattern.difference(found) {
            return Some(Problem::difference(port, place, wanted, pattern, found, nibble));
        }
    }
    let (many, came) = (wanted.len(), found.len());
    if came < many {
        let missing = wanted[came];
        let what =
            missing.pattern.as_ref().map_or("any packet".to_owned(), |pattern| pattern.spaced().concat());
        return Some(Problem {
            message: format!("port {port}: {} expected, {} came", packets(many), packets(came)),
            span: Some(missing.span),
            detail: vec![format!("missing {what}")],
        });
    }
    let open = !wanted.is_empty() && wanted.iter().all(|wanted| wanted.pattern.is_none());
    if came > many && !open {
        return Some(Problem {
            message: format!("port {port}: {} expected, {} came", packets(many), packets(came)),
            span: wanted.last().map(|wanted| wanted.span),
            detail: vec![format!("surplus {}", bytes(&found[many]).concat())],
        });
    }
    None
}

fn packets(count: usize) -> String {
    match count {
        0 => "no packet".to_owned(),
        1 => "1 packet".to_owned(),
        count => format!("{count} packets"),
    }
}

/// Bytes in hex, a blank behind each.
fn bytes(packet: &[u8]) -> Vec<String> {
    packet.iter().map(|byte| format!("{byte:02x} ")).collect()
}

impl Problem {
    fn plain(message: String, span: Option<Span>) -> Problem {
        Problem { message, span, detail: Vec::new() }
    }

    fn difference(
        port: u16,
        place: usize,
        wanted: &Expectation,
        pattern: &super::script::Pattern,
        found: &[u8],
        nibble: usize,
    ) -> Problem {
        let what = if nibble >= found.len() * 2 {
            "is too short".to_owned()
        } else if nibble >= pattern.nibbles.len() {
            "is too long".to_owned()
        } else {
            format!("differs in byte {}", nibble / 2)
        };
        // Three characters a byte.
        let column = nibble / 2 * 3 + nibble % 2;
        Problem {
            message: format!("port {port}: packet {} {what}", place + 1),
            span: Some(wanted.span),
            detail: vec![
                format!("expected {}", pattern.spaced().concat().trim_end()),
                format!("got      {}", bytes(found).concat().trim_end()),
                format!("         {}^", " ".repeat(column)),
            ],
        }
    }
}
