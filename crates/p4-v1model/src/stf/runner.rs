//! Runner of packet tests: feeds packets, executes commands, and compares the output at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Duration;
use num_bigint::BigUint;

use crate::control::{Answer, Command, CommandError};
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{Entry, EntryAction};
use jettison_p4_front::ir::{Program, TableId};
use jettison_p4_front::source::Span;

use super::script::{Element, Expectation, Script, Step, StepKind};
use super::statement::Unit;
use super::testbed::{EndlessLoop, Testbed};

/// Maximum number of departures after one packet; more indicate an endless loop.
const MAX_DEPARTURES: u32 = 20_000;

/// Result of a test.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Differences from the expectations, in the order of the ports; empty if the test passed.
    pub problems: Vec<Problem>,
    /// Number of packets that left the switch.
    pub sent: u64,
    /// Number of dropped packets by reason, including clones and replicas.
    pub drops: BTreeMap<&'static str, u64>,
}

impl Outcome {
    /// Whether the test passed.
    pub fn passed(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A difference from the expectations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Description, in one line.
    pub message: String,
    /// Line of the expectation, if there is one.
    pub span: Option<Span>,
    /// Expected and actual packet, one below the other, with a marker.
    pub detail: Vec<String>,
}

/// Runs a test on a switch whose program runs on `machine`.
pub fn run<M: Machine + Send>(program: &Arc<Program>, script: &Script, machine: M) -> Outcome {
    let mut bench = match Testbed::new(program, machine, MAX_DEPARTURES) {
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
            Ok(number) => {
                numbers[place] = number;
                if let Some(problem) = bench.failed_assertion(step.span) {
                    problems.push(problem);
                    break;
                }
            }
            Err(problem) => {
                problems.push(problem);
                break;
            }
        }
    }
    // After a failed step, missing packets are a consequence.
    if problems.is_empty() {
        problems = compare(script, &sent);
    }
    let sent = sent.values().map(|packets| packets.len() as u64).sum();
    Outcome { problems, sent, drops: bench.0.drops().clone() }
}

/// The switch of a test.
struct Bench<M: Machine>(Testbed<M>);

impl<M: Machine + Send> Bench<M> {
    /// Executes a step. `numbers` are the numbers of the objects created by earlier steps; returns that of this step.
    fn step(&mut self, step: &Step, numbers: &[Option<u32>]) -> Result<Option<u32>, Problem> {
        let failed = |error: CommandError| Problem::plain(error.to_string(), Some(step.span));
        match &step.kind {
            StepKind::Packet { port, bytes } => {
                let endless = |error: EndlessLoop| Problem::plain(error.to_string(), Some(step.span));
                self.pass(Duration::from_micros(1)).map_err(endless)?;
                self.0.receive(*port, bytes).map_err(endless)?;
                self.0.settle().map_err(endless)?;
            }
            StepKind::Wait => {
                let endless = |error: EndlessLoop| Problem::plain(error.to_string(), Some(step.span));
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
                // Entries of a table with a profile refer to members, so the entry needs the new one.
                let (table, action) = (*table, EntryAction::Member(member));
                let command = match entry.clone() {
                    Some((keys, priority)) => {
                        Command::TableAdd { table, entry: Entry { keys, priority, action } }
                    }
                    None => Command::TableSetDefault { table, action },
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
                    let (found, unit_name) = match unit {
                        Unit::Packets => (packets, "packets"),
                        Unit::Bytes => (bytes, "bytes"),
                    };
                    if !comparison.holds(&BigUint::from(found)) {
                        let message = format!("the counter must be {comparison} {unit_name}, got {found}");
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
                    let message = format!("the register must be {comparison}, got {found} (0x{found:x})");
                    return Err(Problem::plain(message, Some(step.span)));
                }
            }
        }
        Ok(None)
    }

    /// A failed `assert` or `assume`, which ends `simple_switch`.
    fn failed_assertion(&self, span: Span) -> Option<Problem> {
        let effects = &self.0.switch().plane().effects;
        let failure = effects.messages.iter().find(|message| message.failure);
        (effects.failed_assertions > 0).then(|| {
            let text = failure.map_or("assert failed", |message| &message.text);
            Problem::plain(format!("{text}: `simple_switch` would end here"), Some(span))
        })
    }

    fn pass(&mut self, time: Duration) -> Result<(), EndlessLoop> {
        self.0.run_until(self.0.now().saturating_add(time))
    }
}

/// Compares the expected with the actual output.
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
        let expected =
            missing.pattern.as_ref().map_or("any packet".to_owned(), |pattern| pattern.spaced().concat());
        return Some(Problem {
            message: format!("port {port}: expected {}, got {}", packets(many), packets(came)),
            span: Some(missing.span),
            detail: vec![format!("missing {expected}")],
        });
    }
    let open = !wanted.is_empty() && wanted.iter().all(|wanted| wanted.pattern.is_none());
    if came > many && !open {
        return Some(Problem {
            message: format!("port {port}: expected {}, got {}", packets(many), packets(came)),
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

/// Bytes in hex, each followed by a space.
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
        let difference = if nibble >= found.len() * 2 {
            "is too short".to_owned()
        } else if nibble >= pattern.nibbles.len() {
            "is too long".to_owned()
        } else {
            format!("differs in byte {}", nibble / 2)
        };
        // Three characters per byte.
        let column = nibble / 2 * 3 + nibble % 2;
        Problem {
            message: format!("port {port}: packet {} {difference}", place + 1),
            span: Some(wanted.span),
            detail: vec![
                format!("expected {}", pattern.spaced().concat().trim_end()),
                format!("got      {}", bytes(found).concat().trim_end()),
                format!("         {}^", " ".repeat(column)),
            ],
        }
    }
}
